/**
 * The time within which an action is verified, and the findings when that time is over.
 *
 * An action is read back until the `within` of its contract or its class is over, counted from its answer. While its
 * effect may still arrive, it is read back until that cannot happen any more. A timeout is one of the call itself if
 * the call has no answer yet, and otherwise one of its verification.
 */
import * as VerificationLatency from "@backstitch/contracts/VerificationLatency"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import type { Evidence } from "../decision/Evidence.ts"
import type { ActionInFlight } from "./ActionInFlight.ts"
import * as ArrivalWindow from "./ArrivalWindow.ts"
import * as Compensation from "./Compensation.ts"

/**
 * Finds a timeout: the action is still under way when its time of verification is over. It may be reversed only if
 * the contract declares `sendWithin` and `settleAfter`. Otherwise it could take effect after its reversal.
 */
export const timeout = (
  subject: ActionInFlight,
  evidence: Evidence
): { readonly finding?: "verification_timeout"; readonly reversible?: boolean } => {
  if (!isUnderWay(evidence)) return {}
  const isReversible = ArrivalWindow.isDeclared(subject.contract) && Compensation.isReversible(subject, null)
  return { finding: "verification_timeout", reversible: isReversible }
}

/** Tells whether the call has no answer yet. If so, a timeout is one of its execution, not of its verification. */
export const isExecuting = ({ open }: Pick<ActionInFlight, "open">): boolean =>
  OpenAction.isUncertain(open) && !OpenAction.isAccepted(open)

/**
 * Finds a timeout of the execution: the status of the key says that the call is under way, so the status is asked for
 * again (rows 7 and 8 of Action Verification).
 */
export const pendingTimeout = (
  evidence: Evidence
): { readonly finding?: "pending_timeout"; readonly budgetLeft?: true } =>
  isUnderWay(evidence) ? { finding: "pending_timeout", budgetLeft: true } : {}

/**
 * Calculates until when an action is read back, in the time of the decision. A leap of the clock does not count as
 * time that passed.
 */
export const window = ({ contract, open, terms }: ActionInFlight, evidence: Evidence) => {
  const { poll, withinMillis } = VerificationLatency.schedule(contract)
  const { startedAt } = open
  const since = open.answer?.at ?? startedAt ?? terms.now
  const deadline = terms.now + ArrivalWindow.left(terms, { startedAt: since, until: since + withinMillis })
  // Without `settleAfter`, the contract only says how long the record is read.
  const isTimed = startedAt !== undefined && contract.times.settleAfterMillis !== undefined
  const proven = isTimed
    ? terms.now + ArrivalWindow.left(terms, { startedAt, until: ArrivalWindow.closesAt(contract, startedAt) })
    : deadline
  // Until the times of the contract are over, a record that is not found or is pending may still change.
  const isOpen = evidence._tag === "NotFound" || isUnderWay(evidence) || isExecuting({ open })
  return { deadline, poll, since, until: isOpen ? Math.max(deadline, proven) : deadline }
}

const isUnderWay = ({ _tag }: Evidence): boolean => _tag === "Pending" || _tag === "Accepted"
