/**
 * Turns decided drafts into a commit: folds them, latches new violations, digests the state and extends the chain.
 *
 * A predicate that newly latches is reported in the same commit: as `predicate.violation`, or as `kernel.anomaly` if
 * it could not be evaluated. A move that the state machine of actions does not permit is reported there too. Each
 * commit ends with one state digest: no reader sees a state inside a commit.
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

/** A commit that is ready to be appended, and the position of the run after it. */
export interface Commit {
  readonly transitions: ReadonlyArray<Transition>
  /** The state after each transition. */
  readonly states: ReadonlyArray<State.State>
  readonly sealed: ReadonlyArray<Sealed>
  readonly claims: TraceStore.Append["claims"]
  readonly position: Position
}

/**
 * Drafts that are folded after a position and not sealed: the transitions of the next commit so far, with their
 * reports, and the state after them.
 */
export interface Staging {
  readonly head: HashChain.Head
  readonly transitions: ReadonlyArray<Transition>
  /** The state after each transition. */
  readonly states: ReadonlyArray<State.State>
  readonly state: State.State
  readonly asOf: number
}

/** An empty staging at a position. */
export const begin = ({ asOf, head, state }: Position): Staging => ({ head, transitions: [], states: [], state, asOf })

/** Folds further drafts after the staged ones. */
export const stage = (fold: Fold.Fold, staging: Staging, drafts: ReadonlyArray<Draft>): Staging => {
  const transitions = [...staging.transitions]
  const states = [...staging.states]
  // A fold without the parts for actions does not report actions as never requested.
  const knowsActions = fold.parts.some(({ name }) => name === FoldedActions.parts.open)
  let { asOf, state } = staging
  const add = (draft: Draft): void => {
    asOf = Math.max(asOf, draft.stamp.asOf)
    const stamp = draft.stamp.asOf === asOf ? draft.stamp : { ...draft.stamp, asOf }
    const transition = {
      tick: staging.head.tick + transitions.length + 1,
      // Folds the body as it will be read back, so that values are enumerated in the same order in every fold (L2).
      body: Canonical.settled(draft.body),
      stamp: Canonical.settled(stamp),
      envelope: draft.envelope
    }
    const before = state
    state = fold.evolve(before, transition)
    transitions.push(transition)
    states.push(state)
    for (const draft of knowsActions ? reports(before, state, transition) : violations(before, state, transition)) {
      add(draft)
    }
  }
  for (const draft of drafts) add(draft)
  return { head: staging.head, transitions, states, state, asOf }
}

/** Seals the staged drafts as one commit, with one digest of the resulting state. */
export const seal = (run: Run, { asOf, head: from, state, states, transitions }: Staging): Commit => {
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
  return { transitions, states, sealed, claims: TraceStore.claimsOf(run, transitions), position: { head, state, asOf } }
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
 * Reports the violations, failing predicates and illegal moves of a transition. All of them follow from the states
 * before and after it.
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
  const { isAnswered, predicate } = Latch.read(id)
  return isAnswered
    ? {
        body: { author: "kernel", data: { at: cause.tick, predicate }, type: "predicate.violation" },
        stamp,
        envelope
      }
    : {
        body: {
          author: "kernel",
          data: { at: cause.tick, kind: "predicate.failed" satisfies Anomalies.AnomalyKind, predicate },
          type: "kernel.anomaly"
        },
        stamp,
        envelope
      }
}
