/**
 * Turns decided drafts into a commit: folds them, latches what they violate, digests the state and extends the chain.
 *
 * Whatever newly latches is reported in the same commit, as
 * `predicate.violation`, or as `kernel.anomaly` when a predicate could not be
 * evaluated. So is what a transition claims that the state machine of actions
 * does not permit. One state digest ends each commit: states inside it were never
 * observable.
 */

import * as FoldedActions from "@backstitch/ledger/FoldedActions"
import type * as Anomalies from "@backstitch/reducer/Anomalies"
import type * as Fold from "@backstitch/reducer/Fold"
import * as Latch from "@backstitch/reducer/Latch"
import * as State from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Digest } from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Draft, Sealed, Transition } from "@backstitch/trace/Transition"
import * as InvalidMove from "./InvalidMove.ts"

/** The position of a run: its head, the state folded up to it, and the latest time that the kernel has seen. */
export interface Position {
  readonly head: HashChain.Head
  readonly state: State.State
  readonly asOf: number
}

/** A commit that is ready to be appended, and where the run stands once it is. */
export interface Commit {
  readonly transitions: ReadonlyArray<Transition>
  readonly sealed: ReadonlyArray<Sealed>
  readonly claims: TraceStore.Append["claims"]
  readonly position: Position
}

/**
 * Drafts that are folded behind a position and not sealed: the transitions of the next commit so far, with their
 * reports, and the state behind them.
 */
export interface Staging {
  readonly head: HashChain.Head
  readonly transitions: ReadonlyArray<Transition>
  readonly state: State.State
  readonly asOf: number
}

/** The staging of a position behind which nothing is staged. */
export const begin = ({ asOf, head, state }: Position): Staging => ({ head, transitions: [], state, asOf })

/** Folds further drafts behind what is staged. */
export const stage = (fold: Fold.Fold, staging: Staging, drafts: ReadonlyArray<Draft>): Staging => {
  const transitions = [...staging.transitions]
  // A fold without actions knows of none, and accuses nobody of one that was never requested.
  const knowsActions = fold.parts.some(({ name }) => name === FoldedActions.parts.open)
  let { asOf, state } = staging
  const add = (draft: Draft): void => {
    asOf = Math.max(asOf, draft.stamp.asOf)
    const stamp = draft.stamp.asOf === asOf ? draft.stamp : { ...draft.stamp, asOf }
    const transition = {
      tick: staging.head.tick + transitions.length + 1,
      // Folded as they will be read back: what enumerates a value sees the same order in every fold (L2).
      body: Canonical.settled(draft.body),
      stamp: Canonical.settled(stamp),
      envelope: draft.envelope
    }
    const before = state
    state = fold.evolve(before, transition)
    transitions.push(transition)
    for (const draft of knowsActions ? reports(before, state, transition) : violations(before, state, transition)) {
      add(draft)
    }
  }
  for (const draft of drafts) add(draft)
  return { head: staging.head, transitions, state, asOf }
}

/** Seals what is staged: one commit, with one digest of the state that it leads to. */
export const seal = (run: Run, { asOf, head: from, state, transitions }: Staging): Commit => {
  const digest: Digest = State.digest(state)
  let head = from
  const sealed = transitions.map((transition, index) => {
    const last = index === transitions.length - 1
    const next = HashChain.seal(
      head,
      last ? { ...transition, stamp: { ...transition.stamp, state: digest } } : transition
    )
    head = HashChain.headOf(next)
    return next
  })
  return { transitions, sealed, claims: TraceStore.claimsOf(run, transitions), position: { head, state, asOf } }
}

/** Assembles a commit. */
export const assemble = (
  fold: Fold.Fold,
  {
    at,
    drafts,
    run
  }: {
    readonly run: Run
    readonly at: Position
    readonly drafts: ReadonlyArray<Draft>
  }
): Commit => seal(run, stage(fold, begin(at), drafts))

/**
 * Reports what a transition brings with it: predicates that it newly violates or that fail on it, and moves that the
 * state machine of actions does not permit. All of it follows from the states on both sides.
 */
export const reports = (before: State.State, after: State.State, transition: Transition): ReadonlyArray<Draft> => [
  ...violations(before, after, transition),
  ...InvalidMove.refused(before, transition)
]

const violations = (before: State.State, after: State.State, transition: Transition): ReadonlyArray<Draft> =>
  Latch.fresh(before, after).map((id) => report(id, transition))

const report = (id: string, cause: Transition): Draft => {
  const stamp = { asOf: cause.stamp.asOf }
  const envelope = { ts: cause.envelope.ts }
  return id.startsWith("error:")
    ? {
        body: {
          author: "kernel",
          data: {
            at: cause.tick,
            kind: "predicate.failed" satisfies Anomalies.Kind,
            predicate: id.slice("error:".length)
          },
          type: "kernel.anomaly"
        },
        stamp,
        envelope
      }
    : {
        body: { author: "kernel", data: { at: cause.tick, predicate: id }, type: "predicate.violation" },
        stamp,
        envelope
      }
}
