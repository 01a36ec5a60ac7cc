/**
 * What a proposal comes to when a name that it needs is held elsewhere: by another run, or by another action.
 *
 * Nothing waits. The same act, done already, is adopted from the record; the
 * same key for another request is refused; what is still open is named.
 *
 * @source docs/decisions/0003
 * @since 0.1.0
 */
import type { Json } from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import * as Check from "./Check.ts"
import type { Decision } from "./Decision.ts"
import { end } from "./Decision.ts"
import type { Proposal } from "./Proposal.ts"
import * as Terms from "./Terms.ts"

/**
 * What became of the holder's action, as its trace says.
 *
 * @category models
 * @since 0.1.0
 */
export interface Holder {
  readonly action: string
  readonly requestHash: string | undefined
  readonly settled: { readonly tick: number; readonly status: string; readonly output: Json } | undefined
}

/**
 * Decides a proposal whose claim was refused.
 *
 * @category combinators
 * @since 0.1.0
 */
export const decide = (
  terms: Terms.Terms,
  command: {
    readonly proposal: Proposal
    readonly requestHash: string | undefined
    readonly refusal: Claims.ClaimRefused
    readonly holder: Holder | undefined
  }
): Decision => {
  const { holder, proposal, refusal, requestHash } = command
  const { run, tick } = refusal.holder
  const where = `${refusal.holder.owner} of run ${run}, tick ${tick}`
  if (refusal.namespace === "key" && holder !== undefined) {
    if (holder.requestHash !== requestHash) {
      return refuse(
        terms,
        proposal,
        Check.fail("key", refusal.name, {
          expected: "the same request under the same key",
          found: `${where} used this key for another request`,
          remedy: "propose the identical request, or set occurrence to ask for one more"
        })
      )
    }
    if (holder.settled?.status === "ok") {
      const adopted = { action: holder.action, run, tick: holder.settled.tick }
      return end({ _tag: "Done", tick: terms.tick, output: holder.settled.output, basis: "recorded", adopted }, [
        refusalDraft(terms, proposal, { adopted, reason: `already done by ${where}` })
      ])
    }
    return refuse(
      terms,
      proposal,
      Check.fail("key", refusal.name, {
        expected: "an act that nobody has begun",
        found: `${where} began it and has ${holder.settled === undefined ? "not settled it" : "failed"}`,
        remedy:
          holder.settled === undefined
            ? `settle run ${run} first: backstitch resume ${run}`
            : "set occurrence to ask for one more: that act has failed for good"
      })
    )
  }
  return refuse(
    terms,
    proposal,
    Check.fail(refusal.namespace === "target" ? "target" : "key", refusal.name, {
      expected: `a ${refusal.namespace} that is free`,
      found: `held by ${where}`,
      remedy: refusal.namespace === "target" ? `settle run ${run} first: backstitch resume ${run}` : "use another name"
    })
  )
}

const refuse = (terms: Terms.Terms, proposal: Proposal, check: Check.Check): Decision => {
  const reason = Check.reason([check])
  return end({ _tag: "Refused", tick: terms.tick, reason, checks: [check] }, [
    refusalDraft(terms, proposal, { checks: [check], reason })
  ])
}

const refusalDraft = (terms: Terms.Terms, proposal: Proposal, data: { readonly [name: string]: Json }) =>
  Terms.draft(terms, {
    author: "kernel",
    data: {
      ...data,
      proposed: proposal.type ?? "action.request",
      ...(proposal.tool === undefined ? {} : { params: proposal.params ?? {}, tool: proposal.tool })
    },
    ...(proposal.command === undefined ? {} : { intent: { command: proposal.command } }),
    type: "intent.refused"
  })
