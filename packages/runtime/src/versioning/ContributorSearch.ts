/**
 * Finds what led to an onset in a stored run: bisects first, then folds the run again without some of its intents.
 *
 * @source Dendrer, section 3.3.3 (two outputs)
 */
import type { Run } from "@backstitch/trace/Run"
import * as Contributors from "@backstitch/version-control/Contributors"
import type * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import * as Wording from "@backstitch/wording/Wording"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as Lexicon from "../ports/Lexicon.ts"
import * as Bisecting from "./Bisecting.ts"
import * as Predicates from "./Predicates.ts"

/** The contributors to the first tick at which a condition held; `found` is `null` if it never held. */
export interface ContributorSearchResult {
  readonly run: string
  readonly question: OnsetQuestion.OnsetQuestion
  readonly onset: number | null
  /** The effect of the onset, in one line. */
  readonly effect: string | null
  readonly found: OnsetContributors | null
}

/** A contributor, with its effects in a line each. */
export interface Contributor extends Omit<Contributors.Contributor, "effects"> {
  readonly effects: ReadonlyArray<string>
}

/** The contributors to an onset. */
export interface OnsetContributors extends Omit<Contributors.Contributors, "contributors"> {
  readonly contributors: ReadonlyArray<Contributor>
}

const told = ({ contributors, ...found }: Contributors.Contributors, words: Words): OnsetContributors => ({
  ...found,
  contributors: contributors.map(({ effects, ...each }) => ({
    ...each,
    effects: effects.map((some) => Wording.effect(some, words))
  }))
})

/** A question that states of one run answer, and exactly: a divergence needs another run, a regression a heuristic. */
export type StateQuestion =
  | Exclude<OnsetQuestion.OnsetQuestion, { readonly _tag: "Divergence" | "Regression" }>
  | { readonly predicate: string }

/**
 * Finds what led to an onset.
 *
 * **Details**
 *
 * `budget` is the maximum number of folds; the default is that of {@link Contributors.budgetOf}.
 */
export const contributors = Effect.fn("ContributorSearch.contributors")(function* (
  run: Run,
  asked: StateQuestion,
  options: { readonly budget?: number | undefined } = {}
) {
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const { onset, question, transition } = yield* Bisecting.bisect(run, asked)
  const effect = typeof transition?.["effect"] === "string" ? transition["effect"] : null
  const answer = (found: OnsetContributors | null): ContributorSearchResult => ({
    run: run.id,
    question,
    onset,
    effect,
    found
  })
  if (onset === null) return answer(null)
  const end = yield* history.at(run)
  const { head } = end
  const rules = yield* library.folding(() => history.fold.rulesAt(end.state, head.tick))
  const predicate =
    question._tag === "Predicate"
      ? rules.predicates.find(({ id }) => id === question.id)
      : question._tag === "Expression"
        ? yield* Predicates.trial(question.source, yield* library.inForce(end.state, head.tick))
        : undefined
  const transitions = yield* history.transitions(run, { to: onset })
  const { budget } = options
  const found = yield* library.folding(() =>
    Contributors.find({ fold: history.fold, transitions, question, onset, predicate, budget })
  )
  return answer(told(found, yield* Lexicon.Lexicon))
})
