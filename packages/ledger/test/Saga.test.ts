import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ActionState from "../src/machine/ActionState.ts"
import * as Saga from "../src/plan/Saga.ts"
import { stepOf } from "./actions.ts"

const Step = Schema.Struct({
  state: ActionState.State,
  reversibility: Schema.Literals(["I", "R", "K", "X"]),
  repeatable: Schema.Boolean,
  pivot: Schema.Boolean,
  hasCompensation: Schema.Boolean
})
const stepsFrom = (drawn: ReadonlyArray<typeof Step.Type>): ReadonlyArray<Saga.SagaStep> =>
  drawn.map(({ hasCompensation, ...rest }, index) => ({
    action: `a${index}`,
    ...rest,
    ...(hasCompensation ? { compensation: { tool: "undo", params: index } } : {})
  }))

describe("Saga", () => {
  it("compensates in reverse order before the pivot, and says which compensation leaves residue (L12)", () => {
    const plan = Saga.plan([
      stepOf("flight"),
      stepOf("look", { reversibility: "I" }),
      stepOf("file", { reversibility: "R" })
    ])
    assert.deepStrictEqual(plan, {
      _tag: "Backward",
      steps: [
        { undoes: "file", by: { tool: "cancel", params: { action: "file" } }, residue: false },
        { undoes: "flight", by: { tool: "cancel", params: { action: "flight" } }, residue: true }
      ]
    })
  })

  it("goes forward after the pivot, and completes the remaining steps", () => {
    const plan = Saga.plan([
      stepOf("flight"),
      stepOf("pay", { reversibility: "X" }),
      stepOf("mail", { state: "failed" }),
      stepOf("index", { state: "validated", repeatable: false })
    ])
    assert.deepStrictEqual(plan, { _tag: "Forward", pivot: "pay", actions: ["mail", "index"] })
  })

  it("leaves nothing to do behind a pivot if every step is done", () => {
    assert.deepStrictEqual(Saga.plan([stepOf("flight"), stepOf("pay", { reversibility: "X" })]), { _tag: "Nothing" })
  })

  it("takes a step that its author marked for the pivot, and none that never took effect", () => {
    assert.strictEqual(Saga.pivot([stepOf("a"), stepOf("b", { pivot: true })])?.action, "b")
    assert.isUndefined(Saga.pivot([stepOf("a", { reversibility: "X", state: "failed" })]))
  })

  it("asks first whether an unknown step took effect, and never assumes it (L5)", () => {
    const plan = Saga.plan([stepOf("flight"), stepOf("hotel", { state: "unknown" })])
    assert.deepStrictEqual(plan, { _tag: "Ask", actions: ["hotel"] })
  })

  it("holds if a step can be neither undone nor safely repeated, and names it", () => {
    const { compensation: _, ...bare } = stepOf("letter")
    const stuck = Saga.plan([stepOf("flight"), bare])
    assert.deepInclude(stuck, { _tag: "Hold", actions: ["letter"] })
    const partly = stepOf("transfer", { state: "partially_committed", repeatable: false })
    assert.deepInclude(Saga.plan([stepOf("pay", { pivot: true }), partly]), { _tag: "Hold", actions: ["transfer"] })
  })

  it.prop(
    "undoes each standing effect once, in reverse order, and nothing else; never past a pivot",
    [Schema.Array(Step)],
    ([drawn]) => {
      const steps = stepsFrom(drawn)
      const plan = Saga.plan(steps)
      const at = (action: string) => steps.findIndex((step) => step.action === action)
      if (plan._tag === "Backward") {
        const order = plan.steps.map((step) => at(step.undoes))
        assert.isUndefined(Saga.pivot(steps))
        assert.isTrue(order.every((index, i) => i === 0 || index < order[i - 1]!))
        assert.isTrue(order.every((index) => steps[index]!.compensation !== undefined))
        assert.strictEqual(new Set(order).size, order.length)
      }
      if (plan._tag === "Forward") {
        assert.strictEqual(Saga.pivot(steps)?.action, plan.pivot)
        assert.isFalse(plan.actions.some((action) => steps[at(action)]!.state === "reconciled_success"))
      }
      const isUnknown = steps.some((step) => step.state === "unknown")
      return !isUnknown || plan._tag === "Ask"
    },
    { arbitrary: { runs: 500 } }
  )
})
