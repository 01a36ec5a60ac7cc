/**
 * The next attempt of an action: the same request once more, under its key or under a new one.
 *
 * The attempt is durable before it is sent. Whether it may be sent at all is decided by `SendingAgain`.
 */
import type { Digest } from "@backstitch/trace/Digest"
import type { Decision } from "../decision/Decision.ts"
import type { ActionInFlight } from "./ActionInFlight.ts"
import { requestOf, strongOf } from "./ActionInFlight.ts"

/** Begins the next attempt under the same key or another one. The attempt is durable before it is sent (L5). */
export const attempt = (
  subject: ActionInFlight,
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
  const request = { ...requestOf(subject), key }
  const begins = { action: open.undoes ?? id, tool: open.tool, requestHash: open.requestHash ?? "", key }
  return {
    content: { sent: { action, stamp } },
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
