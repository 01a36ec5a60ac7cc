/**
 * Tells which stage of adoption a run has reached, from its trace and its contract.
 *
 * @source Dendrer, section 6
 */
import * as EnforcementStage from "@backstitch/kernel/EnforcementStage"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as RunVerification from "../proof/RunVerification.ts"

/** Judges the stages of a run. */
export const look = Effect.fn("StageReport.look")(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { head } = yield* history.info(run)
  const transitions = yield* history.transitions(run)
  const { state } = yield* history.at(run, head.tick)
  const pack = yield* library.folding(() => library.packAt(state, head.tick))
  const { problem } = yield* RunVerification.verify(run)
  return EnforcementStage.of({
    transitions,
    pack,
    broken: problem ?? undefined,
    impure: pack === undefined ? [] : PackPurity.findings(pack).map(({ id, message }) => ({ id, message }))
  })
})
