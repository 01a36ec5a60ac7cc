/**
 * The fate of an action, read from the trace of its run.
 *
 * The record answers for an act that was done before, by this run or another one. A state keeps no answers of tools,
 * so the fate is read from the transitions of the run that did the act.
 *
 * @source docs/decisions/0003, 0018
 */
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"

/**
 * The fate of an action by its trace. `output` is the latest known value: `observed` is the answer of its tool,
 * `actual` the record that was read.
 */
export interface ActionFate {
  readonly status: "ok" | "error" | "mismatch" | "unknown"
  readonly output: Json
  readonly observed?: Json | undefined
  readonly actual?: Json | undefined
  /** The tick at which the action was settled. */
  readonly settled?: number | undefined
  /**
   * The action that undid this one, and the tick at which that was verified. It is the action itself if the effect
   * was absent by then, or if a person attests that it is undone.
   */
  readonly undone?: { readonly action: string; readonly tick: number } | undefined
  /**
   * The action by which a planner reversed this one in part, or in full on the tool's word alone, and the tick at
   * which that action settled.
   */
  readonly doubtful?: { readonly action: string; readonly tick: number } | undefined
  /**
   * The decision by which a person abandoned the undoing, and the reversal that had begun. The effect may stand or
   * not.
   */
  readonly givenUp?: { readonly action: string; readonly tick: number } | undefined
  /** The tick of an open review, because evidence after the settlement contradicts the settlement. */
  readonly disputed?: number | undefined
  /** The outcome that the provider reported after the action was given up. */
  readonly told?: "done" | "failed" | undefined
  /** The beginning of an undoing that was asked for and has not ended. */
  readonly undoing?: { readonly tick: number; readonly at: number } | undefined
  /** The start of a reversal that was abandoned before its outcome was known, and that may still take effect. */
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
    // An undoing is asked for; the effect is absent, or undone by a person's word, until a later word takes that
    // back.
    const reading = Payload.of(body, "action.verified")
    const said = Payload.of(body, "review.decided")
    const isGone = reading?.absent === true || (said?.undo !== undefined && EffectStatus.isGone({ undo: said.undo }))
    if (id === action && isGone) found = { ...found, undone: { action, tick } }
    else if (id === action && said?.undo !== undefined) found = { ...found, undone: undefined }
    if (id === action && said?.undo !== undefined) {
      const isGivenUp = said.undo === "undo_abandoned"
      found = { ...found, givenUp: isGivenUp ? { action: [...undoing].at(-1) ?? action, tick } : undefined }
    }
    // A person found that the planner's reversal took nothing back.
    if (id === action && said?.undo === "standing") found = { ...found, doubtful: undefined }
    // A read before the request was sent does not show its outcome.
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

/** Tells whether an action failed for good. A disputed failure does not count, since the act may have been done. */
export const hasFailed = ({ disputed, settled, status }: ActionFate): boolean =>
  settled !== undefined && status === "error" && disputed === undefined

/**
 * Names the reason why a done act is no success for another run that asks for it: it was undone in full or in part,
 * its undoing was given up, or is under way. `undefined` if the effect stands.
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
 * Reads the reports about an action after its settlement: a dispute until a person has looked, or a provider's report
 * about an action that was given up.
 */
const disputedBy = (found: ActionFate, { body, tick }: Transition): ActionFate => {
  if (found.settled === undefined) return found
  const { why } = Payload.of(body, "review.requested") ?? {}
  if (why?.code === "verification.disputed" || why?.code === "verification.contradicted") {
    return { ...found, disputed: tick }
  }
  const { as } = Payload.of(body, "review.decided") ?? {}
  if (as === "noted" || as === "failure") return { ...found, disputed: undefined }
  const told = Payload.of(body, "action.result")?.told?.outcome
  return told === "done" || told === "failed" ? { ...found, told } : found
}

/**
 * Reads the start of a reversal under way, until its tool or its record shows the outcome. A person's word does not
 * end it.
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
 * Reads the end of a planner's reversal. Verified and complete: the act is undone. Failed: the effect stands.
 * Otherwise it is doubtful.
 */
const takenBack = (transition: Transition, id: string, isWhole: boolean): Partial<ActionFate> => {
  const by = { action: id, tick: transition.tick }
  if (isWhole && EffectStatus.isVerified(transition)) return { undone: by }
  return { undoing: undefined, ...(transition.body.result?.status === "ok" ? { doubtful: by } : {}) }
}

/** An undoing begins with its plan, or when it is first asked for. It lasts until the plan is done or given up. */
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

/** The verdicts on one step of an undoing after which the rest of it continues. */
const goesOn: ReadonlySet<unknown> = new Set(["attested", "undoing"])
