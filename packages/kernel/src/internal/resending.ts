/**
 * Sending again under the original key, as long as that is not blind.
 *
 * @since 0.1.0
 */
import type { Digest } from "@backstitch/trace/Digest"
import type { Decision } from "../Decision.ts"
import type * as Recovery from "../Recovery.ts"
import * as Sending from "../Sending.ts"
import * as Terms from "../Terms.ts"
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
  return {
    drafts: [Terms.draft(terms, { action, author: "kernel", type: "action.started" }, { stamp })],
    flush: "now",
    next: isLookedAt
      ? {
          _tag: "ReadBefore",
          request: { ...request, ...(open.undoes === undefined ? strongOf(subject.contract) : {}) }
        }
      : { _tag: "Call", request }
  }
}

/** Sends again under the original key, as long as the key is honoured. */
export const again = (terms: Terms.Terms, subject: Subject): Decision => {
  const stop = Sending.blind(terms, subject)
  return stop === undefined
    ? attempt(terms, subject, { isLookedAt: isLookedAt(subject), key: subject.open.key })
    : hold(terms, subject, stop)
}

/** What is there is looked at again where the key has done nothing: else it may be what the first attempt did. */
const isLookedAt = ({ contract, open }: Subject): boolean =>
  open.undoes !== undefined || (contract.status === "by_key" && contract.readback?.before !== undefined)
