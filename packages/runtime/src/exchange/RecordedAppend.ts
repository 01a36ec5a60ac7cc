/**
 * Appends transitions that were recorded elsewhere, in commits of bounded size: imported runs, exports and spans.
 *
 * Every store takes a commit of that size, and it is large enough to share a flush. A crash between two commits leaves
 * a beginning of the run, and whoever appends again goes on behind it.
 */
import type * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"

/**
 * Transitions of a run, and the head behind which the first one comes. A fork that begins with them names its parent.
 * The changes of claims are those that the transitions make, which a caller may know already.
 */
export interface RecordedPart {
  readonly run: Run
  readonly expected: HashChain.Head
  readonly transitions: ReadonlyArray<Transition.Sealed>
  readonly claims?: TraceStore.Append["claims"] | undefined
  readonly parent?: TraceStore.Parent | undefined
}

/** Appends the transitions, as they are. Answers the head behind the last one. */
export const append = Effect.fnUntraced(function* ({ claims, expected, parent, run, transitions }: RecordedPart) {
  const store = yield* TraceStore.TraceStore
  const claimsIn = (part: ReadonlyArray<Transition.Sealed>): TraceStore.Append["claims"] => {
    if (claims === undefined) return TraceStore.claimsOf(run, part.map(Transition.open))
    const ticks = new Set(part.map(({ tick }) => tick))
    return claims.filter(({ tick }) => ticks.has(tick))
  }
  let head = expected
  for (let from = 0; from < transitions.length; from += Limits.pacing.commitTransitionsMax) {
    const part = transitions.slice(from, from + Limits.pacing.commitTransitionsMax)
    const begins = from === 0 && parent !== undefined ? { parent } : {}
    head = yield* store.append({ run, expected: head, transitions: part, claims: claimsIn(part), ...begins })
  }
  return head
})
