import * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ActionHistories from "../src/history/ActionHistories.ts"
import type * as ActionHistory from "../src/history/ActionHistory.ts"
import * as ActionState from "../src/machine/ActionState.ts"
import * as ActionMoves from "../src/moves/ActionMoves.ts"
import * as EndedActions from "../src/state/EndedActions.ts"
import * as FoldedActions from "../src/state/FoldedActions.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import * as SettledActions from "../src/state/SettledActions.ts"
import { booked, ok, requested, type Step, started, step, trace } from "./actions.ts"

const parts = [OpenActions.part, SettledActions.part, EndedActions.part]
const fold = Fold.make({ parts, sources: { rules: () => undefined } })

const types = [
  "action.started",
  "action.result",
  "action.verified",
  "action.reconciled",
  "recovery.decided",
  "review.requested",
  "review.decided",
  "intent.dropped"
] as const

const Report = Schema.Struct({
  action: Schema.Literals(["a1", "a2"]),
  type: Schema.Literals(types),
  status: Schema.Literals(["ok", "error", "unknown", "mismatch"]),
  state: Schema.NullOr(ActionState.State),
  undo: Schema.NullOr(Schema.Literals(["attested", "standing", "undo_failed"])),
  plan: Schema.NullOr(Schema.Literal("p1")),
  freezes: Schema.NullOr(Schema.Literal(true))
})

const stepOf = ({ action, freezes, plan, state, status, type, undo }: typeof Report.Type): Step => {
  const said = Object.entries({ freezes, plan, state, undo }).filter(([, value]) => value !== null)
  return step(type, action, { status }, Object.fromEntries(said) as { readonly [name: string]: string })
}

const next = (fact: Step, subjects: { readonly [id: string]: ActionMoves.MovingAction }) =>
  ActionMoves.next(
    {
      get: (id) => subjects[id],
      reversalOf: (id) => Object.keys(subjects).find((each) => subjects[each]?.undoes === id)
    },
    trace(fact)[0]!
  )

const mutation = (
  state: ActionState.State,
  more: Partial<ActionMoves.MovingAction> = {}
): ActionMoves.MovingAction => ({
  class: "high_risk_external",
  state,
  ...more
})

describe("ActionMoves", () => {
  it.prop(
    "leads the fold and the log to one state, by edges alone, whatever is reported of an action and its reversal",
    [Schema.Array(Report)],
    ([reports]) => {
      const all = trace(requested("a1"), started("a1"), requested("a2", { undoes: "a1" }), ...reports.map(stepOf))
      const histories = new Map<string, ActionHistory.ActionHistory>()
      let state = State.empty
      for (const transition of all) {
        const before = state
        state = fold.evolve(before, transition)
        const refusals = FoldedActions.refused(before, transition).length
        const known = [...histories.values()].reduce((sum, { refused }) => sum + refused.length, 0)
        ActionHistories.follow(histories, [transition])
        const since = [...histories.values()].reduce((sum, { refused }) => sum + refused.length, 0)
        assert.strictEqual(since - known, refusals, transition.body.type)
        for (const id of ["a1", "a2"]) {
          const [was, is] = [OpenActions.of(before)[id]?.state, OpenActions.of(state)[id]?.state]
          if (is !== undefined) assert.strictEqual(is, histories.get(id)?.state, `${id} by ${transition.body.type}`)
          else if (was !== undefined) assert.strictEqual(FoldedActions.of(state).get(id)?.isOver, true)
        }
        for (const { visited } of histories.values()) {
          for (const [index, { state: to }] of visited.entries()) {
            const from = visited[index - 1]?.state
            assert.isTrue(from === undefined || ActionState.edge(from, to) !== undefined, `${from} to ${to}`)
          }
        }
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it("closes an open reversal with its action, in the fold and in the log, whatever the reported effect", () => {
    const all = trace(
      requested("a1"),
      started("a1"),
      requested("a2", { undoes: "a1" }),
      step("review.requested", "a2", ok),
      step("action.reconciled", "a1", ok, { state: "compensation_failed" }),
      step("review.decided", "a1", { status: "mismatch" }, { plan: "p1" })
    )
    assert.strictEqual(OpenActions.of(all.reduce(fold.evolve, State.empty))["a2"]?.state, "failed")
    assert.strictEqual(ActionHistories.of(all, "a2")?.state, "failed")
  })

  it("makes all moves that a fact claims, or none", () => {
    const decided = step("review.decided", "a1", undefined, { state: "abandoned" })
    assert.deepStrictEqual(next(decided, { a1: mutation("executing") }), [
      { action: "a1", states: ["unknown", "review_required", "abandoned"] }
    ])
    const [refused] = next(decided, { a1: mutation("compensated") })
    assert.deepStrictEqual(refused?.states, [])
    assert.deepInclude(refused?.refused, { by: "operator", from: "compensated", to: "abandoned" })
  })

  it("begins another attempt if the one before failed, and stays if an effect may have happened", () => {
    const again = (state: ActionState.State) => next(started("a1"), { a1: mutation(state) })
    assert.deepStrictEqual(again("forward_recovery"), [{ action: "a1", states: ["failed", "validated", "executing"] }])
    assert.deepStrictEqual(again("failed"), [{ action: "a1", states: ["validated", "executing"] }])
    for (const state of ["unknown", "pending", "verification_timeout"] as const) {
      assert.deepStrictEqual(again(state), [])
    }
    for (const state of ["reconciled_success", "compensated", "review_required"] as const) {
      assert.deepInclude(again(state)[0]?.refused, { from: state, to: "executing" })
    }
  })

  it("moves an undone action with its reversal, and never a success", () => {
    const undoing = (a1: ActionMoves.MovingAction, a2: ActionMoves.MovingAction, status: "ok" | "error") =>
      next(step("action.reconciled", "a2", { status }), { a1, a2 }).filter(({ action }) => action === "a1")
    const reversal = mutation("pending", { undoes: "a1" })
    assert.deepStrictEqual(undoing(mutation("compensating"), reversal, "ok"), [
      { action: "a1", states: ["compensated"] }
    ])
    assert.deepStrictEqual(undoing(mutation("compensating"), reversal, "error"), [
      { action: "a1", states: ["compensation_failed"] }
    ])
    const settled = mutation("reconciled_success", { isOver: true })
    for (const status of ["ok", "error"] as const) assert.deepStrictEqual(undoing(settled, reversal, status), [])
  })

  it("settles a read by its answer, and a mutation by nothing before it is reconciled", () => {
    const answered = step("action.result", "a1", ok)
    assert.deepStrictEqual(next(answered, { a1: { class: "read_only", state: "validated" } }), [
      { action: "a1", states: ["executing", "committed"] }
    ])
    assert.deepStrictEqual(next(answered, { a1: mutation("executing") }), [{ action: "a1", states: ["pending"] }])
    assert.strictEqual(ActionHistories.of(trace(...booked("a1")), "a1")?.state, "reconciled_success")
  })
})
