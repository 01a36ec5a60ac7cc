import * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as EndedActions from "../src/state/EndedActions.ts"
import * as FoldedActions from "../src/state/FoldedActions.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import * as SettledActions from "../src/state/SettledActions.ts"
import { booked, ok, requested, type Step, started, step, trace } from "./actions.ts"

const parts = [OpenActions.part, SettledActions.part, EndedActions.part]
const fold = Fold.make({ parts, sources: { rules: () => undefined } })

const run = (...steps: ReadonlyArray<Step>) => Fold.run(fold, State.empty, trace(...steps))
const begun = [requested("a1"), started("a1")]
const failed = [...begun, step("action.reconciled", "a1", { status: "error" })]
const fact = (each: Step) => trace(each)[0]!

describe("EndedActions", () => {
  it("knows an action by its state for as long as it is open, and by its end after that", () => {
    const stateOf = (...steps: ReadonlyArray<Step>) => FoldedActions.of(run(...steps)).get("a1")?.state
    assert.strictEqual(stateOf(...begun), "executing")
    assert.strictEqual(stateOf(...failed), "failed")
    assert.strictEqual(stateOf(...booked("a1")), "reconciled_success")
    assert.strictEqual(stateOf(requested("a1"), step("intent.dropped", "a1")), "failed")
    assert.isUndefined(stateOf(requested("a2")))
  })

  it("refuses a claim about an action that has ended, and leaves it in its last state", () => {
    for (const [steps, from] of [
      [failed, "failed"],
      [booked("a1"), "reconciled_success"]
    ] as const) {
      const before = run(...steps)
      const [refused] = FoldedActions.refused(before, fact(step("action.verified", "a1", ok)))
      assert.deepInclude(refused?.refused, { from, to: "committed" })
      assert.strictEqual(
        fold.evolve(before, fact(step("action.verified", "a1", ok))).kernel["ended"],
        before.kernel["ended"]
      )
    }
    assert.deepStrictEqual(FoldedActions.refused(run(...begun), fact(step("action.result", "a1", ok))), [])
  })

  it("does not settle an action by a claim that is refused: it stays open, in its state", () => {
    const forged = step("action.reconciled", "a1", { status: "error" }, { state: "compensated" })
    const state = run(...begun, forged)
    assert.deepInclude(OpenActions.of(state)["a1"], { state: "executing" })
    assert.isFalse(SettledActions.of(state).has("a1"))
  })

  it("starts a fork with none: the actions of its parent belong to the parent", () => {
    const forked = step("run.fork", "a1")
    assert.isUndefined(FoldedActions.of(run(...failed, forked)).get("a1"))
  })
})
