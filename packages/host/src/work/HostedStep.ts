/**
 * Names the step that leads on from a decision about a hosted run. The run goes on by itself, so that nobody has to
 * resume it: the step is to follow it. One whose agent its host lacks is resumed, and the step says why.
 */
import type { Run } from "@backstitch/trace/Run"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import * as RunHost from "./RunHost.ts"

/** Replaces the steps that would resume the run, if its host lets it go on. The others stay as they are. */
export const of = Effect.fnUntraced(function* (run: Run, steps: ReadonlyArray<Next>) {
  const resumes = ({ run: about, verb }: Next): boolean => verb === "resume" && about === run.id
  if (!steps.some(resumes)) return steps
  const host = yield* RunHost.RunHost
  // The decision is made: no failure from here on is one of it.
  const hosted = yield* Effect.orElseSucceed(host.status(run), () => undefined)
  if (hosted === undefined || hosted.ending !== undefined) return steps
  const own: Next =
    hosted.lack === undefined
      ? { run: run.id, verb: "watch", words: `its agent ${hosted.agent} goes on by itself` }
      : { run: run.id, verb: "resume", words: hosted.lack.why }
  return steps.map((step) => (resumes(step) ? own : step))
})
