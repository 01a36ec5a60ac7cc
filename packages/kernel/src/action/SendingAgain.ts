/**
 * Rules for sending a request again under its key, and the cases in which that would be blind.
 *
 * A tool recognises a repetition as long as it honours the key. A request is not sent again in three cases: it could
 * arrive after that time, another run has sent it, or it was sent too often without an answer.
 *
 * @source docs/decisions/0036
 */
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as Limits from "../Limits.ts"
import * as Finding from "../payload/Finding.ts"
import type { ActionInFlight } from "./ActionInFlight.ts"
import * as ArrivalWindow from "./ArrivalWindow.ts"

/** Tells why sending again under the key would be blind; `undefined` if it would not be. */
export const blind = (subject: ActionInFlight): Finding.Finding | undefined => {
  const { open } = subject
  if (open.adopted === true) return Finding.make("sending.adopted", {})
  const { attempts = 1, renewed = 0 } = open
  if (attempts - renewed >= Limits.deciding.sendsMax) return Finding.make("sending.exhausted", { attempts })
  return isRemembered(subject) ? undefined : Finding.make("sending.key_expired", {})
}

/** Tells whether a request that is sent now takes effect while its key is still honoured. */
export const isRemembered = ({ contract, open, terms }: ActionInFlight): boolean => {
  const retention = contract.times.keyRetentionMillis
  // The request may leave until `sendWithin` and arrive until `settleAfter`, so the key has to be honoured until
  // then.
  const arrives = ArrivalWindow.closesAt(contract, terms.now)
  return retention !== undefined && arrives <= (open.firstAt ?? open.startedAt ?? 0) + retention
}

/** Tells whether a key may be forgotten by a moment: then "not found" proves nothing about what was sent under it. */
export const isForgotten = (
  { times }: Pick<ActionInFlight["contract"], "times">,
  { at, firstAt }: { readonly at: number; readonly firstAt: number }
): boolean => times.keyRetentionMillis !== undefined && at >= firstAt + times.keyRetentionMillis

/**
 * Finds the moment until which a request that was begun may still take effect; `undefined` if it cannot any more. Until
 * then "not found" proves nothing.
 *
 * **Gotchas**
 *
 * This holds for a call that is put off (`deferred`), too: another process may have sent it before this one read that
 * it was put off.
 */
export const arrivesUntil = ({ contract, open, terms }: ActionInFlight): number | undefined => {
  const { answer, heard, startedAt, transaction } = open
  if (startedAt === undefined || !OpenAction.isBegun(open)) return undefined
  // A refusal of an earlier attempt does not apply to the last one.
  const isRefused = heard === "answer" && answer?.as === "refused"
  if (isRefused || concluded.some((each) => each === transaction)) return undefined
  const left = ArrivalWindow.left(terms, { startedAt, until: ArrivalWindow.closesAt(contract, startedAt) })
  return left > 0 ? terms.now + left : undefined
}

/** The states of a local transaction that no process will commit any more. */
const concluded = ["committed", "freeze", "roll_back"]
