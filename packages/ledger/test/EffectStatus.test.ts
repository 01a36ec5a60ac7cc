import * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ActionHistories from "../src/history/ActionHistories.ts"
import type * as ActionHistory from "../src/history/ActionHistory.ts"
import * as EffectStatus from "../src/moves/EffectStatus.ts"
import * as Payload from "../src/payload/Payload.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import * as SettledActions from "../src/state/SettledActions.ts"
import { booked, requested, type Step, started, step, trace } from "./actions.ts"

const fold = Fold.make({ parts: [OpenActions.part, SettledActions.part], sources: { rules: () => undefined } })

const relationOf = (self: EffectStatus.ActionEffect | undefined) => [self?.undo, self?.undoneBy]

/** Asserts that the fold and the log know the same of every effect, after each fact. */
const agree = (steps: ReadonlyArray<Step>): EffectStatus.UndoState | undefined => {
  const histories = new Map<string, ActionHistory.ActionHistory>()
  let state = State.empty
  for (const transition of trace(...steps)) {
    state = fold.evolve(state, transition)
    ActionHistories.follow(histories, [transition])
    for (const [action, settled] of SettledActions.of(state)) {
      assert.deepStrictEqual(relationOf(settled), relationOf(histories.get(action)), `${action} at ${transition.tick}`)
    }
  }
  return SettledActions.of(state).get("a1")?.undo
}

const reversal = (id: string, of: { readonly whole: boolean } | undefined): Step => {
  const [body] = requested(id, { tool: "cancel", ...(of === undefined ? { undoes: "a1" } : {}) })
  return [of === undefined ? body : { ...body, data: { reverses: { action: "a1", whole: of.whole } } }]
}

const Fact = Schema.Struct({
  about: Schema.Literals(["a1", "a2", "a3"]),
  type: Schema.Literals([
    "action.started",
    "action.result",
    "action.verified",
    "action.reconciled",
    "intent.dropped",
    "policy.decision",
    "recovery.decided",
    "review.decided",
    "review.requested"
  ]),
  status: Schema.Literals(["ok", "error", "unknown", "mismatch"]),
  trust: Schema.Literals([1, 2, 3]),
  more: Schema.Literals(["absent", "freezes", "reopens", "stops", "state", "undo", "nothing"]),
  state: Schema.Literals(["failed", "abandoned", "pending", "reconciled_success", "review_required"]),
  undo: Payload.Undo
})

const factOf = ({ about, more, state, status, trust, type, undo }: typeof Fact.Type): Step => {
  const data = {
    absent: { absent: true },
    freezes: { freezes: true },
    nothing: {},
    reopens: { plan: "u1", reopens: "a2", undo: "undoing" },
    state: { state },
    stops: { stops: "a1" },
    undo: { action: "a1", plan: "u1", undo }
  }[more]
  return step(type, about, { status, trust }, data)
}

describe("EffectStatus", () => {
  for (const [what, of] of [
    ["by a plan", undefined],
    ["by a planner, all of it", { whole: true }],
    ["by a planner, in part", { whole: false }]
  ] as const) {
    it.prop(
      `is one for the fold and the log, whatever is reported of an action that is undone ${what} (L2)`,
      [Schema.Array(Fact), Schema.Array(Fact)],
      ([first, second]) => {
        const taken = [...booked("a1"), reversal("a2", of), started("a2"), ...first.map(factOf)]
        // A plan is at one reversal at a time: the next is begun once that is over.
        const isOver = OpenActions.of(Fold.run(fold, State.empty, trace(...taken)))["a2"] === undefined
        agree([...taken, ...(isOver ? [reversal("a3", undefined)] : []), ...second.map(factOf)])
      },
      { arbitrary: { runs: 1000 } }
    )
  }

  it.prop(
    "is one for the fold and the log, whatever is reported of an action that is not settled yet (L2)",
    [Schema.Array(Fact)],
    ([facts]) => {
      agree([requested("a1"), started("a1"), reversal("a2", undefined), ...facts.map(factOf)])
    },
    { arbitrary: { runs: 1000 } }
  )

  it("stands again if a planner's call that would have undone it was never begun", () => {
    const [body] = reversal("a2", { whole: true })
    const waits: Step = [{ ...body, policy: { decision: "escalate", checks: [], version: "acme.travel@1.0.0" } }]
    assert.strictEqual(agree([...booked("a1"), waits]), "undoing")
    assert.strictEqual(agree([...booked("a1"), waits, step("intent.dropped", "a2")]), "standing")
  })

  it("is doubtful if the action that takes it back is abandoned: its outcome is unknown", () => {
    const given = step("review.decided", "a2", undefined, { state: "abandoned" })
    const taken = [...booked("a1"), reversal("a2", { whole: true }), started("a2"), given]
    assert.strictEqual(agree(taken), "doubtful")
    assert.isFalse(EffectStatus.isGone({ undo: "doubtful" }))
  })

  it("waits for a person if its plan stops, and goes on as they say", () => {
    const stops = step("recovery.decided", "a1", undefined, { stops: "a1" })
    const says = (undo: EffectStatus.UndoState) =>
      step("review.decided", "a1", undefined, { action: "a1", plan: "u1", undo })
    assert.strictEqual(agree([...booked("a1"), stops]), "undo_failed")
    for (const undo of ["standing", "undoing", "attested", "undo_abandoned"] as const) {
      assert.strictEqual(agree([...booked("a1"), stops, says(undo)]), undo)
    }
  })
})
