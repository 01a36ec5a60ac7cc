/**
 * Plans for a workflow that cannot continue: undo its steps before the pivot, or complete them after it.
 *
 * The pivot is a committed step that cannot be undone, or that its author marked. Before it, committed steps are
 * compensated in reverse order; behind it, the rest is completed. The system of record is asked whether there is
 * anything to undo, so a step with an unknown outcome stops the plan until it is settled (L5).
 *
 * @source Action Verification, "Rollback, Compensation, and Forward Recovery"; Crash Recovery, "the saga pattern"
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import type * as FindingForm from "@backstitch/trace/FindingForm"
import type * as ActionState from "../machine/ActionState.ts"
import * as PlanCodes from "../payload/PlanCodes.ts"

/** The action that would undo a step, registered as the step starts. */
export interface Compensation {
  readonly tool: string
  readonly params: Json
}

/** A step of a workflow, in the order in which steps were begun. */
export interface SagaStep {
  readonly action: string
  readonly state: ActionState.State
  readonly reversibility: ToolContract.Reversibility
  /** `true` if a second sending under the same key has no second effect. */
  readonly repeatable: boolean
  readonly pivot?: boolean
  /** `true` if the time in which it could be undone is over. */
  readonly isTooLate?: boolean
  readonly compensation?: Compensation
}

/** One step back. An exact inverse leaves nothing; a compensation leaves residue, and an audit shows both. */
export interface Back {
  readonly undoes: string
  readonly by: Compensation
  readonly residue: boolean
}

/**
 * A plan.
 *
 * - `Ask`: these outcomes have to be settled first.
 * - `Backward`: undo these actions, in this order, each verified before the next.
 * - `ForwardRecovery`: complete these steps, each under its own key.
 * - `Hold`: neither way is safe without a person; `why` is the reason.
 * - `Nothing`: no step has an effect to undo, and none is left to complete.
 */
export type SagaPlan =
  | { readonly _tag: "Ask"; readonly actions: ReadonlyArray<string> }
  | { readonly _tag: "Backward"; readonly steps: ReadonlyArray<Back> }
  | { readonly _tag: "Forward"; readonly pivot: string; readonly actions: ReadonlyArray<string> }
  | { readonly _tag: "Hold"; readonly actions: ReadonlyArray<string>; readonly why: FindingForm.AnyFinding }
  | { readonly _tag: "Nothing" }

/** The first committed pivot, if there is one. */
export const pivot = (steps: ReadonlyArray<SagaStep>): SagaStep | undefined =>
  steps.find((step) => stands(step) && (step.pivot === true || step.reversibility === "X"))

/**
 * Plans the recovery of a workflow.
 *
 * **Example** (Going back in reverse order)
 *
 * ```ts import.meta.vitest
 * import { Saga } from "@backstitch/ledger"
 *
 * const booked = (action: string) =>
 *   ({
 *     action,
 *     state: "reconciled_success",
 *     reversibility: "K",
 *     repeatable: true,
 *     compensation: { tool: "cancel", params: { booking: action } }
 *   }) as const
 * const plan = Saga.plan([booked("flight"), booked("hotel")])
 *
 * plan._tag === "Backward" && plan.steps.map((step) => step.undoes) // => ["hotel", "flight"]
 * ```
 */
export const plan = (steps: ReadonlyArray<SagaStep>): SagaPlan => {
  const unsettled = steps.filter((step) => isUnsettled(step.state))
  if (unsettled.length > 0) return { _tag: "Ask", actions: unsettled.map((step) => step.action) }
  const point = pivot(steps)
  return point === undefined ? backward(steps) : forward(steps, point)
}

const backward = (steps: ReadonlyArray<SagaStep>): SagaPlan => {
  const effects = steps.filter((step) => stands(step) && step.reversibility !== "I")
  const without = effects.filter((step) => step.compensation === undefined)
  if (without.length > 0) {
    return {
      _tag: "Hold",
      actions: without.map((step) => step.action),
      why: PlanCodes.make("undo.unregistered", {})
    }
  }
  if (effects.length === 0) return { _tag: "Nothing" }
  const back = effects
    .map((step) => ({ step, undoes: step.action, by: step.compensation!, residue: step.reversibility === "K" }))
    .reverse()
  const late = back.filter(({ step }) => step.isTooLate === true)
  if (late.length === back.length) {
    return { _tag: "Hold", actions: late.map(({ undoes }) => undoes), why: PlanCodes.make("undo.too_late", {}) }
  }
  // A step whose time is over is left to a person, and the others do not wait for that.
  const inTime = back.filter(({ step }) => step.isTooLate !== true)
  return { _tag: "Backward", steps: [...inTime, ...late].map(({ step: _, ...each }) => each) }
}

/** Tells whether the effect of a step exists in the world. */
export const stands = ({ state }: SagaStep): boolean => standing.has(state)

const forward = (steps: ReadonlyArray<SagaStep>, point: SagaStep): SagaPlan => {
  const left = steps.filter((step) => incomplete.has(step.state))
  // A step that was never sent may be sent once. A step that was sent may be sent again only under a key.
  const unsafe = left.filter((step) => !step.repeatable && sent.has(step.state))
  if (unsafe.length > 0) {
    return {
      _tag: "Hold",
      actions: unsafe.map((step) => step.action),
      why: PlanCodes.make("undo.resend_unsafe", { pivot: point.action })
    }
  }
  if (left.length === 0) return { _tag: "Nothing" }
  return { _tag: "Forward", pivot: point.action, actions: left.map((step) => step.action) }
}

/** Tells whether the outcome of a step is still unknown. */
export const isUnsettled = (state: ActionState.State): boolean => unsettledStates.has(state)

/** States in which the effect exists in the world. */
const standing: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "committed",
  "partially_committed",
  "reconciled_success",
  "reconciliation_failed",
  "forward_recovery",
  "compensation_failed"
])

/** States in which the outcome is unknown. */
const unsettledStates: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "executing",
  "accepted",
  "pending",
  "unknown",
  "verification_timeout",
  "compensating",
  "review_required"
])

/** States in which a step is not complete. */
const incomplete: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "proposed",
  "validated",
  "partially_committed",
  "reconciliation_failed",
  "failed",
  "forward_recovery"
])

const sent: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "partially_committed",
  "reconciliation_failed",
  "forward_recovery"
])
