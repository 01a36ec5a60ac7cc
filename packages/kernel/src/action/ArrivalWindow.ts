/**
 * The arrival window of a request: the time in which it may leave its sender and take effect, by its contract.
 *
 * A sender drops a request `sendWithin` after it began the attempt, and what has left by then takes effect within
 * `settleAfter`. Before the window closes, "not found" proves nothing, and no key is given up.
 *
 * | moment, counted from the start of the attempt | afterwards |
 * | --- | --- |
 * | {@link leavesBy}: `sendWithin` | the sender drops the request |
 * | {@link answeredBy}: twice `sendWithin` | the sender awaits no answer any more |
 * | {@link closesAt}: `sendWithin` and `settleAfter` | nothing of the attempt takes effect |
 *
 * @source docs/decisions/0036
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as DecisionTerms from "../state/DecisionTerms.ts"

/** The time in which a sender sends and awaits an answer, where a contract does not say: 30 s. */
export const sendWithinMillis = 30_000

type Timed = Pick<ToolContract.ToolContract, "times">

/** The time in which a sender sends, and the time for which it then awaits an answer, in milliseconds. */
export const sendWithinOf = ({ times }: Timed): number => times.sendWithinMillis ?? sendWithinMillis

/** The length of the window, in milliseconds. What takes effect at once needs no `settleAfter`. */
export const millisOf = (contract: Timed): number => sendWithinOf(contract) + (contract.times.settleAfterMillis ?? 0)

/** Tells whether the contract declares both times: only then is it known when the window closes. */
export const isDeclared = ({ times }: Timed): boolean =>
  times.sendWithinMillis !== undefined && times.settleAfterMillis !== undefined

/** The moment after which a sender drops the request, or aborts the transaction that it holds open. */
export const leavesBy = (contract: Timed, startedAt: number): number => startedAt + sendWithinOf(contract)

/** The moment after which no sender can hear an answer: one that sent last of all awaits it as long again. */
export const answeredBy = (contract: Timed, startedAt: number): number => startedAt + 2 * sendWithinOf(contract)

/** The moment after which nothing of an attempt takes effect. */
export const closesAt = (contract: Timed, startedAt: number): number => startedAt + millisOf(contract)

/** The milliseconds that are left until a moment of an attempt. Time that the clock leapt over has not passed. */
export const left = (
  terms: DecisionTerms.DecisionTerms,
  { startedAt, until }: { readonly startedAt: number; readonly until: number }
): number => until - DecisionTerms.surely(terms, startedAt)
