/**
 * Strict replay: folds a trace again, and compares every state digest that was committed.
 *
 * It is pure, calls no planner and no tool, and is one of the four things called replay.
 *
 * @see docs/ARCHITECTURE.md, "Four things called replay"
 * @source Dendrer, sections 3.4, 3.5 and 4.7
 */
import * as HashChain from "@backstitch/trace/HashChain"
import * as Transition from "@backstitch/trace/Transition"
import * as Result from "effect/Result"
import * as State from "../state/State.ts"
import type * as Fold from "./Fold.ts"

/** A commit whose digest did not come out again. */
export interface Divergence {
  readonly tick: number
  readonly committed: string
  readonly folded: string
}

/** Compares a folded state with the digest that was committed with its transition, if one was. */
export const divergence = (
  state: State.State,
  { stamp: { state: committed }, tick }: Transition.Transition
): Divergence | undefined => {
  if (committed === undefined) return undefined
  const folded = State.digest(state)
  return folded === committed ? undefined : { tick, committed, folded }
}

/** The answer of a strict replay. */
export interface Strict {
  readonly state: State.State
  readonly head: HashChain.Head
  /** State digests that were compared. */
  readonly compared: number
  readonly divergences: ReadonlyArray<Divergence>
}

/**
 * Verifies the chain, folds, and compares every state digest that was committed.
 *
 * **Details**
 *
 * A broken chain is a failure: nothing after it can be trusted. A divergence is an answer: the bytes are as
 * committed, but this fold makes another state from them, so the reducer, pack or fold version differs from the
 * original.
 */
export const strict = (
  fold: Fold.Fold,
  from: { readonly state: State.State; readonly head: HashChain.Head },
  transitions: Iterable<Transition.Sealed>
): Result.Result<Strict, HashChain.ChainBroken> => {
  let { head, state } = from
  let compared = 0
  const divergences: Array<Divergence> = []
  for (const sealed of transitions) {
    const next = HashChain.follow(head, sealed)
    if (Result.isFailure(next)) return Result.fail(next.failure)
    head = next.success
    const transition = Transition.open(sealed)
    state = fold.evolve(state, transition)
    if (transition.stamp.state === undefined) continue
    compared++
    const found = divergence(state, transition)
    if (found !== undefined) divergences.push(found)
  }
  return Result.succeed({ state, head, compared, divergences })
}
