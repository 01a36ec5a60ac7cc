import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as State from "@backstitch/reducer/State"
import * as List from "@backstitch/trace/List"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Seed } from "../src/index.ts"

const definition: Definition = {
  pack: "acme.trips",
  version: "1.0.0",
  state: {
    world: { bookings: { table: { key: "id", row: { price: "int" } } }, spent: "int" },
    working: { notes: { list: "string" }, plan: { type: "string", nullable: true } }
  },
  violations: [{ id: "poor", when: "world.spent > 100" }]
}
const pack = Result.getOrThrow(TaskPack.make(definition))
const initial = { world: { bookings: Table.empty, spent: 0 }, working: { notes: List.empty, plan: null } }

const artifact = (
  run: string,
  field: string,
  value: State.StateField | undefined,
  open: ReadonlyArray<string> = []
): Seed.Artifact => ({ run, tick: 7, link: "ab".repeat(32), field, value, open })

const gather = (...artifacts: ReadonlyArray<Seed.Artifact>) => Seed.gather(pack, initial, artifacts)
const failure = (...artifacts: ReadonlyArray<Seed.Artifact>) => Result.getOrThrow(Result.flip(gather(...artifacts)))

const Rows = Schema.Array(Schema.Struct({ key: Schema.Literals(["a", "b", "c"]), price: Schema.Literals([1, 2]) }))
const tableOf = (rows: typeof Rows.Type) => Table.from(rows.map(({ key, price }) => [key, { price }] as const))

describe("Seed", () => {
  it("begins with the chosen fields, with the values of their branch, and names their origin", () => {
    const bookings = Table.from([["LX1", { price: 80 }]])
    const { sections, seeds } = Result.getOrThrow(
      gather(artifact("left", "world.bookings", bookings), artifact("right", "working.plan", "by train"))
    )
    assert.strictEqual(sections.world["bookings"], bookings)
    assert.deepStrictEqual([sections.world["spent"], sections.working["plan"]], [0, "by train"])
    assert.deepStrictEqual(
      seeds.map(({ digest, field, run, tick }) => [run, tick, field, digest]),
      [
        ["left", 7, "world.bookings", State.fieldDigest(bookings)],
        ["right", 7, "working.plan", State.fieldDigest("by train")]
      ]
    )
  })

  it("refuses a path that names no whole field of the pack, wherever a part of it leads", () => {
    const rows = Table.from([["LX1", { price: 80 }]])
    for (const path of ["kernel.plan", "plan", "world.bookings.LX1", "world.", "world.__proto__", "working.toString"]) {
      assert.deepInclude(failure(artifact("left", path, rows)), { _tag: "SeedUnfit", found: "undeclared" }, path)
    }
  })

  it.prop(
    "unites tables if no row differs, in any order, and refuses the first row that does",
    [Rows, Rows],
    ([left, right]) => {
      const [one, other] = [tableOf(left), tableOf(right)]
      const artifacts = [artifact("left", "world.bookings", one), artifact("right", "world.bookings", other)] as const
      const there = gather(artifacts[0], artifacts[1])
      const back = gather(artifacts[1], artifacts[0])
      const differs = [...one].some(([key, row]) => other.has(key) && other.get(key)?.price !== row.price)
      assert.strictEqual(Result.isFailure(there), differs)
      assert.strictEqual(Result.isFailure(back), differs)
      if (Result.isFailure(there) || Result.isFailure(back)) return
      assert.deepStrictEqual(there.success.seeds, back.success.seeds)
      const united = there.success.sections.world["bookings"] as Table.Table
      assert.strictEqual(State.fieldDigest(united), State.fieldDigest(back.success.sections.world["bookings"]!))
      assert.deepStrictEqual(new Set(united.keys()), new Set([...one.keys(), ...other.keys()]))
    },
    { arbitrary: { runs: 300 } }
  )

  it("takes a value from two branches that agree, and has a person choose if they do not", () => {
    const agreed = gather(artifact("left", "world.spent", 5), artifact("right", "world.spent", 5))
    assert.lengthOf(Result.getOrThrow(agreed).seeds, 2)
    const { message } = failure(artifact("left", "world.spent", 5), artifact("right", "world.spent", 6))
    assert.include(message, "left@7:world.spent and right@7:world.spent differ in world.spent")
    assert.include(message, "Choose one")
    const lists = failure(
      artifact("left", "working.notes", List.from(["a"])),
      artifact("right", "working.notes", List.from(["b"]))
    )
    assert.strictEqual(lists._tag, "SeedConflict")
  })

  it("refuses fields that the contract does not have, and values of another type", () => {
    assert.include(failure(artifact("left", "world.nowhere", 1)).message, "declares no such field")
    assert.include(failure(artifact("left", "world.spent", undefined)).message, "has no such field at that tick")
    assert.include(failure(artifact("left", "world.spent", "five")).message, "expected a whole number")
    assert.include(failure(artifact("left", "world.spent", Table.empty)).message, "found")
    const rows = Table.from([["LX1", { price: "dear" }]])
    assert.include(failure(artifact("left", "world.bookings", rows)).message, "at LX1.price")
    assert.include(failure(artifact("left", "working.notes", List.from([7]))).message, "at 0")
  })

  it("says which act was not settled when the field was taken, and counts an artifact once", () => {
    const given = artifact("left", "world.spent", 5, ["a3"])
    const { seeds } = Result.getOrThrow(gather(given, given))
    assert.deepStrictEqual(
      seeds.map(({ open }) => open),
      [["a3"]]
    )
  })
})
