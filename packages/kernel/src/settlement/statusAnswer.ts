/**
 * The status of a key: it settles the action that was sent under the key, or the recovery table decides.
 *
 * | the system says of the key | the action |
 * | --- | --- |
 * | done | is read back, or settled; held if the key names another party's resource |
 * | refused | has failed |
 * | not found, while its request may still arrive | is asked about again |
 * | not found afterwards | is left to the table: it is sent again under the key, or held |
 * | under way | is asked about again for the time of the contract, and then left to the table |
 * | no answer | the same, if the contract sets that time; else left to the table at once |
 */

import * as Backoff from "@backstitch/contracts/Backoff"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Trust from "@backstitch/ledger/Trust"
import { type ActionInFlight, after, answeredWith, requestOf } from "../action/ActionInFlight.ts"
import * as ArrivalWindow from "../action/ArrivalWindow.ts"
import * as SendingAgain from "../action/SendingAgain.ts"
import type { Said } from "../decision/CommitContent.ts"
import { type Decision, go, wait } from "../decision/Decision.ts"
import * as DecisionRules from "../decision/DecisionRules.ts"
import type { Evidence } from "../decision/Evidence.ts"
import { readOf, shownBy } from "../decision/Evidence.ts"
import * as Limits from "../Limits.ts"
import * as Finding from "../payload/Finding.ts"
import { hold } from "../recovery/hold.ts"
import * as Recovery from "../recovery/Recovery.ts"
import * as DecisionTerms from "../state/DecisionTerms.ts"
import * as Undo from "../undo/Undo.ts"
import * as ScopeCheck from "../verification/ScopeCheck.ts"
import { failed, prove, undoingOf } from "./actionSettlement.ts"
import { again } from "./sendAgain.ts"

/** Decides on the status of the key. */
export const decideOnStatus = (
  subject: ActionInFlight,
  { askedAt = subject.terms.now, evidence }: { readonly evidence: Evidence; readonly askedAt?: number | undefined }
): Decision => {
  const { contract, id, open, terms } = subject
  const unsettled = (proven: boolean, why: Finding.Finding) => unanswered(subject, { evidence, proven, why })
  switch (evidence._tag) {
    case "Ok": {
      const scoping = ScopeCheck.of(subject, evidence.output)
      if (ScopeCheck.strays(scoping)) return astray(subject, { evidence, scoping })
      const answered: Said<"action.result"> = {
        action: { id },
        result: { basis: "status", output: evidence.output, status: "ok", trust: Trust.of("record") }
      }
      return prove(
        answeredWith(subject, { as: "done", at: terms.now, output: evidence.output }),
        { answered },
        "status"
      )
    }
    case "Error": {
      const answered: Said<"action.result"> = {
        action: { id },
        result: { basis: "status", output: evidence.error, status: "error", trust: Trust.of("record") }
      }
      return failed(subject, { error: evidence.error, basis: "status", before: { answered } })
    }
    case "NotFound": {
      if (!ToolContract.canBeAsked(contract)) return unsettled(false, Finding.make("status.untimed", {}))
      const { startedAt = terms.now } = open
      const proven = ArrivalWindow.closesAt(contract, startedAt)
      const left = ArrivalWindow.left(terms, { startedAt, until: proven })
      if (left > 0) {
        const until = terms.now + left
        return contract.asking.poll === undefined ? wait(id, until) : later(subject, until)!
      }
      // An answer describes the moment of its question, however long it was on its way or its reader paused.
      if (DecisionTerms.surely(terms, startedAt, askedAt) < proven)
        return go({ _tag: "Ask", request: requestOf(subject) })
      if (isForgotten(subject)) return unsettled(false, Finding.make("sending.key_expired", {}))
      const stop = SendingAgain.blind(subject)
      if (stop !== undefined) return unsettled(true, stop)
      return unsettled(true, Finding.make("status.not_found", {}))
    }
    case "Accepted":
    case "Pending":
      return later(subject) ?? unsettled(false, Finding.make("status.under_way", {}))
    case "Unknown": {
      // Without a deadline in the contract, a person is asked at once.
      const again = contract.asking.withinMillis === undefined ? undefined : later(subject)
      return again ?? unsettled(false, Finding.make("status.unanswered", { reason: evidence.reason }))
    }
  }
}

/**
 * Holds an action whose key names a resource of another party: nothing is believed, nothing is sent, and a person
 * looks.
 */
const astray = (
  subject: ActionInFlight,
  { evidence, scoping }: { readonly evidence: Evidence; readonly scoping: ScopeCheck.ScopeCheck }
): Decision => {
  const { terms } = subject
  const recovery = Recovery.ofReadback(subject, { evidence, predicates: [], scoping, until: terms.now })
  const data = { ...Recovery.toData(recovery), ...shownBy(evidence), via: "status" } as const
  const why = Finding.make("failure.found", Recovery.toArgs(recovery))
  const held = hold(after(subject), why, recovery)
  return { ...held, content: { recovery: Recovery.toContent(subject, recovery, data) } }
}

/** Tells whether the tool may have forgotten the key before it answered. The first rules take that key to be known. */
const isForgotten = ({ contract, open, state, terms: { now } }: ActionInFlight): boolean =>
  DecisionRules.binds(state, DecisionRules.keysForgottenMeanwhile) &&
  SendingAgain.isForgotten(contract, { at: now, firstAt: open.firstAt ?? open.startedAt ?? now })

/** Waits for the next moment at which to ask; `undefined` if the time is over. */
const later = ({ contract, id, open, terms }: ActionInFlight, until?: number): Decision | undefined => {
  const { settleAfterMillis, settleTimesMax } = Limits.deciding
  const settles = contract.times.settleAfterMillis ?? settleAfterMillis
  const { poll = Backoff.standard, withinMillis = settleTimesMax * settles } = contract.asking
  const since = open.startedAt ?? terms.now
  const end = until ?? since + withinMillis + terms.now - DecisionTerms.surely(terms, since)
  return terms.now < end ? wait(id, Math.min(end, Backoff.next(poll, { since, now: terms.now }))) : undefined
}

/** Lets the recovery table decide on an answer that settles nothing. */
const unanswered = (
  subject: ActionInFlight,
  { evidence, proven, why }: { readonly evidence: Evidence; readonly proven: boolean; readonly why: Finding.Finding }
): Decision => {
  const recovery = Recovery.ofStatus(subject, { evidence, proven })
  const undoing = undoingOf(subject, { recovery, actual: null, unmet: [why] })
  const data = { ...Recovery.toData(recovery), ...readOf(evidence), ...undoing, via: "status" } as const
  const said = Recovery.toContent(subject, recovery, data)
  if (undoing.plan !== undefined) {
    return Undo.begun(undoing.turns, { recovery: said })
  }
  if (recovery.decision.action === "retry_same_key") {
    return again(subject, said)
  }
  const held = hold(after(subject), why, recovery)
  return { ...held, content: { recovery: said } }
}
