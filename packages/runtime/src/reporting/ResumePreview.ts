/**
 * Shows, before a resume, how a run continues after a crash: from which tick and snapshot, and what happens to each
 * open action.
 *
 * @source Crash Recovery, "Resume vs restart"
 */
import * as BudgetCheck from "@backstitch/kernel/BudgetCheck"
import * as ResumePlan from "@backstitch/kernel/ResumePlan"
import type { Run } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Lexicon from "../ports/Lexicon.ts"

/** The way in which a run continues with one open action, and the reason in words. */
export interface WordedStep extends Omit<ResumePlan.ResumeStep, "because" | "why"> {
  readonly because: string
}

/**
 * A plan, as plain JSON.
 *
 * **Details**
 *
 * `snapshot` is the tick of the nearest snapshot, 0 without one; later ticks are folded again. `restart` tells
 * whether a step has to be proposed anew. Every other step continues.
 */
export interface ResumePreview {
  readonly tick: number
  readonly snapshot: number
  /** The pack under which the run goes on, which is not always that of its agent; `null` if it has none. */
  readonly pack: { readonly id: string; readonly version: string; readonly digest: string } | null
  readonly restart: boolean
  readonly because: string
  readonly steps: ReadonlyArray<WordedStep>
  /** The budgets with their use. A resumed run does not get new ones (L13). */
  readonly budget: ReadonlyArray<BudgetCheck.BudgetUsage>
}

/** Plans how a run continues. */
export const plan = Effect.fn("ResumePreview.plan")(function* (run: Run) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const store = yield* TraceStore.TraceStore
  const words = yield* Lexicon.Lexicon
  const { head, state } = yield* history.at(run)
  const nearest = yield* store.nearestSnapshot(run, head.tick)
  const tick = head.tick + 1
  const pack = yield* library.inForce(state, tick)
  const terms = { run, lineage: run.id, now: yield* Clock.currentTimeMillis, tick, secret: "", pack }
  const steps = yield* library.folding(() => ResumePlan.plan(terms, state))
  const planned: ResumePreview = {
    tick: head.tick,
    snapshot: nearest?.tick ?? 0,
    pack: pack === undefined ? null : { id: pack.id, version: pack.version, digest: pack.digest },
    restart: steps.some(({ recovery }) => recovery === "restart"),
    because: words.resumption.settled(head.tick),
    steps: steps.map((step) => said(step, words)),
    budget: pack === undefined ? [] : BudgetCheck.usage(pack.budget, state)
  }
  return planned
})

const said = ({ because, why, ...step }: ResumePlan.ResumeStep, words: Words): WordedStep => ({
  ...step,
  because: because === "held" && why !== undefined ? Wording.of(why, words).what : words.resumption.reasons[because]
})
