/**
 * Predicates that every run has, whatever its pack. They are about the kernel's transitions, not about an
 * institution's rules.
 *
 * | id | held from the first |
 * | --- | --- |
 * | `kernel.anomaly_free` | `kernel.anomaly` |
 * | `kernel.policy_compliant` | intent that policy denied |
 * | `kernel.budget_kept` | budget that could not cover a request |
 * | `kernel.outcomes_known` | action whose outcome was unknown |
 * | `kernel.effects_verified` | action that was settled otherwise than requested |
 * | `kernel.contract_kept` | predicate of the pack that held |
 *
 * They read single transitions, so they hold for good once they have held. Every fold latches `kernel.anomaly_free`
 * and `kernel.contract_kept`; the others are found in one pass. The onset of `kernel.contract_kept` is the transition
 * at which a predicate held, not the later report.
 *
 * @source Dendrer, sections 4.3, 4.6 and appendix C
 */
import type * as Rules from "@backstitch/reducer/Rules"
import type { Body } from "@backstitch/trace/Transition"
import * as OnsetQuestion from "../onset/OnsetQuestion.ts"
import * as Payload from "../payload/Payload.ts"

/** The id of a built-in predicate. */
export type Id =
  | "kernel.anomaly_free"
  | "kernel.budget_kept"
  | "kernel.contract_kept"
  | "kernel.effects_verified"
  | "kernel.outcomes_known"
  | "kernel.policy_compliant"

/** A built-in predicate, and the fact that violates it. */
export interface BuiltIn {
  readonly id: Id
  readonly violatedBy: (body: Body) => boolean
}

/** Every built-in predicate. */
export const all: ReadonlyArray<BuiltIn> = [
  {
    id: OnsetQuestion.anomalyFree,
    violatedBy: ({ type }) => type === "kernel.anomaly"
  },
  {
    id: "kernel.budget_kept",
    violatedBy: ({ type }) => type === "budget.exhausted"
  },
  {
    id: OnsetQuestion.contractKept,
    violatedBy: (body) =>
      body.type === "predicate.violation" &&
      !OnsetQuestion.isCrack(Payload.of(body, "predicate.violation")?.predicate ?? "")
  },
  {
    id: "kernel.effects_verified",
    violatedBy: ({ result, type }) => type === "action.reconciled" && result?.status !== "ok"
  },
  {
    id: "kernel.outcomes_known",
    violatedBy: ({ result, type }) => type === "action.result" && result?.status === "unknown"
  },
  {
    id: "kernel.policy_compliant",
    violatedBy: ({ policy }) => policy?.decision === "deny"
  }
]

/** The built-in predicate of an id, in a form that can be evaluated at every tick; `undefined` if there is none. */
export const find = (id: string): Rules.Predicate | undefined => {
  const found = all.find((builtIn) => builtIn.id === id)
  if (found === undefined) return undefined
  return {
    id,
    scope: undefined,
    window: "after",
    reads: [],
    each: undefined,
    monotone: "lift",
    holds: ({ transition }) => found.violatedBy(transition.body)
  }
}
