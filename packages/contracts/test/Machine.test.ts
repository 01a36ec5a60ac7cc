import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Definition from "../src/grammar/pack/Definition.ts"
import * as Machine from "../src/subtask/Machine.ts"
import * as TaskPack from "../src/TaskPack.ts"

const made = (machine: NonNullable<Definition.Definition["machine"]>, more: Partial<Definition.Definition> = {}) =>
  TaskPack.make({
    pack: "acme.machine",
    version: "1",
    state: { world: {}, working: { stage: { enum: ["idle", "asked", "done"] } } },
    tools: { ask: { class: "read_only" }, end: { class: "read_only" } },
    machine,
    ...more
  })

const refusal = (...asked: Parameters<typeof made>): string => {
  const read = made(...asked)
  return Result.isFailure(read) ? read.failure.message : assert.fail("it was taken")
}

const states = ["idle", "asked", "done"]
const edges = [
  { from: "idle", tool: "ask", to: "asked" },
  { from: "asked", tool: "end", to: "done" }
]

describe("Machine", () => {
  it("follows its edges, and stays if a tool has none", () => {
    const { machine } = Result.getOrThrow(made({ initial: "idle", states, edges }))
    assert.deepStrictEqual(machine, { initial: "idle", states, edges })
    assert.strictEqual(Machine.next(machine!, "idle", "ask"), "asked")
    assert.strictEqual(Machine.next(machine!, "idle", "end"), "idle")
  })

  it("names the field that holds its state, and may have several ways by one tool then", () => {
    const forked = [...edges, { from: "idle", tool: "ask", to: "done" }]
    assert.strictEqual(
      Result.getOrThrow(made({ field: "working.stage", states, edges: forked })).machine?.field,
      "stage"
    )
    assert.include(refusal({ initial: "idle", states, edges: forked }), "another way from idle by ask")
    assert.include(refusal({ field: "working.stag", states, edges }), "working.stag")
    assert.include(refusal({ field: "working.stage", initial: "idle", states, edges }), "both field and initial")
    assert.include(refusal({ states, edges }), "machine.initial: found nothing")
  })

  it("knows the states, tools and skeletons that it names", () => {
    assert.include(refusal({ initial: "idel", states, edges }), "idel")
    assert.include(refusal({ initial: "idle", states, edges: [{ from: "idle", tool: "aks", to: "asked" }] }), "aks")
    assert.include(refusal({ initial: "idle", states: [...states, "idle"], edges }), "idle again")
    const machine = { initial: "idle", states, edges }
    assert.include(refusal(machine, { skeletons: { a: { tools: ["ask"], states: ["lost"] } } }), "lost")
    const { skeletons } = Result.getOrThrow(
      made(machine, {
        skeletons: { a: { tools: ["ask"], states: ["idle"], exit: "from == 'idle' && to == 'asked' && entity == 'x'" } }
      })
    )
    assert.deepStrictEqual(skeletons["a"]?.states, ["idle"])
  })
})
