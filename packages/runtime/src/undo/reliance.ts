/** Looks up the run that relies on an act, so that no machine undoes it: by the turns of the act, and their holders. */
import * as ActTurns from "@backstitch/kernel/ActTurns"
import * as ConflictResolution from "@backstitch/kernel/ConflictResolution"
import type { Reliance } from "@backstitch/kernel/DecisionTerms"
import type { State } from "@backstitch/reducer/State"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"

/** The reliance of another run on an action of a run; `undefined` if there is none, or the action has no key. */
export const relianceOn = Effect.fnUntraced(function* (run: Run, state: State, action: string) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  for (let ordinal = 1; ; ordinal++) {
    const turns = ActTurns.ofActions({ turns: { next: { [action]: ordinal }, relied: {} } }, state, [action])
    const name = turns[action]?.name
    const [held] = name === undefined ? [] : yield* store.claims(run.tenant, { namespace: "turn", name })
    if (held === undefined) return undefined
    const { owner, run: holder, tick } = held
    const learnt = ConflictResolution.of(ConflictResolution.nothing, {
      terms: { now: 0, pack: undefined, run },
      names: { turns },
      refusal: { claim: held.name, namespace: "turn", holder: { owner, run: holder.id, tick } },
      transitions: yield* history.transitions(holder, { from: tick })
    })
    const found: Reliance | undefined = learnt?.turns?.relied[action]
    if (found !== undefined) return found
  }
})
