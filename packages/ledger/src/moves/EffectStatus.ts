/**
 * The status of an action's effect: it stands, is undone, or is in between. It names the fact that decided it.
 *
 * A reconciled success keeps its state: its undoing is a relation to another action, and no state of the machine.
 * Only {@link next} decides the status. The fold keeps it for settled actions, and a history for all actions.
 *
 * | a fact | the effect of its original, or of its own action |
 * | --- | --- |
 * | `action.reconciled` of it as done | stands |
 * | `action.request` of its reversal | is being undone |
 * | its reversal is reconciled, verified by the system of record | is undone |
 * | its reversal by a plan has failed, or waits for a person | could not be undone, so far |
 * | its reversal by a planner is verified, all of it | is undone |
 * | the same in part, on its tool's word, or abandoned | is doubtful |
 * | the same failed, or was never begun | stands |
 * | `action.verified` with `absent` | was not there |
 * | `recovery.decided` with `stops` | could not be undone, so far |
 * | `review.decided` with `undo` | is as the person says |
 *
 * @source docs/decisions/0023, 0024, 0040
 */

import type { Draft } from "@backstitch/trace/Transition"
import type * as ActionState from "../machine/ActionState.ts"
import * as Trust from "../machine/Trust.ts"
import * as Payload from "../payload/Payload.ts"
import * as ActionMoves from "./ActionMoves.ts"

/**
 * The status of an effect. `absent`: an undoing did not find it on record, so nothing had to be undone. `doubtful`: a
 * planner reversed it, in part or on its tool's word alone. `attested`: a person says that it is undone.
 * `undo_abandoned`: a person gave up its undoing, and it may stand.
 */
export type UndoState = typeof Payload.Undo.Type

/** A call that undoes an action: by a plan of the kernel (`undoes`), or by a planner (`reverses`). */
export interface ReversingCall extends ActionMoves.MovingAction {
  readonly reverses?: { readonly action: string; readonly whole: boolean } | undefined
}

/** An effect: its status, and the action that undid it or is to undo it. */
export interface ActionEffect {
  readonly undo: UndoState
  readonly undoneBy?: string | undefined
}

/** The effects that are known before a fact, and the actions that are open at that time. */
export interface EffectsBefore {
  readonly effect: (action: string) => ActionEffect | undefined
  readonly open: (action: string) => ReversingCall | undefined
}

/** A change of an effect's status by a fact. */
export interface EffectChange extends ActionEffect {
  readonly action: string
}

/** Tells whether the effect of an action is gone: undone, attested by a person as undone, or absent. */
export const isGone = ({ undo }: { readonly undo: UndoState }): boolean =>
  undo === "undone" || undo === "absent" || undo === "attested"

/** Tells whether the effect of an action is being undone, or waits for a person because that has failed. */
export const isOpen = ({ undo }: { readonly undo: UndoState | undefined }): boolean =>
  undo === "undoing" || undo === "undo_failed"

/** Tells whether a settlement is based on the system of record. */
export const isVerified = ({ body: { result } }: Pick<Draft, "body">): boolean =>
  result?.status === "ok" && (result.trust ?? 0) >= Trust.verified

/** Lists the changes that a fact makes to the status of effects. */
export const next = (known: EffectsBefore, { body }: Pick<Draft, "body">): ReadonlyArray<EffectChange> => {
  const id = body.action?.id
  if (id === undefined) return []
  return [...begun(known, id, body), ...done(known, id, body), ...ended(known, id, body), ...said(known, id, body)]
}

/** Tells whether a fact settles an open action as done. The reversals of plans are excluded. */
export const isDone = (open: ReversingCall | undefined, { body }: Pick<Draft, "body">): boolean =>
  open !== undefined &&
  open.undoes === undefined &&
  body.type === "action.reconciled" &&
  body.result?.status === "ok" &&
  ActionMoves.own(body.action?.id ?? "", open, body).refused === undefined

const done = (known: EffectsBefore, id: string, body: Draft["body"]): ReadonlyArray<EffectChange> =>
  isDone(known.open(id), { body }) ? [{ action: id, undo: "standing", undoneBy: undefined }] : []

/** Lists the effects that a parent had undone before a fork of it began, each with its reversal. */
export const inherited = ({ body }: Pick<Draft, "body">): ReadonlyArray<EffectChange> =>
  Object.entries(Payload.of(body, "run.fork")?.undone ?? {}).map(([action, { by, undo }]) => ({
    action,
    undo: undo as UndoState,
    undoneBy: by
  }))

const begun = (known: EffectsBefore, id: string, body: Draft["body"]): ReadonlyArray<EffectChange> => {
  if (body.type !== "action.request" || body.policy?.decision === "deny" || known.open(id) !== undefined) return []
  const action = body.action?.undoes ?? Payload.of(body, "action.request")?.reverses?.action
  return action === undefined ? [] : [{ action, undo: "undoing", undoneBy: id }]
}

/** Answers the status of an effect after a fact about its reversal. A refused move changes nothing. */
const ended = (known: EffectsBefore, id: string, body: Draft["body"]): ReadonlyArray<EffectChange> => {
  const open = known.open(id)
  const action = open?.undoes ?? open?.reverses?.action
  if (open === undefined || action === undefined) return []
  const { undo: before, undoneBy } = known.effect(action) ?? {}
  const { refused, states } = ActionMoves.own(id, open, body)
  const isSettlement = body.type === "action.reconciled"
  // A settlement that repeats an earlier answer changes nothing.
  const state = states.at(-1) ?? (isSettlement ? open.state : undefined)
  if (undoneBy !== id || refused !== undefined || state === undefined) return []
  const isProven = isSettlement && isVerified({ body })
  const undo =
    open.undoes === undefined
      ? takenBack(state, body, open.reverses?.whole === true && isProven)
      : undone(state, isProven)
  // A person's word stays, unless the record shows that the action is undone.
  if (undo === undefined || (before !== "undoing" && undo !== "undone")) return []
  return [{ action, undo, undoneBy: undo === "standing" ? undefined : id }]
}

/** Answers the status that the reversal of a plan gives to its original. A reversal that ends unverified has failed. */
const undone = (state: ActionState.State, isProven: boolean): UndoState | undefined => {
  if (state === "reconciled_success") return isProven ? "undone" : "undo_failed"
  return isFailing(state) ? "undo_failed" : undefined
}

/** Tells whether a reversal in this state has not undone its original, as far as its run knows. */
export const isFailing = (state: ActionState.State): boolean => failing.has(state)

const failing: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "failed",
  "reconciliation_failed",
  "review_required",
  "abandoned"
])

/** Answers the status that a planner's reversal gives to its original. An answer of its tool alone changes nothing. */
const takenBack = (state: ActionState.State, { type }: Draft["body"], isWhole: boolean): UndoState | undefined => {
  if (type === "action.result") return undefined
  switch (state) {
    case "reconciled_success":
      return isWhole ? "undone" : "doubtful"
    case "failed":
    case "rolled_back":
      return "standing"
    case "abandoned":
      return "doubtful"
    default:
      return undefined
  }
}

/**
 * Answers the status that a fact gives to its own action: found absent, stopped in its plan, or decided by a person.
 */
const said = (known: EffectsBefore, id: string, body: Draft["body"]): ReadonlyArray<EffectChange> => {
  const change = (undo: UndoState, action = id): ReadonlyArray<EffectChange> => [
    { action, undo, undoneBy: known.effect(action)?.undoneBy }
  ]
  switch (body.type) {
    case "action.verified":
      return Payload.of(body, "action.verified")?.absent === true ? change("absent") : []
    case "recovery.decided": {
      // Until a person decides, the effect is neither undone nor standing.
      const isStopped = Payload.of(body, "recovery.decided")?.stops === id
      return isStopped && pending.has(known.effect(id)?.undo) ? change("undo_failed") : []
    }
    case "review.decided": {
      const { action, undo } = Payload.of(body, "review.decided") ?? {}
      return undo === undefined ? [] : change(undo, action)
    }
    default:
      return []
  }
}

const pending: ReadonlySet<UndoState | undefined> = new Set<UndoState>(["standing", "undoing"])
