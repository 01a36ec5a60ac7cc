/**
 * The arrival window of a request: the time within which it may, by its contract, leave its sender and take effect.
 *
 * A sender drops a request `sendWithin` after it began the attempt. A request that left before takes effect within
 * `settleAfter`, or never. Before the window closes, "not found" proves nothing, and no key is given up.
 *
 * | moment, counted from the start of the attempt | afterwards |
 * | --- | --- |
 * | {@link leavesBy}: `sendWithin` | the sender drops the request |
 * | {@link answeredBy}: twice `sendWithin` | the sender no longer awaits an answer |
 * | {@link closesAt}: `sendWithin` and `settleAfter` | nothing of the attempt takes effect |
 *
 * @source docs/decisions/0036
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Limits from "../Limits.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"

type Timed = Pick<ToolContract.ToolContract, "times">

/**
 * The `sendWithin` of a contract in milliseconds: how long a sender may send, and how long it then awaits an answer.
 */
export const sendWithinOf = ({ times }: Timed): number => times.sendWithinMillis ?? Limits.deciding.sendWithinMillis

/** The length of the window, in milliseconds. An effect that is immediate needs no `settleAfter`. */
export const millisOf = (contract: Timed): number => sendWithinOf(contract) + (contract.times.settleAfterMillis ?? 0)

/** Tells whether the contract declares both times. Only then is the end of the window known. */
export const isDeclared = ({ times }: Timed): boolean =>
  times.sendWithinMillis !== undefined && times.settleAfterMillis !== undefined

/** The moment after which a sender drops the request, or aborts its open transaction. */
export const leavesBy = (contract: Timed, startedAt: number): number => startedAt + sendWithinOf(contract)

/**
 * The moment after which no sender can receive an answer: a sender that sent at the last moment awaits it for
 * `sendWithin` more.
 */
export const answeredBy = (contract: Timed, startedAt: number): number => startedAt + 2 * sendWithinOf(contract)

/** The moment after which nothing of an attempt can take effect. */
export const closesAt = (contract: Timed, startedAt: number): number => startedAt + millisOf(contract)

/**
 * The milliseconds that are left until a moment of an attempt. A leap of the clock does not count as time that
 * passed.
 */
export const left = (
  terms: DecisionTerms.DecisionTerms,
  { startedAt, until }: { readonly startedAt: number; readonly until: number }
): number => until - DecisionTerms.surely(terms, startedAt)
