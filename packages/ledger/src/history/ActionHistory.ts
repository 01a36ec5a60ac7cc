/** The history of an action: its states, the evidence for each, and the action that undid it. */
import type { Json } from "@backstitch/trace/Canonical"
import type { AnyFinding } from "@backstitch/trace/FindingForm"
import type { Outcome } from "@backstitch/trace/Transition"
import type * as ActionState from "../machine/ActionState.ts"
import type * as EffectStatus from "../moves/EffectStatus.ts"

/** A moment of a history: the tick, and the time of its stamp. */
export interface Moment {
  readonly tick: number
  readonly at: number
}

/**
 * The approval of an action: its approver, its request, and its expiry. A field that the request does not name is
 * `null`.
 */
export interface GivenApproval {
  readonly id: string | null
  readonly approver: string | null
  readonly requestHash: string | null
  readonly expiresAt: number | null
}

/** The sources that were read: the one in place of the contract's first source, if any, and the further ones. */
export interface Readings {
  readonly source?: string
  readonly others?: ReadonlyArray<string>
  /** Set if nothing was read: the time was over, or no more questions were allowed. */
  readonly isUnread?: true
}

/** The history of one action. */
export interface ActionHistory {
  readonly id: string
  readonly tool: string
  readonly class: string
  readonly params: Json
  readonly state: ActionState.State
  readonly visited: ReadonlyArray<Moment & { readonly state: ActionState.State }>
  readonly refused: ReadonlyArray<Moment & { readonly refusal: ActionState.MoveRefused }>
  /** The number of times that it was sent. An attempt that the record before it stopped does not count. */
  readonly attempts: number
  readonly undo: EffectStatus.UndoState
  readonly trust: number
  readonly proposed: Moment
  /** The agent that proposed it, or as whom it was started; without either, the author of its request. */
  readonly principal: string
  readonly validated?: Moment
  readonly started?: Moment
  readonly observed?: Moment & { readonly outcome: Outcome; readonly via?: "status" | "webhook" }
  /** When the record was read before the present attempt, until anything else is on record about the action. */
  readonly lookedAt?: Moment
  /** When the trace last notes a question about it to the world: only a budget of verification has them noted. */
  readonly asked?: Moment
  /** When the tool accepted the request, until a later answer says more. */
  readonly accepted?: Moment
  readonly verified?: Moment & Readings & { readonly outcome: Outcome; readonly unmet: ReadonlyArray<AnyFinding> }
  readonly reconciled?: Moment & { readonly outcome: Outcome }
  /** When it ended before anything was sent, because its intent was refused. */
  readonly dropped?: Moment
  readonly target?: string
  readonly requestHash?: string
  readonly key?: string
  readonly undoes?: string
  /** The action that a planner's call reverses, and whether it reverses all of it. */
  readonly reverses?: { readonly action: string; readonly whole: boolean }
  readonly undoneBy?: string
  /** The end of the time in which its effect can be undone, in epoch milliseconds. */
  readonly undoEndsAt?: number
  readonly approval?: GivenApproval
  readonly discrepancy?: string
  readonly decision?: string
  /** The version of the recovery table that decided. */
  readonly policyVersion?: string
  readonly decided?: Moment
  readonly incident?: string
  readonly review?: string
  /** Set if the action was started without its required approval, so that it is reviewed afterwards. */
  readonly isGlassBroken?: boolean
  /** Checks of its class that its contract omits. */
  readonly unchecked?: ReadonlyArray<string>
  /** When its effect was found absent by an undoing. */
  readonly absent?: Moment
  /** When a fork began that took over the undoing of this action by its parent. */
  readonly undoneBefore?: Moment
  /**
   * When a fork began without it, because it or its undoing was not over yet: what comes of it is on record in `run`,
   * the parent.
   */
  readonly left?: Moment & { readonly run: string }
  /** Set if a person found that the action did not happen: the next resume of the run sends it again. */
  readonly resent?: true
  /** Nothing was sent yet, because the record could not be read before the call. */
  readonly deferred?: true
  /** The person who accepts the tool's own word although nothing can be checked, and the reason. */
  readonly word?: { readonly by: string; readonly why: string }
  /** The part of the money that a reversal did not return. */
  readonly kept?: { readonly amount: string; readonly currency: string }
  /** The person who abandoned the undoing of the action, and their evidence. */
  readonly givenUp?: { readonly by: string; readonly evidence: string }
  /** The person who vouches that the action was done, and their evidence. */
  readonly vouched?: { readonly by: string; readonly evidence: string }
  /** The person who decided that the effect stands, and their evidence. */
  readonly letStand?: { readonly by: string; readonly evidence: string }
  /** The person who attests that the action is undone, and their evidence. */
  readonly attested?: { readonly by: string; readonly evidence: string }
  /** Checks that the contract of its reversal omits, if the undoing is not proven. */
  readonly unproven?: ReadonlyArray<string>
  /** The span of the action in telemetry, as `TRACE_ID-SPAN_ID`. */
  readonly trace?: string
}

/** Tells whether an action passed through a state. */
export const visited = (self: ActionHistory, state: ActionState.State): boolean =>
  self.visited.some((visit) => visit.state === state)

/** Tells whether an action was ever begun: sent, or stopped by the record before it could be sent. */
export const isBegun = (self: ActionHistory): boolean =>
  self.deferred !== true && (self.started !== undefined || self.observed !== undefined)

/** Tells whether an action was ever sent. */
export const isExecuted = (self: ActionHistory): boolean => self.attempts > 0 || self.observed !== undefined

/** Tells whether the action changes the world. An unknown class counts as one that does. */
export const isMutating = (self: ActionHistory): boolean => self.class !== "read_only"
