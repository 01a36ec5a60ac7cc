import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import * as ReleaseCandidate from "../src/ReleaseCandidate.ts"

const { book, look } = lab.definition.tools

describe("The gates of a contract that names the undoing of a booking", () => {
  const { undo: _, ...rest } = book
  type Tool = NonNullable<Parameters<typeof TaskPack.make>[0]["tools"]>[string]
  const unbookOf = (...expect: ReadonlyArray<string>): Tool => ({
    ...rest,
    input: { id: "string" },
    target: "'booking/' + args.id",
    identity: { scope: "run", fields: [{ id: "exact" }] },
    readback: { source: "airline", expect: [...expect], within: "2s" },
    undo: "X",
    on_reconciled: []
  })
  const packOf = (unbook: Tool, booking: Partial<Tool> = {}) =>
    Result.getOrThrow(
      TaskPack.make({
        ...lab.definition,
        tools: {
          look,
          book: { ...rest, undo: { class: "K", by: "unbook", with: { id: "actual.id" } }, ...booking } as Tool,
          unbook
        }
      })
    )
  const sound = packOf(unbookOf("actual.status == 'void'", "actual.id == args.id"))

  /** Runs the drill on a candidate: its findings, and its report on the run that the candidate is held against. */
  const drilled = (
    inForce: TaskPack.TaskPack,
    candidate?: TaskPack.TaskPack,
    options: Partial<ReleaseCandidate.Options> = {}
  ) =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      return yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: inForce, goal: "goal" })
          yield* handle.propose(lab.book("LX1"))
          const trace = yield* TraceStore.TraceStore
          const runs = yield* trace.runs(lab.trip.tenant)
          const about = { runs, ...options }
          const gated = yield* ReleaseCandidate.judge({ validate: () => undefined, pack: candidate }, about)
          return gated.find(({ gate }) => gate === "recovery_drill")!
        })
      )
    })

  it.effect("drop no undo without a review, and drop it after one (L12)", () =>
    Effect.gen(function* () {
      const dropping = packOf(unbookOf("true"), { undo: "X" })
      assert.deepStrictEqual((yield* drilled(sound, dropping)).against, [
        "book can no longer be undone: unbook undid it. Keep its undo, or name book as reviewed"
      ])
      assert.deepStrictEqual((yield* drilled(sound, dropping, { reviewed: ["book"] })).against, [])
      assert.deepStrictEqual((yield* drilled(sound, sound)).against, [])
    })
  )

  it.effect("refuse an undoing by which no read can find out whether there is anything to undo (L5)", () =>
    Effect.gen(function* () {
      const readback = { ...rest.readback, expect: [...rest.readback.expect], consistency: "eventual" } as const
      const deaf = packOf(unbookOf("actual.status == 'void'"), { readback, status: "none" } as Partial<Tool>)
      const { against } = yield* drilled(sound, deaf)
      assert.include(
        against.join(),
        "book is undone by unbook, and nobody can find out whether there is anything to undo"
      )
    })
  )

  it.effect("pass a reversal with any form of expectation for which a record can be generated", () =>
    Effect.gen(function* () {
      for (const expect of [
        ["actual == null || actual.status == 'gone'"],
        ["actual.status in ['void', 'gone'] && actual.left <= 0"],
        ["'void' == actual.status", "actual.refund.amount > 0", "!actual.open"],
        ["(actual.id == args.id && actual.gone) || actual.status == 'void'"],
        ["actual.status.startsWith('void')", "has(actual.at)"]
      ]) {
        assert.deepStrictEqual((yield* drilled(packOf(unbookOf(...expect)))).against, [], expect.join())
      }
    })
  )

  it.effect("report an undrilled reversal for which no record can be generated, and accept it by name", () =>
    Effect.gen(function* () {
      const odd = packOf(unbookOf("size(actual.parts) == 3 && actual.parts.all(each, each > 1)"))
      const refused = yield* drilled(odd)
      assert.match(refused.against.join(), /^unbook was not drilled: no record/)
      assert.deepStrictEqual((yield* drilled(odd, undefined, { undrilled: ["unbook"] })).against, [])
    })
  )
})
