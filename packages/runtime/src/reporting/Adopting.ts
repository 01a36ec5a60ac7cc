/**
 * Says how far a run has come on the way to the whole runtime, from its trace and its contract.
 *
 * @source Dendrer, section 6
 */
import * as Adoption from "@backstitch/kernel/Adoption"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Library from "../history/Library.ts"
import * as Verifying from "../proof/Verifying.ts"

/** Looks at a run. */
export const look = Effect.fn("Adopting.look")(function* (run: Run) {
  const history = yield* History.History
  const library = yield* Library.Library
  const { head } = yield* history.info(run)
  const transitions = yield* history.transitions(run)
  const { state } = yield* history.at(run, head.tick)
  const pack = yield* library.folding(() => library.packAt(state, head.tick))
  const { problem } = yield* Verifying.verify(run)
  return Adoption.of({
    transitions,
    pack,
    broken: problem ?? undefined,
    impure: pack === undefined ? [] : PackPurity.findings(pack).map(({ id, message }) => ({ id, message }))
  })
})
