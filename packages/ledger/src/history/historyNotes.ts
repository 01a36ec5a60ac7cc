/** Notes of a history beside its moves: times, evidence, attempts, and decisions of people. */

import { defined } from "@backstitch/trace/Defined"
import type { Outcome, Transition } from "@backstitch/trace/Transition"
import * as ActionState from "../machine/ActionState.ts"
import * as Trust from "../machine/Trust.ts"
import type * as ActionMoves from "../moves/ActionMoves.ts"
import * as EffectStatus from "../moves/EffectStatus.ts"
import * as Payload from "../payload/Payload.ts"
import type { ActionHistory, Moment, Readings } from "./ActionHistory.ts"

const momentOf = ({ stamp, tick }: Transition): Moment => ({ tick, at: stamp.asOf })

/** The history of an action begins with its request and with no other fact. */
export const begin = (id: string, transition: Transition): ActionHistory | undefined => {
  const { body, envelope, stamp } = transition
  if (body.type !== "action.request") return undefined
  const { class: sideEffect = "", params = null, requestHash, target, tool = "", undoes } = body.action ?? {}
  const { approval, breakGlass, reverses } = Payload.of(body, "action.request") ?? {}
  return {
    id,
    tool,
    class: sideEffect,
    params,
    state: "proposed",
    visited: [],
    refused: [],
    attempts: 0,
    undo: "standing",
    trust: Trust.of("none"),
    proposed: momentOf(transition),
    principal: body.agent ?? body.author,
    ...defined({ trace: envelope.trace, undoes, reverses }),
    ...(breakGlass === undefined ? {} : { isGlassBroken: true }),
    // An imported action has its key from its request on, because it is not started here.
    ...defined({ target, requestHash, key: stamp.key }),
    ...(body.policy?.decision === "deny" ? { dropped: momentOf(transition) } : {}),
    ...approved(approval)
  }
}

type Asked = (typeof Payload.payloads)["action.request"]["Type"]

const approved = (approval: Asked["approval"]): Pick<ActionHistory, "approval"> => {
  if (approval === undefined) return {}
  const { approver = null, expiresAt = null, id, requestHash = null } = approval
  return { approval: { id, approver, requestHash, expiresAt } }
}

/** Logs a move: the states entered, or the refusal. */
export const entered = (self: ActionHistory, move: ActionMoves.Move, transition: Transition): ActionHistory => {
  const moment = momentOf(transition)
  const { refused: refusal, states } = move
  if (refusal?._tag === "MoveRefused") return { ...self, refused: [...self.refused, { ...moment, refusal }] }
  const isValidated = self.validated === undefined && states.includes("validated")
  return {
    ...self,
    state: states.at(-1) ?? self.state,
    visited: [...self.visited, ...states.map((state) => ({ ...moment, state }))],
    ...(isValidated ? { validated: moment } : {})
  }
}

/** Adds to a history the fields that a transition gives it, beside its state. */
export const note = (self: ActionHistory, transition: Transition): ActionHistory => {
  if (self.lookedAt === undefined) return noted(self, transition)
  const { lookedAt, ...known } = self
  return noted(isStopped(lookedAt, transition) ? unsent(known) : known, transition)
}

const noted = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body } = transition
  switch (body.type) {
    case "intent.dropped":
      return { ...self, dropped: momentOf(transition) }
    case "action.asked":
      return { ...self, asked: momentOf(transition) }
    case "action.started":
      return started(self, transition)
    case "action.result":
      return Payload.of(body, "action.result")?.told === undefined ? observed(self, transition) : self
    case "action.verified":
      return verified(self, transition)
    case "action.reconciled":
      return reconciled(self, transition)
    case "recovery.decided": {
      const { discrepancy, awaits } = Payload.of(body, "recovery.decided") ?? {}
      // The record may still show the effect, so there is no discrepancy yet.
      return decided(awaits === true ? self : differing(self, discrepancy), transition)
    }
    case "review.requested":
      return { ...self, review: Payload.of(body, "review.requested")?.review ?? String(transition.tick) }
    case "review.decided":
      return reviewed(self, transition)
    case "kernel.anomaly":
      return anomalous(self, transition)
    default:
      return self
  }
}

/**
 * Tells whether the record before a call stopped it: the same commit settles the action, or decides on its recovery
 * by that record alone. An answer or a later read has a way by which it came.
 */
const isStopped = (lookedAt: Moment, { body, tick }: Transition): boolean => {
  if (tick !== lookedAt.tick + 1) return false
  if (body.type === "action.reconciled") return true
  const { decision, stop, via } = Payload.of(body, "recovery.decided") ?? {}
  return via === undefined && (decision !== undefined || stop !== undefined)
}

/** Takes an attempt back that was not sent. */
const unsent = (self: ActionHistory): ActionHistory => ({ ...self, attempts: Math.max(0, self.attempts - 1) })

const differing = (self: ActionHistory, discrepancy: string | undefined): ActionHistory =>
  discrepancy === undefined ? self : { ...self, discrepancy }

const started = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body, stamp } = transition
  const moment = momentOf(transition)
  const { deferred: _, resent: __, ...begun } = self
  const { actor, review } = Payload.of(body, "action.started") ?? {}
  const { requestHash, target } = body.action ?? {}
  return {
    ...begun,
    attempts: self.attempts + 1,
    started: self.started ?? moment,
    ...(actor === undefined || actor === "" ? {} : { principal: actor }),
    ...defined({ review, key: stamp.key, target, requestHash })
  }
}

const observed = (self: ActionHistory, transition: Transition): ActionHistory => {
  const outcome: Outcome = transition.body.result ?? { status: "unknown" }
  const { accepted: _, ...before } = self
  const { delivery, stage } = Payload.of(transition.body, "action.result") ?? {}
  const via = delivery !== undefined ? "webhook" : outcome.basis === "status" ? "status" : undefined
  return {
    ...before,
    observed: { ...momentOf(transition), outcome, ...defined({ via }) },
    trust: outcome.trust ?? self.trust,
    ...(stage === "accepted" ? { accepted: momentOf(transition) } : {})
  }
}

const verified = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { absent, before, discrepancy, remains, undoing, verdict } =
    Payload.of(transition.body, "action.verified") ?? {}
  if (absent === true) return { ...self, absent: momentOf(transition) }
  // A read before the sending, or inside an open transaction, does not show the outcome.
  if (before !== undefined && undoing === undefined) {
    return { ...differing(self, discrepancy), lookedAt: momentOf(transition) }
  }
  if (before !== undefined || verdict === "commit") return differing(self, discrepancy)
  if (remains !== undefined && self.verified !== undefined) return differing(self, discrepancy)
  return seen(differing(self, discrepancy), transition)
}

const seen = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body } = transition
  const outcome: Outcome = body.result ?? { status: "unknown" }
  const { unmet = [], ...reading } = Payload.of(body, "action.verified") ?? {}
  return {
    ...self,
    verified: { ...momentOf(transition), ...readings(outcome, reading), outcome, unmet },
    trust: Math.max(self.trust, outcome.trust ?? 0)
  }
}

type Verified = (typeof Payload.payloads)["action.verified"]["Type"]

const readings = (outcome: Outcome, { read, source, sources = [] }: Verified): Readings => ({
  ...defined({ source }),
  ...(sources.length === 0 ? {} : { others: sources.map((each) => each.source) }),
  ...(outcome.status === "unknown" && read === undefined ? { isUnread: true } : {})
})

const reconciled = (self: ActionHistory, transition: Transition): ActionHistory => {
  const outcome: Outcome = transition.body.result ?? { status: "unknown" }
  const { kept, unchecked, undo, word } = Payload.of(transition.body, "action.reconciled") ?? {}
  return {
    ...self,
    reconciled: { ...momentOf(transition), outcome },
    trust: outcome.trust ?? self.trust,
    ...defined({ unchecked, kept, undoEndsAt: undo?.endsAt, word })
  }
}

/** Notes a decision of recovery about the action, or about its reversal if the plan stops there. */
const decided = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { decision, defers, incident, policyVersion } = Payload.of(transition.body, "recovery.decided") ?? {}
  return {
    ...self,
    decided: momentOf(transition),
    ...defined({ policyVersion }),
    ...(defers === true ? { deferred: true } : {}),
    ...defined({ decision, incident })
  }
}

const reviewed = (self: ActionHistory, { body }: Transition): ActionHistory => {
  const { as, reopens, state, undo } = Payload.of(body, "review.decided") ?? {}
  if (reopens !== undefined) return self
  if (undo === "attested") return { ...self, attested: signed(body) }
  if (as === "resent") return { ...self, resent: true }
  // An abandoned undoing is over. Effects that it did not reach may stand, and are reported so.
  if (undo === "undo_abandoned") return { ...self, givenUp: signed(body) }
  if (undo === "standing") {
    // It was proven before a part was taken back. That it stands now is a person's word.
    const trust = self.undo === "doubtful" ? Math.min(self.trust, Trust.of("word")) : self.trust
    return { ...self, trust, letStand: signed(body) }
  }
  return state === "reconciled_success" ? { ...self, vouched: signed(body) } : self
}

/** Reads the person who decided a review, and their evidence. */
const signed = (body: Transition["body"]) => {
  const { by = "", evidence = "" } = Payload.of(body, "review.decided") ?? {}
  return { by, evidence }
}

/** Notes a refused answer that came after the settlement and contradicts it. The anomaly is its only transition. */
const anomalous = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { at, from, to } = Payload.of(transition.body, "kernel.anomaly") ?? {}
  const isKnown = self.refused.some(({ tick }) => tick === at)
  if (isKnown || !ActionState.isOne(from) || !ActionState.isOne(to)) return self
  const refusal = new ActionState.MoveRefused({
    from,
    to,
    by: "kernel",
    needs: null,
    permitted: ActionState.next(from)
  })
  return { ...self, refused: [...self.refused, { ...momentOf(transition), refusal }] }
}

/** Notes, on a reversal, a decision about its original: the plan stops, or a person reopens or closes it. */
export const concern = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body } = transition
  if (body.type === "recovery.decided") {
    return Payload.of(body, "recovery.decided")?.stops === undefined ? self : decided(self, transition)
  }
  if (body.type !== "review.decided") return self
  const { as, plan, reopens, undo } = Payload.of(body, "review.decided") ?? {}
  if (plan === undefined) return self
  if (reopens === self.id) return as === "resent" ? { ...self, resent: true } : self
  return undo === "attested" && self.state !== "failed" ? { ...self, vouched: signed(body) } : self
}

/** Sets whether the effect of an action stands, and lists the checks that an unproven undoing omitted. */
export const relate = (
  { undoneBy: _, ...self }: ActionHistory,
  { undo, undoneBy }: EffectStatus.EffectChange,
  undoing: ActionHistory | undefined
): ActionHistory => ({
  ...self,
  undo,
  ...defined({ undoneBy }),
  ...(undo === "undone" && (undoing?.trust ?? 0) < Trust.believable ? { unproven: undoing?.unchecked ?? [] } : {})
})

/** A reversal that was sent and not refused may have had its effect, so an earlier proof no longer holds. */
export const doubt = (
  self: ActionHistory,
  before: ActionHistory | undefined,
  undoing: ActionHistory
): ActionHistory => {
  const isPending = self.undo === "standing" || self.undo === "undoing"
  if (before === undefined || before.state === undoing.state || self.undoneBy !== undoing.id) return self
  if (!isPending || !EffectStatus.isFailing(undoing.state)) return self
  const isRefused = undoing.observed?.outcome.status === "error" || undoing.reconciled?.outcome.basis === "status"
  return undoing.started === undefined || isRefused ? self : { ...self, trust: Math.min(self.trust, Trust.of("word")) }
}

/** The histories of actions that are not over where a fork begins, and that it leaves to its parent. */
export const leftBehind = (
  unsettled: ReadonlyArray<ActionHistory>,
  transition: Transition
): ReadonlyArray<ActionHistory> => {
  const run = Payload.of(transition.body, "run.fork")?.parent
  return run === undefined ? [] : unsettled.map((self) => ({ ...self, left: { ...momentOf(transition), run } }))
}

/** Actions that a fork shares, and whose effects no longer stand when it begins. */
export const undoneBefore = (
  histories: ReadonlyMap<string, ActionHistory>,
  transition: Transition
): ReadonlyArray<ActionHistory> =>
  EffectStatus.inherited(transition).flatMap(({ action, undo }) => {
    const self = histories.get(action)
    return self === undefined ? [] : [{ ...self, undo, undoneBefore: momentOf(transition) }]
  })
