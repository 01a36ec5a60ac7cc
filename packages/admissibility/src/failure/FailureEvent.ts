/**
 * Observable failures in a normalised form: the tick, the action, and one signal of a closed vocabulary.
 *
 * Providers and tools fail in many ways, and recovery may not depend on the difference: at one place, all signals
 * lead to one decision. A failure that was not observed at an action boundary is not treated here.
 *
 * | signal | raw forms |
 * | --- | --- |
 * | `tool_exception` | the tool refused, threw, or answered with an error |
 * | `timeout` | no answer within the time of the contract, so the outcome is unknown |
 * | `denied` | a guard, the policy, a budget or a person refused the intent |
 * | `missing_input` | a declared input of the skeleton, or an argument of the tool, is absent |
 * | `invalid_output` | the answer does not fit the schema of the tool |
 * | `chain_exception` | the agent or the runtime failed between two actions |
 * | `contract_violation` | a predicate, a condition or an authorship rule of the contract was broken |
 * | `reconciliation_failed` | the system of record contradicts the intent |
 *
 * @source DART, definition 2 and appendix I.1
 */
import type { Json } from "@backstitch/trace/Canonical"

/** The closed vocabulary of signals. */
export const signals = [
  "tool_exception",
  "timeout",
  "denied",
  "missing_input",
  "invalid_output",
  "chain_exception",
  "contract_violation",
  "reconciliation_failed"
] as const

/** A normalized signal. */
export type Signal = (typeof signals)[number]

/** A failure at an action boundary: the tick, the state of the agent, the tool that failed, and the signal. */
export interface FailureEvent {
  readonly tick: number
  readonly state: string
  readonly tool: string
  readonly signal: Signal
  /** The entity that the action's arguments name, if the skeleton finds one in them. */
  readonly entity?: Json | undefined
}
