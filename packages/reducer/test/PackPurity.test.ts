import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

describe("PackPurity", () => {
  it("names every function of a pack by where it stands", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { count: "int" } },
        violations: [{ id: "watched", when: ({ working }) => Number(working["count"]) > 3 }]
      })
    )
    assert.deepStrictEqual(
      PackPurity.functions(pack).map(({ id }) => id),
      ["violations.watched"]
    )
    assert.isTrue(Result.isSuccess(PackPurity.check(pack)))
  })

  it("refuses a function that changes what it is given", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { notes: { type: "json", initial: { seen: [] } } } },
        violations: [
          {
            id: "watched",
            when: ({ working }) => {
              const notes = working["notes"] as { seen: Array<number> }
              notes.seen.push(1)
              return notes.seen.length > 1
            }
          }
        ]
      })
    )
    const checked = PackPurity.check(pack)
    assert.isTrue(Result.isFailure(checked))
    if (Result.isFailure(checked)) assert.strictEqual(checked.failure.reason, "changes its input")
  })

  it("meets no function that remembers, because a pack refuses outside names", () => {
    let calls = 0
    const pack = TaskPack.make({
      pack: "acme.notes",
      version: "1.0.0",
      state: { working: { count: "int" } },
      violations: [{ id: "watched", when: () => ++calls > 1 }]
    })
    assert.isTrue(Result.isFailure(pack))
    if (Result.isFailure(pack)) assert.match(pack.failure.message, /calls/)
  })

  it("lets a function fail on a sample that is not for it", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.notes",
        version: "1.0.0",
        state: { working: { count: "int" } },
        violations: [
          {
            id: "watched",
            when: ({ args }) => (args as { readonly deep: { readonly value: number } }).deep.value > 1
          }
        ]
      })
    )
    assert.isTrue(Result.isSuccess(PackPurity.check(pack)))
  })
})
