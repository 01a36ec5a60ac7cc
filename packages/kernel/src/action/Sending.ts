/**
 * Sending a request again under the key that it had, and what makes that blind.
 *
 * A key recognises a repetition as long as its tool honours it. A request that could arrive later than that, that
 * another run has sent, or that was sent often enough without an answer is not sent again.
 *
 * @source docs/decisions/0036
 */
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import type { Subject } from "./ActionInFlight.ts"
import * as ArrivalWindow from "./ArrivalWindow.ts"

/**
 * The number of times that a request is sent before a person has to decide whether it is tried again, the first time
 * included.
 */
export const sendsMax = 8

/** Tells why sending again under the key would be blind, if it would. */
export const blind = (terms: DecisionTerms.DecisionTerms, { contract, open }: Subject): Finding.Finding | undefined => {
  if (open.adopted === true) return Finding.make("sending.adopted", {})
  const { attempts = 1, renewed = 0 } = open
  if (attempts - renewed >= sendsMax) return Finding.make("sending.exhausted", { attempts })
  return isRemembered(terms, { contract, open }) ? undefined : Finding.make("sending.key_expired", {})
}

/** Tells whether a request that is sent now takes effect while its key is still honoured. */
export const isRemembered = (
  terms: DecisionTerms.DecisionTerms,
  { contract, open }: Pick<Subject, "contract" | "open">
): boolean => {
  const retention = contract.times.keyRetentionMillis
  // It may leave until `sendWithin` and arrive until `settleAfter`: the key has to be honoured then.
  const arrives = ArrivalWindow.closesAt(contract, terms.now)
  return retention !== undefined && arrives <= (open.firstAt ?? open.startedAt ?? 0) + retention
}

/**
 * Finds the moment until which a request that was begun may still take effect; `undefined` where it cannot. A request
 * that one process deferred may have been sent by another, so "not found" within this time proves nothing.
 */
export const arrivesUntil = (
  terms: DecisionTerms.DecisionTerms,
  { contract, open }: Pick<Subject, "contract" | "open">
): number | undefined => {
  const { answer, heard, startedAt, transaction } = open
  if (startedAt === undefined || !OpenAction.isBegun(open)) return undefined
  // What was refused before the last attempt says nothing of that.
  const isRefused = heard === "answer" && answer?.as === "refused"
  if (isRefused || concluded.some((each) => each === transaction)) return undefined
  const left = ArrivalWindow.left(terms, { startedAt, until: ArrivalWindow.closesAt(contract, startedAt) })
  return left > 0 ? terms.now + left : undefined
}

/** The states of a local transaction that nobody commits any more. */
const concluded = ["committed", "freeze", "roll_back"]
