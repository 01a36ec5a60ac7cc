/** Reconstructs the state of a run at a tick from its trace, and compares all committed states on request. */
import * as State from "@backstitch/reducer/State"
import type { Digest } from "@backstitch/trace/Digest"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as RunVerification from "../proof/RunVerification.ts"

/** A state that came out of a trace. `compared` counts the committed states that came out again. */
export interface Folded {
  readonly _tag: "Folded"
  readonly tick: number
  readonly digest: Digest
  readonly state: State.State
  readonly compared: number | undefined
}

/** A run whose committed states do not come out again, with the verdict on it. */
export interface Differing {
  readonly _tag: "Differing"
  readonly verdict: RunVerification.RunVerdict
}

/** Folds a run up to a tick, by default to its head. A strict fold is given only if the whole run is consistent. */
export const replay = Effect.fn("FoldReplay.replay")(function* (
  run: Run,
  { isStrict = false, to }: { readonly isStrict?: boolean; readonly to?: number | undefined } = {}
) {
  const history = yield* History.History
  const verdict = isStrict ? yield* RunVerification.verify(run) : undefined
  if (verdict?.consistent === false) return { _tag: "Differing", verdict } satisfies Differing
  const { head, state } = yield* history.at(run, to)
  const { tick } = head
  const folded: Folded = { _tag: "Folded", compared: verdict?.compared, digest: State.digest(state), state, tick }
  return folded
})
