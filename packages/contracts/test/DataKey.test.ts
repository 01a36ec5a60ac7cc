import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as DataKey from "../src/state/DataKey.ts"
import * as TaskPack from "../src/TaskPack.ts"

const made = (reads: ReadonlyArray<string>) =>
  TaskPack.make({
    pack: "acme.keys",
    version: "1",
    state: { world: {}, working: { slots: { table: { key: "id", row: { at: "string" } } } } },
    tools: { look: { class: "read_only", input: { slot: "string" }, reads } }
  })

const readsOf = (...keys: ReadonlyArray<string>) => Result.getOrThrow(made(keys)).tools["look"]!.reads

describe("DataKey", () => {
  it("names a whole, or the part that an expression answers", () => {
    const resolved = readsOf("agreed", "working.slots", "working.slots[args.slot]", "agreed['a' + args.slot]").map(
      (key) => DataKey.resolve(key, { args: { slot: "0" } })
    )
    assert.deepStrictEqual(resolved, ["agreed", "working.slots", 'working.slots["0"]', 'agreed["a0"]'])
    assert.deepStrictEqual(resolved.map(DataKey.wholeOf), [undefined, undefined, "working.slots", "agreed"])
  })

  it("is the whole if its part has no answer, and overlaps with every part", () => {
    assert.deepStrictEqual(
      readsOf("agreed[args.slot]").map((key) => DataKey.resolve(key, { args: {} })),
      ["agreed"]
    )
  })

  it.each(["agreed[", "agreed[args.", "working.slot[args.slot]", "agreed[arg.slot]"])("refuses %s", (key) => {
    assert.isTrue(Result.isFailure(made([key])))
  })

  it("keeps the keys that a stored pack wrote before parts had a meaning", () => {
    const { definition } = Result.getOrThrow(made([]))
    const look = { class: "read_only", reads: ["agreed[", "agreed[other thing]"] }
    const read = TaskPack.fromJson({ ...definition, tools: { look } })
    assert.deepStrictEqual(Result.getOrThrow(read).tools["look"]?.reads, [{ name: "agreed[" }, { name: "agreed" }])
  })
})
