/** The time in which an action is verified, and what it means that it is over. */
import * as VerificationLatency from "@backstitch/contracts/VerificationLatency"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import type { State } from "@backstitch/reducer/State"
import type { Evidence } from "../decision/Evidence.ts"
import * as RequestIdentity from "../names/RequestIdentity.ts"
import * as DecisionContext from "../state/DecisionContext.ts"
import type { Subject } from "./ActionInFlight.ts"
import * as Compensation from "./Compensation.ts"

/**
 * What is still under way when its time is over has timed out. It is reversed only where the contract declares its
 * times: else nobody knows until when it may still arrive.
 */
export const timeout = (
  state: State,
  subject: Subject,
  evidence: Evidence
): { readonly finding?: "verification_timeout"; readonly reversible?: boolean } => {
  if (!isUnderWay(evidence)) return {}
  const { sendWithinMillis, settleAfterMillis } = subject.contract.times
  const isTimed = sendWithinMillis !== undefined && settleAfterMillis !== undefined
  return { finding: "verification_timeout", reversible: isTimed && Compensation.isReversible(state, subject, null) }
}

/** Tells whether nobody has answered the call: what its key's record says is of the execution, not of verification. */
export const isExecuting = ({ open }: Pick<Subject, "open">): boolean =>
  OpenAction.isUncertain(open) && !OpenAction.isAccepted(open)

/** A call that timed out and is under way by the record of its key is asked about on (rows 7 and 8). */
export const pendingTimeout = (
  evidence: Evidence
): { readonly finding?: "pending_timeout"; readonly budgetLeft?: true } =>
  isUnderWay(evidence) ? { finding: "pending_timeout", budgetLeft: true } : {}

/** The moment that has surely come, counted from the start of an action. */
export const surelySince = (terms: DecisionContext.DecisionContext, { startedAt }: OpenAction.OpenAction): number =>
  DecisionContext.surely(terms, startedAt ?? terms.now)

/** Until when an action is read back, in the time of the decision: what the clock leapt meanwhile has not passed. */
export const window = (
  terms: DecisionContext.DecisionContext,
  { contract, open }: Pick<Subject, "contract" | "open">,
  evidence: Evidence
) => {
  const { poll, withinMillis } = VerificationLatency.schedule(contract)
  const { settleAfterMillis } = contract.times
  // A sender drops the request after its time, declared or not; what settles counts from then.
  const arrives = settleAfterMillis === undefined ? 0 : RequestIdentity.sendWithinOf(contract) + settleAfterMillis
  const since = open.answer?.at ?? open.startedAt ?? terms.now
  const deadline = since + withinMillis + terms.now - DecisionContext.surely(terms, since)
  const proven = terms.now + (open.startedAt ?? 0) + arrives - surelySince(terms, open)
  // Before its times are over, what is not there and what is under way may still come.
  const isOpen = evidence._tag === "NotFound" || isUnderWay(evidence) || isExecuting({ open })
  return { deadline, poll, since, until: isOpen ? Math.max(deadline, proven) : deadline }
}

const isUnderWay = ({ _tag }: Evidence): boolean => _tag === "Pending" || _tag === "Accepted"
