/** The terms of a decision beside the state: who asks, when, where in the trace, and under which contract. */

import type { TaskPack } from "@backstitch/contracts/TaskPack"
import type * as RecoveryRow from "@backstitch/reconciliation/RecoveryRow"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Run } from "@backstitch/trace/Run"
import type { Draft, Envelope, Stamp } from "@backstitch/trace/Transition"
import type { Vocabulary } from "@backstitch/trace/Vocabulary"
import type * as Payload from "../payload/Payload.ts"

/** A leap of the clock: the moment after it, and by how much it was set forward, in milliseconds. */
export interface Leap {
  readonly at: number
  readonly millis: number
}

/** An action by which a run relies on an act. */
export interface Reliance extends JsonObject {
  readonly run: string
  readonly action: string
  readonly tick: number
}

/** The turns of acts that are to be undone: the next to ask for, and the runs that rely on them. */
export interface Met {
  readonly next: { readonly [action: string]: number }
  readonly relied: { readonly [action: string]: Reliance }
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
  /** The recovery table, where it is not the one in force: a table is tried before it is released. */
  readonly recovery?: RecoveryRow.Sections | undefined
  /** Leaps of the clock that this process has seen, in order: a wait is not over because of one. */
  readonly leaps?: ReadonlyArray<Leap> | undefined
  /** The turns of acts that are to be undone, as other runs hold them. */
  readonly turns?: Met | undefined
}

/** The moment that has surely come at `at`, counted from `since`: what a clock leapt in between has not passed. */
export const surely = ({ leaps = [], now }: DecisionTerms, since: number, at: number = now): number =>
  leaps.reduce((moment, leap) => (leap.at > since && leap.at <= at ? moment - leap.millis : moment), at)

/**
 * The tick at which the run stands once `added` drafts of the decision are committed, which is what an outcome names.
 * Without any it is the tick before the decision's own; a run that was never written stands at 0.
 */
export const standsAt = ({ tick }: DecisionTerms, added = 0): number => Math.max(0, tick + added - 1)

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
