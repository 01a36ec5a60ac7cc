/**
 * Sending again under the original key, as long as that is not blind.
 *
 * @since 0.1.0
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { State } from "@backstitch/reducer/State"
import type { Digest } from "@backstitch/trace/Digest"
import type { Decision } from "../Decision.ts"
import type * as Recovery from "../Recovery.ts"
import * as Sending from "../Sending.ts"
import type { Said } from "../Settlement.ts"
import type * as Terms from "../Terms.ts"
import * as UndoStep from "../UndoStep.ts"
import { hold, requestOf, strongOf } from "./settlement.ts"

type Subject = Recovery.Subject

/** Begins the next attempt under the key that it has, or another one; the attempt is durable before it is sent (L5). */
export const attempt = (
  terms: Terms.Terms,
  subject: Subject,
  about: { readonly isLookedAt: boolean; readonly key?: string | undefined }
): Decision => {
  const { id, open } = subject
  const { isLookedAt, key } = about
  const action = {
    id,
    ...(open.requestHash === undefined ? {} : { requestHash: open.requestHash as Digest }),
    ...(open.target === undefined ? {} : { target: open.target })
  }
  const stamp = key === undefined ? {} : { key }
  const request = { ...requestOf(terms, subject), key }
  const begins = { action: open.undoes ?? id, tool: open.tool, requestHash: open.requestHash ?? "", key }
  return {
    settlement: { sent: { action, stamp } },
    names: { begins },
    flush: "now",
    next: isLookedAt
      ? {
          _tag: "ReadBefore",
          request: { ...request, ...(open.undoes === undefined ? strongOf(subject.contract) : {}) }
        }
      : { _tag: "Call", request: key === open.key ? { ...request, resent: true } : request }
  }
}

/**
 * Sends again under the original key, as long as the key is honoured. What a reversal undoes is asked about before;
 * that nothing of it is under way is on record by then, with what was decided about it, if that was.
 */
export const again = (
  terms: Terms.Terms,
  state: State,
  subject: Subject,
  said?: Said<"recovery.decided">
): Decision => {
  const { contract, id, open } = subject
  const tick = said === undefined ? terms.tick : terms.tick + 1
  const stop = Sending.blind(terms, subject)
  if (stop === undefined && open.undoes !== undefined) {
    const recovery: Said<"recovery.decided"> = { action: { id }, data: { ...said?.data, due: true } }
    return { ...UndoStep.again(terms, state, subject), settlement: { recovery }, flush: "now" }
  }
  const decision =
    stop === undefined
      ? attempt({ ...terms, tick }, subject, { isLookedAt: isLookedAt(contract), key: open.key })
      : hold({ ...terms, tick }, subject, stop)
  return said === undefined ? decision : { ...decision, settlement: { ...decision.settlement, recovery: said } }
}

/** What is there is looked at again where the key has done nothing: else it may be what the first attempt did. */
const isLookedAt = ({ readback, status }: ToolContract.ToolContract): boolean =>
  status === "by_key" && readback?.before !== undefined
