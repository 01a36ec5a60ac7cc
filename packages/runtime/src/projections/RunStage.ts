/**
 * Tells which stage of enforcement a run has reached, from its trace and its pack.
 *
 * @source Dendrer, section 6
 */
import * as EnforcementStage from "@backstitch/kernel/EnforcementStage"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import type { Run } from "@backstitch/trace/Run"
import * as Wording from "@backstitch/wording/Wording"
import type { MissingSaid } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as RunVerification from "../proof/RunVerification.ts"

/** A stage for people: its benefit, and the requirements that are not met. */
export interface WordedStage extends Omit<EnforcementStage.Stage, "missing"> {
  readonly gives: string
  readonly missing: ReadonlyArray<MissingSaid>
}

/**
 * The stages of a run: the stage that it enforces, the last stage whose requirements are met together with those of
 * all earlier stages, and the stages one by one.
 */
export interface RunStage extends Omit<EnforcementStage.EnforcementStage, "stages"> {
  readonly stages: ReadonlyArray<WordedStage>
}

/** Judges the stages of a run. */
export const look = Effect.fn("RunStage.look")(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const words = yield* Lexicon.Lexicon
  const { head } = yield* history.info(run)
  const transitions = yield* history.transitions(run)
  const { state } = yield* history.at(run, head.tick)
  const pack = yield* library.inForce(state, head.tick)
  const { problem } = yield* RunVerification.verify(run)
  const { enforced, reached, stages } = EnforcementStage.of({
    transitions,
    pack,
    broken: problem ?? undefined,
    impure: pack === undefined ? [] : PackPurity.findings(pack).map(({ id, message }) => ({ id, message }))
  })
  const report: RunStage = {
    enforced,
    reached,
    stages: stages.map(({ holds, missing, name, stage }) => ({
      stage,
      name,
      gives: words.stages[name],
      holds,
      missing: missing.map((each) => Wording.missing(each, words))
    }))
  }
  return report
})
