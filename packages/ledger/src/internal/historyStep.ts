/**
 * What one transition does to the history of an action.
 *
 * @since 0.1.0
 */
import * as Canonical from "@backstitch/trace/Canonical"
import type { Outcome, Transition } from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import { type ActionHistory, believable, isMutating, type Moment, type Undo } from "../ActionHistory.ts"
import * as ActionState from "../ActionState.ts"
import * as OpenActions from "../OpenActions.ts"
import { approvalOf, keptOf, text, wordOf } from "./recorded.ts"

const momentOf = ({ stamp, tick }: Transition): Moment => ({ tick, at: stamp.asOf })

export const begin = (id: string, transition: Transition): ActionHistory | undefined => {
  const { body } = transition
  if (body.type !== "action.request") return undefined
  const moment = momentOf(transition)
  const proposed: ActionHistory = {
    id,
    tool: body.action?.tool ?? "",
    class: body.action?.class ?? "",
    params: body.action?.params ?? null,
    state: "proposed",
    visited: [{ ...moment, state: "proposed" }],
    refused: [],
    attempts: 0,
    undo: "standing",
    trust: 0,
    proposed: moment,
    ...(transition.envelope.trace === undefined ? {} : { trace: transition.envelope.trace }),
    ...(body.action?.undoes === undefined ? {} : { undoes: body.action.undoes }),
    ...OpenActions.reversesOf(body),
    ...(body.data?.["breakGlass"] === undefined ? {} : { isGlassBroken: true }),
    // What was imported is known by its key from the request on: it is not started here.
    ...(body.action?.target === undefined ? {} : { target: body.action.target }),
    ...(body.action?.requestHash === undefined ? {} : { requestHash: body.action.requestHash }),
    ...(transition.stamp.key === undefined ? {} : { key: transition.stamp.key })
  }
  return judged(proposed, transition)
}

/** A verdict of policy validates or ends an action. */
const judged = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body } = transition
  const approved = approvalOf(body.data?.["approval"])
  const known = approved === undefined ? self : { ...self, approval: approved }
  switch (body.policy?.decision) {
    case "allow":
      return known.state === "proposed"
        ? { ...enter(known, "validated", transition), validated: momentOf(transition) }
        : known
    case "deny":
      return enter(known, "failed", transition)
    default:
      return known
  }
}

export const evolve = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body } = transition
  const data = body.data ?? {}
  const discrepancy = text(data["discrepancy"])
  // What may still show is no discrepancy yet.
  const noted: ActionHistory = discrepancy === undefined || data["awaits"] === true ? self : { ...self, discrepancy }
  const named = text(data["state"])
  const changed = ((): ActionHistory => {
    switch (body.type) {
      case "policy.decision":
        return judged(noted, transition)
      case "intent.dropped":
        return enter(noted, "failed", transition)
      case "action.started":
        return startedAt(noted, transition)
      case "action.result":
        if (data["told"] !== undefined) return noted
        return observedAt(noted, transition, named === undefined && data["transaction"] === undefined)
      case "action.verified":
        if (data["absent"] === true) return { ...noted, undo: "absent", absent: momentOf(transition) }
        // Read before anything was sent: it says nothing of what came of it.
        if (data["before"] !== undefined) return noted
        if (data["verdict"] !== undefined) return insideAt(noted, transition)
        // That nothing remains of it moves nothing: the settlement says what it comes to.
        if (data["remains"] !== undefined) return noted.verified === undefined ? seenAt(noted, transition) : noted
        return verifiedAt(noted, transition, named === undefined)
      case "action.reconciled":
        return reconciledAt(noted, transition, named === undefined)
      case "recovery.decided":
        return decidedAt(
          data["freezes"] === true ? enter(noted, "review_required", transition) : stoppedAt(noted, data["stops"]),
          transition
        )
      case "review.requested":
        return {
          ...(named === undefined && data["subject"] !== "verification" && noted.state !== "reconciled_success"
            ? enter(noted, "review_required", transition)
            : noted),
          review: text(data["review"]) ?? String(transition.tick)
        }
      case "review.decided":
        return reviewedAt(noted, transition)
      case "kernel.anomaly":
        return anomalousAt(noted, transition)
      default:
        return noted
    }
  })()
  if (named === undefined) return changed
  return enter(changed, named, transition, body.type === "review.decided" ? "operator" : "kernel")
}

/** A plan that stops at an action waits for a person: the action is not undone, and stands for nobody until then. */
const stoppedAt = (self: ActionHistory, stops: unknown): ActionHistory =>
  stops === self.id && (self.undo === "standing" || self.undo === "undoing") ? { ...self, undo: "undo_failed" } : self

/** What recovery decided of an action, or of the action that its reversal stops at. */
const decidedAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { data = {} } = transition.body
  const [decision, incident] = [text(data["decision"]), text(data["incident"])]
  return {
    ...self,
    decided: momentOf(transition),
    ...(data["defers"] === true ? { deferred: true } : {}),
    ...(decision === undefined ? {} : { decision }),
    ...(incident === undefined ? {} : { incident })
  }
}

/** What is decided of an action concerns its reversal, where that stops, or where a person closes it. */
export const concern = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { data = {}, type } = transition.body
  if (type === "recovery.decided" && data["stops"] !== undefined) return decidedAt(self, transition)
  if (type !== "review.decided" || data["plan"] === undefined) return self
  if (data["reopens"] === self.id) return triedAgain(self, transition)
  if (data["undo"] === "attested") {
    if (self.state === "failed") return self
    const asked = enter(self, "review_required", transition)
    return { ...enter(asked, "reconciled_success", transition, "operator"), vouched: signed(transition) }
  }
  return self.state === "review_required" ? enter(self, "failed", transition, "operator") : self
}

/** A person has a reversal verified or sent again: what waited for them is pending. */
const triedAgain = (self: ActionHistory, transition: Transition): ActionHistory => {
  const again: ActionHistory = transition.body.data?.["resend"] === true ? { ...self, resent: true } : self
  if (self.state !== "review_required" && self.state !== "reconciliation_failed") return again
  return enter(enter(again, "review_required", transition), "pending", transition, "operator")
}

/** What a person decides waited for them, whether or not it had been asked. */
const reviewedAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { reopens, resend, state, undo } = transition.body.data ?? {}
  if (typeof reopens === "string") return reopenedAt(self, transition)
  if (undo === "attested") {
    return {
      ...reopenedAt(self, transition),
      undo,
      attested: signed(transition)
    }
  }
  const asked = state === undefined ? self : enter(self, "review_required", transition)
  if (resend === true) return { ...asked, resent: true }
  // Whoever gives an undoing up ends it: what it did not reach stands, and is told so.
  if (undo === "undo_failed") {
    return { ...asked, undo: "undo_abandoned", givenUp: signed(transition) }
  }
  if (undo === "standing") return { ...asked, undo, letStand: signed(transition) }
  return state === "reconciled_success" ? { ...asked, vouched: signed(transition) } : asked
}

/** Who decided, and on what evidence. */
const signed = ({ body: { data = {} } }: Transition) => ({
  by: text(data["by"]) ?? "",
  evidence: text(data["evidence"]) ?? ""
})

/** What was refused without a transition of its own: an answer that came after the settlement, and contradicts it. */
const anomalousAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { at, from, to } = transition.body.data ?? {}
  const isKnown = self.refused.some(({ tick }) => tick === at)
  if (isKnown || typeof from !== "string" || typeof to !== "string" || !isState(from) || !isState(to)) return self
  const refusal = new ActionState.MoveRefused({
    from,
    to,
    by: "kernel",
    needs: null,
    permitted: ActionState.next(from)
  })
  return { ...self, refused: [...self.refused, { ...momentOf(transition), refusal }] }
}

const startedAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body, stamp } = transition
  const moment = momentOf(transition)
  const { deferred, resent: _, ...begun } = self
  // It is proven that the attempt before did nothing: it has failed, and the retry policy begins another.
  const isOver = self.state === "forward_recovery" && self.decision === "retry_same_key"
  const over = isOver ? enter(begun, "failed", transition) : begun
  const again = over.state === "failed" ? enter(over, "validated", transition, "retry_policy") : over
  const isFirst = again.state === "proposed" || again.state === "validated"
  const review = text(body.data?.["review"])
  const running = isFirst ? enter(again, "executing", transition) : again
  return {
    ...running,
    attempts: deferred === true ? self.attempts : self.attempts + 1,
    validated: self.validated ?? moment,
    started: self.started ?? moment,
    ...(review === undefined ? {} : { review }),
    ...(stamp.key === undefined ? {} : { key: stamp.key }),
    ...(body.action?.target === undefined ? {} : { target: body.action.target }),
    ...(body.action?.requestHash === undefined ? {} : { requestHash: body.action.requestHash })
  }
}

const observedAt = (self: ActionHistory, transition: Transition, moves: boolean): ActionHistory => {
  const outcome: Outcome = transition.body.result ?? { status: "unknown" }
  // Reads and recorded effects have no durable start: their answer is the first that a trace shows of them.
  const running = self.started === undefined ? enter(self, "executing", transition) : self
  const stage = text(transition.body.data?.["stage"])
  const { accepted: _, ...before } = running
  const seen: ActionHistory = {
    ...before,
    observed: { ...momentOf(transition), outcome },
    trust: outcome.trust ?? running.trust,
    ...(stage === "accepted" ? { accepted: momentOf(transition) } : {})
  }
  // Sent again under its key: the answer counts once verification shows what came of it.
  if (!moves || (seen.state === "forward_recovery" && outcome.status !== "error")) return seen
  switch (outcome.status) {
    case "ok":
      if (stage === "accepted") return acceptedAt(seen, transition)
      return enter(seen, isMutating(self) && outcome.basis !== "recorded" ? "pending" : "committed", transition)
    case "error":
      return enter(seen, "failed", transition)
    case "unknown":
      return enter(seen, "unknown", transition)
    case "mismatch":
      return enter(seen, "reconciliation_failed", transition)
  }
}

/** Accepted is not committed; it is pending once a way to verify it is set. Sent again, it is pending already. */
const acceptedAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const taken = self.state === "executing" ? enter(self, "accepted", transition) : self
  return transition.body.data?.["verify"] === undefined ? taken : enter(taken, "pending", transition)
}

/** What was read inside and holds proves nothing before it is committed; what does not hold is known at once. */
const insideAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  if (transition.body.data?.["verdict"] === "commit") return self
  const seen = seenAt(self, transition)
  return transition.body.result?.status === "mismatch" ? enter(seen, "reconciliation_failed", transition) : seen
}

const seenAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const { body } = transition
  const outcome: Outcome = body.result ?? { status: "unknown" }
  const unmet = Array.isArray(body.data?.["unmet"]) ? body.data["unmet"].map(String) : []
  return {
    ...self,
    verified: { ...momentOf(transition), outcome, unmet },
    trust: Math.max(self.trust, outcome.trust ?? 0)
  }
}

const verifiedAt = (self: ActionHistory, transition: Transition, moves: boolean): ActionHistory => {
  const outcome: Outcome = transition.body.result ?? { status: "unknown" }
  const seen = seenAt(self, transition)
  if (!moves) return seen
  switch (outcome.status) {
    case "ok": {
      const late = ["reconciliation_failed", "partially_committed", "forward_recovery"].includes(self.state)
      return enter(seen, late ? "forward_recovery" : "committed", transition)
    }
    case "unknown":
      return polled.has(self.state) ? enter(seen, "verification_timeout", transition) : seen
    default: {
      if (recovering.has(self.state)) return seen
      const partly = seen.discrepancy === "partial_application"
      return enter(seen, partly ? "partially_committed" : "reconciliation_failed", transition)
    }
  }
}

/** States in which a read that did not answer means that verification ran out; in others nothing changes by it. */
const polled: ReadonlySet<ActionState.State> = new Set<ActionState.State>(["executing", "accepted", "pending"])

/** States in which a mismatch is what is being worked on. */
const recovering: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "compensating",
  "forward_recovery",
  "partially_committed",
  "review_required"
])

const settledBy: { readonly [Status in Outcome["status"]]: ActionState.State } = {
  ok: "reconciled_success",
  error: "failed",
  mismatch: "reconciliation_failed",
  unknown: "review_required"
}

const reconciledAt = (self: ActionHistory, transition: Transition, moves: boolean): ActionHistory => {
  const outcome: Outcome = transition.body.result ?? { status: "unknown" }
  const { unchecked } = transition.body.data ?? {}
  const seen = {
    ...self,
    reconciled: { ...momentOf(transition), outcome },
    trust: outcome.trust ?? self.trust,
    ...(Array.isArray(unchecked) ? { unchecked: unchecked.map(String) } : {}),
    ...keptOf(transition.body.data?.["kept"]),
    ...wordOf(transition.body.data?.["word"])
  }
  return moves ? enter(seen, settledBy[outcome.status], transition) : seen
}

/** Moves by the state machine; what it does not permit is kept as an anomaly and changes nothing. */
const enter = (
  self: ActionHistory,
  to: string,
  transition: Transition,
  by: ActionState.Mover = "kernel"
): ActionHistory => {
  if (!isState(to)) return self
  const moment = momentOf(transition)
  const path = ActionState.advance(self.state, to, by)
  if (Result.isFailure(path)) return { ...self, refused: [...self.refused, { ...moment, refusal: path.failure }] }
  const visits = path.success.map((state) => ({ ...moment, state }))
  return { ...self, state: to, visited: [...self.visited, ...visits] }
}

/** What a compensating action does to the one that it undoes. */
export const relate = (
  self: ActionHistory,
  before: ActionHistory | undefined,
  undoing: ActionHistory,
  transition: Transition
): ActionHistory => {
  if (before === undefined) {
    if (undoing.state === "failed") return self
    return compensate({ ...self, undo: "undoing", undoneBy: undoing.id }, "compensating", transition)
  }
  if (before.state === undoing.state || self.undoneBy !== undoing.id) return self
  switch (undoing.state) {
    case "reconciled_success": {
      const { trust, unchecked = [] } = undoing
      const proof = trust < believable ? { unproven: unchecked } : {}
      return compensate({ ...self, ...proof, undo: "undone" }, "compensated", transition)
    }
    case "pending":
      return before.state === "review_required" && self.undo === "undo_failed" ? reopenedAt(self, transition) : self
    case "failed":
    case "reconciliation_failed":
    case "review_required":
    case "abandoned":
      if (self.undo === "standing") return { ...self, ...doubted(self, undoing) }
      if (self.undo !== "undoing") return self
      return failedAt({ ...self, undo: "undo_failed", ...doubted(self, undoing) }, transition)
    default:
      return self
  }
}

/** What a call does to the action that a planner takes back with it: it moves nothing, and says whether that stands. */
export const reverse = (
  self: ActionHistory,
  before: ActionHistory | undefined,
  reversal: ActionHistory
): ActionHistory => {
  const { id, reverses, state, trust } = reversal
  if (before === undefined) {
    return self.undo === "standing" && state !== "failed" ? { ...self, undo: "undoing", undoneBy: id } : self
  }
  if (self.undo !== "undoing" || self.undoneBy !== id) return self
  switch (state) {
    case "reconciled_success": {
      if (reverses?.whole !== true || trust < verified) return { ...self, undo: "doubtful" }
      return { ...self, undo: "undone", ...(trust < believable ? { unproven: reversal.unchecked ?? [] } : {}) }
    }
    case "failed":
    case "rolled_back": {
      const { undoneBy: _, ...stands } = self
      return { ...stands, undo: "standing" }
    }
    case "abandoned":
      return { ...self, undo: "doubtful" }
    default:
      return self
  }
}

/** Actions that a fork shares, and that do not stand any more where it begins. */
export const undoneBefore = (
  histories: ReadonlyMap<string, ActionHistory>,
  transition: Transition
): ReadonlyArray<ActionHistory> => {
  const { data, type } = transition.body
  if (type !== "run.fork" || data?.["undone"] === undefined) return []
  return Object.entries(Canonical.objectOf(data["undone"])).flatMap(([action, about]) => {
    const self = histories.get(action)
    const { undo } = Canonical.objectOf(about)
    return self === undefined ? [] : [{ ...self, undo: undo as Undo, undoneBefore: momentOf(transition) }]
  })
}

/** Level of trust from which an undoing counts. */
const verified = 2

/** A person has its reversal verified again: it is being undone, as before they were asked. */
const reopenedAt = (self: ActionHistory, transition: Transition): ActionHistory => {
  const again: ActionHistory = { ...self, undo: "undoing" }
  if (self.state !== "compensation_failed" && self.state !== "review_required") return again
  const asked = self.state === "review_required" ? again : enter(again, "review_required", transition)
  return enter(enter(asked, "pending", transition, "operator"), "compensating", transition)
}

/** Where a person has decided meanwhile, the action is where they put it. */
const failedAt = (self: ActionHistory, transition: Transition): ActionHistory =>
  self.state === "compensating" ? enter(self, "compensation_failed", transition) : self

/** A reversal that was sent and not refused may have done its work: what was proven before it is proven no longer. */
const doubted = ({ trust }: ActionHistory, undoing: ActionHistory): Pick<ActionHistory, "trust"> => {
  const isRefused = undoing.observed?.outcome.status === "error" || undoing.reconciled?.outcome.basis === "status"
  return { trust: undoing.started === undefined || isRefused ? trust : Math.min(trust, 1) }
}

const compensate = (self: ActionHistory, to: ActionState.State, transition: Transition): ActionHistory =>
  self.state === "reconciled_success" ? self : enter(self, to, transition)

const isState = (name: string): name is ActionState.State =>
  (ActionState.states as ReadonlyArray<string>).includes(name)
