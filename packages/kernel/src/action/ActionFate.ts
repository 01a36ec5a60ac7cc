/**
 * The fate of an action, read from the trace of its run.
 *
 * The record answers for an act that was done before, by this run or another one. A state keeps no answers of tools,
 * so the fate is read from the transitions of the run that did the act. A history of the ledger
 * (`ActionHistory`) tells more of the action itself, and not whether its undoing is under way or may still arrive.
 *
 * @source docs/decisions/0003, 0018
 */
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import type { Json } from "@backstitch/trace/Canonical"
import type { Outcome, Transition } from "@backstitch/trace/Transition"
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

/** The ways in which an action undoes another one: by a plan of the kernel, or by a planner, in full or in part. */
type Undoer = "plan" | "whole" | "part"

/** Reads the fate of an action from the trace of its run. */
export const of = (transitions: Iterable<Transition>, action: string): ActionFate => {
  const undoers = new Map<string, Undoer>()
  let fate: ActionFate = { status: "unknown", output: null }
  let sent: number | undefined
  for (const transition of transitions) {
    const { id = "", undoes } = transition.body.action ?? {}
    const reverses = Payload.of(transition.body, "action.request")?.reverses
    if (undoes === action) undoers.set(id, "plan")
    if (reverses?.action === action) undoers.set(id, reverses.whole ? "whole" : "part")
    fate = { ...fate, ...ofRun(fate, transition, action) }
    const undoer = undoers.get(id)
    if (undoer !== undefined) {
      sent = sentBy(sent, transition)
      fate = { ...fate, ...ofUndoer(undoer, transition, id) }
    }
    if (id === action) {
      const reversal = [...undoers.keys()].at(-1) ?? action
      fate = { ...fate, ...ofOwn(fate, transition, { action, reversal }) }
    }
  }
  return sent === undefined || fate.undoing !== undefined || fate.undone !== undefined
    ? fate
    : { ...fate, arriving: sent }
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

/** Reads a fact about the action itself. `reversal` is the last action that undoes it. */
const ofOwn = (
  { settled }: ActionFate,
  { body: read, tick }: Transition,
  { action, reversal }: { readonly action: string; readonly reversal: string }
): Partial<ActionFate> => {
  const body = Payload.read(read)
  switch (body.type) {
    case "action.result": {
      const told = body.data?.told?.outcome
      const isNews = settled !== undefined && (told === "done" || told === "failed")
      return { ...answered(body.result, "observed"), ...(isNews ? { told } : {}) }
    }
    case "action.verified": {
      const gone = body.data?.absent === true ? { undone: { action, tick } } : {}
      // A read before the request was sent does not show its outcome.
      return body.data?.before === undefined ? { ...gone, ...answered(body.result, "actual") } : gone
    }
    case "action.reconciled":
      return { ...answered(body.result), ...(body.result === undefined ? {} : { settled: tick }) }
    case "review.requested": {
      const code = body.data?.why?.code
      const isDisputed = code === "verification.disputed" || code === "verification.contradicted"
      return settled !== undefined && isDisputed ? { disputed: tick } : {}
    }
    case "review.decided": {
      const { as, undo } = body.data ?? {}
      const looked = settled !== undefined && (as === "noted" || as === "failure") ? { disputed: undefined } : {}
      if (undo === undefined) return looked
      return {
        ...looked,
        undone: EffectStatus.isGone({ undo }) ? { action, tick } : undefined,
        givenUp: undo === "undo_abandoned" ? { action: reversal, tick } : undefined,
        // A person found that the planner's reversal took nothing back.
        ...(undo === "standing" ? { doubtful: undefined } : {})
      }
    }
    default:
      return {}
  }
}

/** Reads an answer or a record, which is kept under a name of its own if it is a success. */
const answered = (result: Outcome | undefined, as?: "actual" | "observed"): Partial<ActionFate> => {
  if (result === undefined) return {}
  const { output, status } = result
  if (output === undefined) return { status }
  return { status, output, ...(as === undefined || status !== "ok" ? {} : { [as]: output }) }
}

/** Reads a fact about an action that undoes this one. A planner's reversal may do so in part, or not at all. */
const ofUndoer = (undoer: Undoer, { body, stamp, tick }: Transition, id: string): Partial<ActionFate> => {
  const by = { action: id, tick }
  if (body.type === "action.request" && undoer !== "plan") return { undoing: { tick, at: stamp.asOf } }
  if (body.type !== "action.reconciled") return {}
  if (undoer !== "part" && EffectStatus.isVerified({ body })) return { undone: by }
  if (undoer === "plan") return {}
  return { undoing: undefined, ...(body.result?.status === "ok" ? { doubtful: by } : {}) }
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
 * Reads a fact about the run: the plan that undoes the action, and the fork that shares the action. An undoing begins
 * with its plan, or when it is first asked for. It lasts until the plan is done or given up.
 */
const ofRun = ({ undoing }: ActionFate, transition: Transition, action: string): Partial<ActionFate> => {
  const { stamp, tick } = transition
  const body = Payload.read(transition.body)
  switch (body.type) {
    case "recovery.decided": {
      const { plan, wanted } = body.data ?? {}
      const isMeant =
        plan?.steps.some(({ undoes }) => undoes === action) === true || wanted?.actions.includes(action) === true
      if (isMeant) return { undoing: undoing ?? { tick, at: stamp.asOf } }
      return wanted === null ? { undoing: undefined } : {}
    }
    case "recovery.restored":
      return { undoing: undefined }
    case "review.decided":
      return body.data?.plan === undefined || goesOn.has(body.data.undo) ? {} : { undoing: undefined }
    case "run.fork": {
      const shared = EffectStatus.inherited(transition).find((each) => each.action === action)
      if (shared === undefined) return {}
      const by = { action: shared.undoneBy ?? action, tick }
      return EffectStatus.isGone(shared) ? { undone: by } : { doubtful: by }
    }
    default:
      return {}
  }
}

/** The verdicts on one step of an undoing after which the rest of it continues. */
const goesOn: ReadonlySet<unknown> = new Set(["attested", "undoing"])
