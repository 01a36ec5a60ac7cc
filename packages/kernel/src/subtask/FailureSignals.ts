/**
 * Failure signals, normalized: the one signal of the closed vocabulary that a committed transition shows.
 *
 * | a transition | shows |
 * | --- | --- |
 * | `intent.refused` at authorship, contract or context | `contract_violation` |
 * | `intent.refused` at the schema or the required state | `missing_input` |
 * | `action.result` that is an error | `tool_exception`; `invalid_output` if the answer is no output of the tool |
 * | `intent.refused` at a guard, the policy, a budget, a key, a target or an approval | `denied` |
 * | `action.result` that is unknown | `timeout`; `invalid_output` if the answer cannot be read |
 * | `recovery.decided` on silence | `timeout` |
 * | `action.verified` that does not meet the contract | `reconciliation_failed` |
 * | `predicate.violation` | `contract_violation` |
 * | `kernel.anomaly` of an author | `contract_violation` |
 * | any other `kernel.anomaly` | `chain_exception` |
 *
 * A transition that none of these describes shows no failure.
 *
 * @source DART, definition 2 and appendix I.1
 */
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as FindingForm from "@backstitch/trace/FindingForm"
import type { Body } from "@backstitch/trace/Transition"
import * as Check from "../payload/Check.ts"
import * as Payload from "../payload/Payload.ts"

type Signal = FailureEvent.Signal

const bySteps: { readonly [S in Check.CommitPathStep]: Signal } = {
  authorship: "contract_violation",
  contract: "contract_violation",
  schema: "missing_input",
  required_state: "missing_input",
  guard: "denied",
  policy: "denied",
  budget: "denied",
  context: "contract_violation",
  key: "denied",
  target: "denied",
  approval: "denied"
}

/** Answers that arrived and are no valid output of the tool. */
const malformed: ReadonlySet<string> = new Set([
  "answer.malformed",
  "answer.too_large",
  "answer.unreadable",
  "value.not_json",
  "value.too_deep"
])

/** The signal that a transition shows; `undefined` if it shows no failure. */
export const of = (body: Body): Signal | undefined => {
  const own = Payload.read(body)
  switch (own.type) {
    case "intent.refused": {
      const [first] = Check.failing(own.data?.checks ?? [])
      return first === undefined ? "denied" : bySteps[first.step]
    }
    case "action.result":
      return own.data?.told === undefined ? ofAnswer(own.result) : undefined
    case "action.verified":
      return own.result?.status === "ok" && (own.data?.unmet ?? []).length === 0 ? undefined : "reconciliation_failed"
    case "recovery.decided":
      return own.data?.via === "silence" ? "timeout" : undefined
    case "predicate.violation":
      return "contract_violation"
    case "kernel.anomaly":
      return own.data.kind === "author" ? "contract_violation" : "chain_exception"
    default:
      return undefined
  }
}

const ofAnswer = (result: Body["result"]): Signal | undefined => {
  const output = result?.output
  const isMalformed = FindingForm.isFinding(output) && malformed.has(output.code)
  switch (result?.status) {
    case "error":
      return isMalformed ? "invalid_output" : "tool_exception"
    case "unknown":
      return isMalformed ? "invalid_output" : "timeout"
    default:
      return undefined
  }
}
