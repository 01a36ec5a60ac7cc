/** The terms of a decision in addition to the state: its author, its time, its place in the trace, and its pack. */
import type { TaskPack } from "@backstitch/contracts/TaskPack"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import type { Draft, Envelope, Stamp } from "@backstitch/trace/Transition"
import type { Vocabulary } from "@backstitch/trace/Vocabulary"
import type * as Payload from "../payload/Payload.ts"

/** A leap of the clock: the time after it, and by how many milliseconds the clock was set forward. */
export interface Leap {
  readonly at: number
  readonly millis: number
}

/** An action through which a run relies on an act. */
export interface Reliance extends JsonObject {
  readonly run: string
  readonly action: string
  readonly tick: number
}

/**
 * The turns of acts that are to be undone or relied on: the next turn to ask for, and the runs that rely on the acts.
 * `shared` names the acts that a fork shares and that nobody undoes, once that is known.
 */
export interface MetReliance {
  readonly next: { readonly [action: string]: number }
  readonly relied: { readonly [action: string]: Reliance }
  readonly shared?: ReadonlyArray<string> | undefined
}

/**
 * A consumer of a subtask: the instance that has read some keys of it, or steps of no subtask if `by` is absent.
 * Without keys, it shares an effect.
 */
export interface SubtaskConsumer extends JsonObject {
  readonly by?: string
  readonly keys: ReadonlyArray<string>
  readonly subtask: string
}

/** The consumers that were found of subtasks, by the scopes of these. */
export interface MetConsumers {
  readonly scopes: ReadonlyArray<string>
  readonly found: ReadonlyArray<SubtaskConsumer>
}

/**
 * The terms of one decision. `now` is epoch milliseconds, `tick` the next tick, `lineage` the id of the first ancestor,
 * `secret` the tenant's secret for keys.
 */
export interface DecisionTerms {
  readonly run: Run
  readonly lineage: string
  readonly now: number
  readonly tick: number
  readonly secret: string
  readonly pack: TaskPack | undefined
  /** Types of embedders that the kernel has. */
  readonly vocabularies?: ReadonlyArray<Vocabulary> | undefined
  /** The recovery table under trial, if it is not the one in force. */
  readonly recovery?: RecoveryRow.RecoverySections | undefined
  /** Leaps of the clock that this process has seen, in order. A leap does not end a wait. */
  readonly leaps?: ReadonlyArray<Leap> | undefined
  /** The turns of acts that are to be undone or relied on, and the runs that hold them. */
  readonly turns?: MetReliance | undefined
  /** The consumers of the subtasks that are to be undone, once they are known. */
  readonly consumers?: MetConsumers | undefined
}

/**
 * Tells whether a moment has surely come at `at`, counted from `since`: time that the clock leapt over in between
 * does not count.
 */
export const surely = ({ leaps = [], now }: DecisionTerms, since: number, at: number = now): number =>
  leaps.reduce((moment, leap) => (leap.at > since && leap.at <= at ? moment - leap.millis : moment), at)

/**
 * The tick of the run once `added` drafts of the decision are committed; an outcome names it. Without drafts it is
 * the tick before the decision. A run that was never written is at 0.
 */
export const standsAt = ({ tick }: DecisionTerms, added = 0): number => Math.max(0, tick + added - 1)

/** The terms of what is decided behind the first draft of the same commit: those of the next tick. */
export const next = (terms: DecisionTerms): DecisionTerms => ({ ...terms, tick: terms.tick + 1 })

/** Makes a draft at the time of the decision. */
export const draft = (
  terms: DecisionTerms,
  body: Payload.Body,
  more: {
    readonly stamp?: Omit<Stamp, "asOf"> | undefined
    readonly envelope?: Omit<Envelope, "ts"> | undefined
  } = {}
): Draft => ({
  body,
  stamp: { asOf: terms.now, ...more.stamp },
  envelope: { ...more.envelope, ts: terms.now }
})
