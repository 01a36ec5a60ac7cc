/** The history of an action: the states that it went through, the evidence for each, and what undid it. */
import type { Json } from "@backstitch/trace/Canonical"
import type { Finding } from "@backstitch/trace/Finding"
import type { Outcome } from "@backstitch/trace/Transition"
import type * as EffectStatus from "../machine/EffectStatus.ts"
import type * as ActionState from "../payload/ActionState.ts"

/** A moment of a history: the tick, and the time of its stamp. */
export interface Moment {
  readonly tick: number
  readonly at: number
}

/** Level of trust from which a result is believed: authoritative state met the predicates. */
export const believable = 3

/** What an approval was bound to. */
export interface Approval {
  readonly id: string | null
  readonly approver: string | null
  readonly requestHash: string | null
  readonly expiresAt: number | null
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
  readonly attempts: number
  readonly undo: EffectStatus.Undo
  readonly trust: number
  readonly proposed: Moment
  readonly validated?: Moment
  readonly started?: Moment
  readonly observed?: Moment & { readonly outcome: Outcome }
  /** When the tool took the request, as long as no later answer says more. */
  readonly accepted?: Moment
  readonly verified?: Moment & { readonly outcome: Outcome; readonly unmet: ReadonlyArray<Finding> }
  readonly reconciled?: Moment & { readonly outcome: Outcome }
  /** When it ended before anything of it was sent: its intent was refused. */
  readonly dropped?: Moment
  readonly target?: string
  readonly requestHash?: string
  readonly key?: string
  readonly undoes?: string
  /** What it undoes of a planner's own accord, and whether all of it. */
  readonly reverses?: { readonly action: string; readonly whole: boolean }
  readonly undoneBy?: string
  readonly approval?: Approval
  readonly discrepancy?: string
  readonly decision?: string
  readonly decided?: Moment
  readonly incident?: string
  readonly review?: string
  /** Whether it was started without the approval that it needs, and is reviewed after the fact. */
  readonly isGlassBroken?: boolean
  /** Checks of its class that its contract leaves out. */
  readonly unchecked?: ReadonlyArray<string>
  /** When it was to be undone, and proven to be absent. */
  readonly absent?: Moment
  /** When a fork began that knew of its parent's undoing. */
  readonly undoneBefore?: Moment
  /** A person found that it did not happen, and it is sent again by whoever resumes the run. */
  readonly resent?: true
  /** Nothing of it was sent yet: the record could not be read before. */
  readonly deferred?: true
  /** Who accepts what its tool answered, and why, where that counts although nothing can be checked. */
  readonly word?: { readonly by: string; readonly why: string }
  /** What it kept of the money, where it undoes another action. */
  readonly kept?: { readonly amount: string; readonly currency: string }
  /** Who gave its undoing up, and on what evidence. */
  readonly givenUp?: { readonly by: string; readonly evidence: string }
  /** Who says that it was done, and on what evidence. */
  readonly vouched?: { readonly by: string; readonly evidence: string }
  /** Who decided that it is not undone after all, and on what evidence. */
  readonly letStand?: { readonly by: string; readonly evidence: string }
  /** Who attests that it is undone, and on what evidence. */
  readonly attested?: { readonly by: string; readonly evidence: string }
  /** Checks that the contract of what undid it leaves out, where the undoing is not proven. */
  readonly unproven?: ReadonlyArray<string>
  /** The span of the action in telemetry, as `TRACE_ID-SPAN_ID`. */
  readonly trace?: string
}

/** Tells whether an action passed through a state. */
export const visited = (self: ActionHistory, state: ActionState.State): boolean =>
  self.visited.some((visit) => visit.state === state)

/** Tells whether an action was ever sent. */
export const isExecuted = (self: ActionHistory): boolean =>
  self.deferred !== true && (self.started !== undefined || self.observed !== undefined)

/** Tells whether the action changes the world; of a class that nobody knows, it does. */
export const isMutating = (self: ActionHistory): boolean => self.class !== "read_only"
