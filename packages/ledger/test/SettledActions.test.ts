import * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as UsedKeys from "../src/keys/UsedKeys.ts"
import type * as EffectStatus from "../src/moves/EffectStatus.ts"
import * as UndoPlan from "../src/plan/UndoPlan.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import * as SettledActions from "../src/state/SettledActions.ts"
import { booked, ok, requested, type Step, started, step, trace } from "./actions.ts"

const parts = [OpenActions.part, SettledActions.part, UndoPlan.part, UsedKeys.part]
const fold = Fold.make({ parts, sources: { rules: () => undefined } })
const run = (...steps: ReadonlyArray<Step>): State.State => Fold.run(fold, State.empty, trace(...steps))

const [startedBody] = started("a1")
const undo = { by: "cancel", class: "K", with: { flight: "LX1" } }
const registered: Step = [{ ...startedBody, data: { undo } }, { key: "key-a1" }]
const first = [requested("a1"), registered, ...booked("a1").slice(2)]
const reversal = (id: string, trust: 1 | 2 | 3, status: "ok" | "error" = "ok") => [
  requested(id, { tool: "cancel", undoes: "a1" }),
  started(id),
  step("action.result", id, ok),
  step("action.reconciled", id, { status, trust })
]
const of = (...steps: ReadonlyArray<Step>) => SettledActions.of(run(...steps)).get("a1")

describe("SettledActions", () => {
  it("keeps the reversal that was registered when an action started, completed when it was reconciled (L5)", () => {
    assert.deepInclude(of(...first), { by: "cancel", class: "K", undo: "standing", key: "key-a1", tool: "book" })
    const known = step(
      "action.reconciled",
      "a1",
      { status: "ok", trust: 3 },
      { undo: { class: "R", with: { id: "B" } } }
    )
    assert.deepInclude(of(...first.slice(0, 4), known), { by: "cancel", class: "R", with: { id: "B" } })
  })

  it("keeps neither reads, nor failed actions, nor reversals", () => {
    const failed = step("action.reconciled", "a1", { status: "error" })
    const state = run(
      requested("a2", { class: "read_only" }),
      step("action.result", "a2", ok),
      ...first.slice(0, 3),
      failed
    )
    assert.strictEqual(SettledActions.of(state).size, 0)
    assert.deepStrictEqual([...SettledActions.of(run(...first, ...reversal("a9", 3))).keys()], ["a1"])
  })

  it("tells undone from standing by a reversal that the system of record confirmed, and by nothing less", () => {
    assert.strictEqual(of(...first, ...reversal("a9", 3).slice(0, 2))?.undo, "undoing")
    assert.deepInclude(of(...first, ...reversal("a9", 3)), { undo: "undone", undoneBy: "a9" })
    assert.strictEqual(of(...first, ...reversal("a9", 2))?.undo, "undone")
    assert.strictEqual(of(...first, ...reversal("a9", 1))?.undo, "undo_failed")
    assert.strictEqual(of(...first, ...reversal("a9", 3, "error"))?.undo, "undo_failed")
  })

  it("ends a key's generation once its effect was undone, and not before (decision 0035)", () => {
    const status = (...steps: ReadonlyArray<Step>) => UsedKeys.find(run(...steps), "key-a1")?.status
    assert.strictEqual(status(...first), "ok")
    assert.strictEqual(status(...first, ...reversal("a9", 1)), "ok")
    assert.strictEqual(status(...first, ...reversal("a9", 3)), "undone")
    const forked = (undo: EffectStatus.UndoState) => {
      const data = { parent: "main", undone: { a1: { by: "a9", undo } } }
      return status(...first, [{ type: "run.fork", author: "kernel", data }])
    }
    assert.deepStrictEqual((["attested", "absent", "undone", "undo_abandoned", "doubtful"] as const).map(forked), [
      "undone",
      "undone",
      "undone",
      "ok",
      "ok"
    ])
  })

  it("is empty in a fork, which undoes nothing that its parent did (decision 0039)", () => {
    const state = run(...first, [{ type: "run.fork", author: "kernel" }])
    assert.strictEqual(SettledActions.of(state).size, 0)
    assert.isUndefined(UndoPlan.open(state))
  })

  it("keeps for a fork the acts of its parents as theirs, in the present world", () => {
    const fork = (parent: string, undone = {}) =>
      [{ type: "run.fork", author: "kernel", data: { parent, undone } }] as const
    const state = run(...first, fork("main"))
    assert.deepStrictEqual(SettledActions.inOrder(state), [])
    const shared = (state: State.State) =>
      SettledActions.withShared(state).map(([id, { owner, undo, undoneBy }]) => [id, owner, undo, undoneBy])
    const owner = { action: "a1", run: "main" }
    assert.deepStrictEqual(shared(state), [["main/a1", owner, "standing", undefined]])
    assert.deepStrictEqual(shared(run(...first, fork("main"), fork("retry"))), shared(state))
    const undone = { a1: { by: "a9", undo: "undone" } }
    assert.deepStrictEqual(shared(run(...first, fork("main", undone))), [["main/a1", owner, "undone", "a9"]])
  })

  it("comes in the order of the beginnings, whichever was settled first", () => {
    const [one, two] = [booked("a1"), booked("a2")]
    const state = run(one[0]!, two[0]!, ...two.slice(1), ...one.slice(1))
    assert.deepStrictEqual(
      SettledActions.inOrder(state).map(([id]) => id),
      ["a1", "a2"]
    )
  })
})
