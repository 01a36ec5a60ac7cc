/**
 * Answers whether acts fit a revised goal, where their contracts do not decide: a model, or a person.
 *
 * All acts of a plan are asked about in one batch. Without an installed judge nobody answers, and an act without an
 * answer counts as in conflict: the cautious side costs work, and never leaves a wrong effect in place.
 *
 * @source Revisable by Design, algorithm 1 (IsCompatible)
 */
import type * as Absorption from "@backstitch/absorber/Absorption"
import type * as Act from "@backstitch/absorber/Act"
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type { Json } from "@backstitch/trace/Canonical"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** A question about an act: its tool and arguments, and the clauses about which the contract does not decide. */
export interface CompatibilityQuestion {
  readonly action: string
  readonly tool: string
  readonly params: Json
  readonly class: Act.Act["class"]
  readonly clauses: ReadonlyArray<string>
}

/** A batch of questions: the goal before and after the revision, and what the user said. */
export interface Batch {
  readonly before: RevisedSpecification.RevisedClauses
  readonly after: RevisedSpecification.RevisedClauses
  readonly said: ReadonlyArray<string>
  readonly questions: ReadonlyArray<CompatibilityQuestion>
}

/** Answers by action. An act without an answer counts as in conflict. */
export type Answers = ReadonlyMap<string, Absorption.ActAnswer>

/** Answers, and the tokens that they cost. */
export interface PricedAnswers {
  readonly answers: Answers
  readonly tokens?: number | undefined
}

/** A judge. `questionsMax` is the largest batch that it answers: acts beyond it count as in conflict. */
export interface Judge {
  readonly questionsMax: number
  readonly answer: (batch: Batch) => Effect.Effect<Answers | PricedAnswers>
}

const judgedOf = (answered: Answers | PricedAnswers): PricedAnswers =>
  "answers" in answered ? answered : { answers: answered }

/** The installed judge; by default one that is never asked. */
export const CompatibilityJudge = Context.Reference<Judge>("@backstitch/runtime/CompatibilityJudge", {
  defaultValue: () => ({ questionsMax: 0, answer: () => Effect.succeed(new Map()) })
})

/** A judge by the word of a person: acts that they name fit. Another, if any, is asked about the rest. */
export const ofPerson = (actions: ReadonlyArray<string>, other?: Judge | undefined): Judge => ({
  questionsMax: actions.length > 0 ? Number.MAX_SAFE_INTEGER : (other?.questionsMax ?? 0),
  answer: (batch) => {
    const kept = batch.questions.flatMap(({ action }) =>
      actions.includes(action) ? [[action, "compatible"] as const] : []
    )
    const questions = batch.questions.filter(({ action }) => !actions.includes(action)).slice(0, other?.questionsMax)
    return other === undefined || questions.length === 0
      ? Effect.succeed(new Map(kept))
      : Effect.map(other.answer({ ...batch, questions }), (answered) => {
          const { answers, tokens } = judgedOf(answered)
          return { answers: new Map([...answers, ...kept]), tokens }
        })
  }
})

/** Answers a batch, at most once: an act that is not asked about, or not answered, counts as in conflict. */
export const answers = Effect.fnUntraced(function* (batch: Batch) {
  const { answer, questionsMax } = yield* CompatibilityJudge
  const asked = batch.questions.slice(0, questionsMax)
  const given: PricedAnswers =
    asked.length === 0 ? { answers: new Map() } : judgedOf(yield* answer({ ...batch, questions: asked }))
  const answers = new Map(
    batch.questions.map(({ action }): readonly [string, Absorption.ActAnswer] => [
      action,
      given.answers.get(action) ?? "conflict"
    ])
  )
  return { answers, tokens: given.tokens } satisfies PricedAnswers
})
