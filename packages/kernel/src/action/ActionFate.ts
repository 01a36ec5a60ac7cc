/**
 * The fate of an action, by the trace of its run.
 *
 * The record answers where an act was done before, by this run or by another
 * one. A state keeps no answers of tools, so the fate is read from the
 * transitions of the run that did the act.
 *
 * @source docs/decisions/0003, 0018
 */

import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"

/**
 * The fate of an action by its trace. `output` is the latest that is known of it: `observed` is the answer of its tool,
 * `actual` the record that was read.
 */
export interface ActionFate {
  readonly status: "ok" | "error" | "mismatch" | "unknown"
  readonly output: Json
  readonly observed?: Json | undefined
  readonly actual?: Json | undefined
  /** The tick at which it was settled. */
  readonly settled?: number | undefined
  /**
   * The action that undid it, and the tick at which that was verified; itself, where it was gone by then, or a person
   * attests that it is.
   */
  readonly undone?: { readonly action: string; readonly tick: number } | undefined
  /** The action by which a planner took back a part of it, or all of it on its tool's word, and when that settled. */
  readonly doubtful?: { readonly action: string; readonly tick: number } | undefined
  /** The decision by which a person gave its undoing up, and the reversal that had begun: the act may stand, or not. */
  readonly givenUp?: { readonly action: string; readonly tick: number } | undefined
  /** The tick of an open review, because evidence after the settlement contradicts it. */
  readonly disputed?: number | undefined
  /** The outcome that its provider has told since the action was given up. */
  readonly told?: "done" | "failed" | undefined
  /** The beginning of its undoing, wanted or under way, as long as that has not ended. */
  readonly undoing?: { readonly tick: number; readonly at: number } | undefined
  /** The start of a reversal that was given up before anybody knew its outcome, and may still take effect. */
  readonly arriving?: number | undefined
}

/** Reads the fate of an action from the trace of its run. */
export const of = (transitions: Iterable<Transition>, action: string): ActionFate => {
  let found: ActionFate = { status: "unknown", output: null }
  const undoing = new Set<string>()
  const planners = new Map<string, boolean>()
  let sent: number | undefined
  for (const transition of transitions) {
    const { body, tick } = transition
    const { id = "", undoes } = body.action ?? {}
    const reverses = Payload.of(body, "action.request")?.reverses
    const isReversal = reverses?.action === action
    if (undoes === action || isReversal) undoing.add(id)
    if (isReversal) planners.set(id, reverses.whole)
    if (isReversal) found = { ...found, undoing: { tick, at: transition.stamp.asOf } }
    found = { ...found, undoing: undoingBy(found.undoing, transition, action) }
    const shared = EffectStatus.inherited(transition).find((each) => each.action === action)
    if (shared !== undefined) {
      const by = { action: shared.undoneBy ?? action, tick }
      found = { ...found, ...(EffectStatus.isGone(shared) ? { undone: by } : { doubtful: by }) }
    }
    if (id === action) found = disputedBy(found, transition)
    const isSettlement = body.type === "action.reconciled"
    if (undoing.has(id)) sent = sentBy(sent, transition)
    const isWhole = planners.get(id)
    if (isSettlement && isWhole !== undefined) found = { ...found, ...takenBack(transition, id, isWhole) }
    else if (isSettlement && undoing.has(id) && EffectStatus.isVerified(transition)) {
      found = { ...found, undone: { action: id, tick } }
    }
    // To be undone, and not there any more, or undone on the word of a person, until another word takes that back.
    const reading = Payload.of(body, "action.verified")
    const said = Payload.of(body, "review.decided")
    const isGone = reading?.absent === true || (said?.undo !== undefined && EffectStatus.isGone({ undo: said.undo }))
    if (id === action && isGone) found = { ...found, undone: { action, tick } }
    else if (id === action && said?.undo !== undefined) found = { ...found, undone: undefined }
    if (id === action && said?.undo !== undefined) {
      const isGivenUp = said.undo === "undo_abandoned"
      found = { ...found, givenUp: isGivenUp ? { action: [...undoing].at(-1) ?? action, tick } : undefined }
    }
    // A person has found that nothing of it was taken back.
    if (id === action && said?.undo === "standing") found = { ...found, doubtful: undefined }
    // What was there before something was sent says nothing of what it came to.
    if (id !== action || body.result === undefined || reading?.before !== undefined) continue
    const { output, status } = body.result
    const latest = output === undefined ? {} : { output }
    const seen =
      output === undefined || status !== "ok"
        ? {}
        : body.type === "action.result"
          ? { observed: output }
          : body.type === "action.verified"
            ? { actual: output }
            : {}
    found = { ...found, ...latest, ...seen, status, ...(isSettlement ? { settled: tick } : {}) }
  }
  return sent === undefined || found.undoing !== undefined || found.undone !== undefined
    ? found
    : { ...found, arriving: sent }
}

/**
 * Names the reason why an act that was done is no success to another that asks for it: it was undone, in whole or
 * perhaps in part, its undoing was given up, or goes on. `undefined` where the act stands.
 */
export const lost = (
  self: ActionFate
):
  | { readonly how: "undone" | "doubtful" | "given_up"; readonly action: string }
  | { readonly how: "undoing"; readonly tick: number }
  | undefined => {
  const { doubtful, givenUp, undoing, undone } = self
  if (undone !== undefined) return { how: "undone", action: undone.action }
  if (undoing !== undefined) return { how: "undoing", tick: undoing.tick }
  if (doubtful !== undefined) return { how: "doubtful", action: doubtful.action }
  return givenUp === undefined ? undefined : { how: "given_up", action: givenUp.action }
}

/**
 * Reads what is said of an action after its settlement: a dispute until a person has looked, or word of an action that
 * was given up.
 */
const disputedBy = (found: ActionFate, { body, tick }: Transition): ActionFate => {
  if (found.settled === undefined) return found
  const { why } = Payload.of(body, "review.requested") ?? {}
  if (why?.code === "verification.disputed" || why?.code === "verification.contradicted") {
    return { ...found, disputed: tick }
  }
  if (Payload.of(body, "review.decided")?.as === "noted") return { ...found, disputed: undefined }
  const told = Payload.of(body, "action.result")?.told?.outcome
  return told === "done" || told === "failed" ? { ...found, told } : found
}

/**
 * Reads the start of a reversal that is under way, until its tool or its record says how it came out. No word of a
 * person stops one.
 */
const sentBy = (before: number | undefined, { body, stamp }: Transition): number | undefined => {
  const { result, type } = body
  if (type === "action.started") return stamp.asOf
  const isAccepted = Payload.of(body, "action.result")?.stage === "accepted"
  const isHeard = type === "action.result" && result?.status !== "unknown" && !isAccepted
  const isSettled = type === "action.reconciled" && result?.basis !== "attested"
  return isHeard || isSettled ? undefined : before
}

/**
 * Reads the end of a planner's reversal: verified and whole, the act is undone; failed, the act stands; otherwise it is
 * doubtful.
 */
const takenBack = (transition: Transition, id: string, isWhole: boolean): Partial<ActionFate> => {
  const by = { action: id, tick: transition.tick }
  if (isWhole && EffectStatus.isVerified(transition)) return { undone: by }
  return { undoing: undefined, ...(transition.body.result?.status === "ok" ? { doubtful: by } : {}) }
}

/** An undoing begins with its plan, or as soon as it is wanted, and lasts until the plan is over or given up. */
const undoingBy = (
  before: ActionFate["undoing"],
  { body: read, stamp, tick }: Transition,
  action: string
): ActionFate["undoing"] => {
  const since = before ?? { tick, at: stamp.asOf }
  const body = Payload.read(read)
  switch (body.type) {
    case "recovery.decided": {
      const { plan, wanted } = body.data ?? {}
      if (plan?.steps.some(({ undoes }) => undoes === action) === true) return since
      if (wanted?.actions.includes(action) === true) return since
      return wanted === null ? undefined : before
    }
    case "recovery.restored":
      return undefined
    case "review.decided":
      return body.data?.plan === undefined || goesOn.has(body.data.undo) ? before : undefined
    default:
      return before
  }
}

/** The verdicts on one step of an undoing with which the rest of it goes on. */
const goesOn: ReadonlySet<unknown> = new Set(["attested", "undoing"])
