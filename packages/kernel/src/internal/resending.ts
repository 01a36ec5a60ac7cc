/**
 * Sending again under the original key, as long as that is not blind.
 *
 * @since 0.1.0
 */
import type { Digest } from "@backstitch/trace/Digest"
import type { Decision } from "../Decision.ts"
import * as Keying from "../Keying.ts"
import * as Recovery from "../Recovery.ts"
import * as Terms from "../Terms.ts"
import { hold, requestOf } from "./settlement.ts"

type Subject = Recovery.Subject

/** Why sending again under the key would be blind, if it would. */
export const blind = (terms: Terms.Terms, { contract, open }: Subject): string | undefined => {
  if (open.adopted === true) return "another run did it, and nothing is sent from here"
  if ((open.attempts ?? 1) >= Recovery.sendsMax) return `it was sent ${open.attempts} times without an answer`
  const retention = contract.times.keyRetentionMillis
  // It may leave until `sendWithin` and arrive until `settleAfter`: the key has to be honoured then.
  const arrives = terms.now + Keying.sendWithinOf(contract) + (contract.times.settleAfterMillis ?? 0)
  return retention === undefined || arrives > (open.firstAt ?? open.startedAt ?? 0) + retention
    ? "its key is no longer honoured, so it cannot be sent again"
    : undefined
}

/** Sends again under the original key, as long as the key is honoured; the new attempt is durable first. */
export const again = (terms: Terms.Terms, subject: Subject): Decision => {
  const { id, open } = subject
  const stop = blind(terms, subject)
  if (stop !== undefined) return hold(terms, subject, stop)
  const action = {
    id,
    ...(open.requestHash === undefined ? {} : { requestHash: open.requestHash as Digest }),
    ...(open.target === undefined ? {} : { target: open.target })
  }
  return {
    drafts: [
      Terms.draft(
        terms,
        { action, author: "kernel", type: "action.started" },
        {
          stamp: open.key === undefined ? {} : { key: open.key }
        }
      )
    ],
    flush: "now",
    next: { _tag: isLookedAt(subject) ? "ReadBefore" : "Call", request: requestOf(terms, subject) }
  }
}

/** What is there is looked at again where the key has done nothing: else it may be what the first attempt did. */
const isLookedAt = ({ contract, open }: Subject): boolean =>
  open.undoes !== undefined || (contract.status === "by_key" && contract.readback?.before !== undefined)
