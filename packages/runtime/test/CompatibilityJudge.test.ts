import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CompatibilityJudge from "../src/ports/CompatibilityJudge.ts"

const question = (action: string): CompatibilityJudge.CompatibilityQuestion => ({
  action,
  class: "K",
  clauses: ["city"],
  params: {},
  tool: "decorate"
})
const batch = (...actions: ReadonlyArray<string>): CompatibilityJudge.Batch => ({
  after: { clauses: { city: "Basel" } },
  before: { clauses: { city: "Bern" } },
  questions: actions.map(question),
  said: []
})

describe("CompatibilityJudge", () => {
  it.effect("counts each act as in conflict if nobody is there to answer", () =>
    Effect.gen(function* () {
      const { answers } = yield* CompatibilityJudge.answers(batch("a2", "a5"))
      assert.deepStrictEqual([...answers.values()], ["conflict", "conflict"])
    })
  )

  it.effect("tells the tokens of a judge, also where a person answers for some acts", () =>
    Effect.gen(function* () {
      const other: CompatibilityJudge.Judge = {
        questionsMax: 9,
        answer: () => Effect.succeed({ answers: new Map([["a5", "compatible"] as const]), tokens: 120 })
      }
      const judged = yield* Effect.provideService(
        CompatibilityJudge.answers(batch("a2", "a5", "a7")),
        CompatibilityJudge.CompatibilityJudge,
        CompatibilityJudge.ofPerson(["a2"], other)
      )
      assert.deepStrictEqual(Object.fromEntries(judged.answers), { a2: "compatible", a5: "compatible", a7: "conflict" })
      assert.strictEqual(judged.tokens, 120)
    })
  )

  it.effect("asks one batch of at most so many, and counts the others as in conflict", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<string>> = []
      const judge: CompatibilityJudge.Judge = {
        questionsMax: 2,
        answer: ({ questions }) =>
          Effect.sync(() => {
            asked.push(questions.map(({ action }) => action))
            return new Map([["a2", "compatible"]])
          })
      }
      const { answers, tokens } = yield* Effect.provideService(
        CompatibilityJudge.answers(batch("a2", "a5", "a7")),
        CompatibilityJudge.CompatibilityJudge,
        judge
      )
      assert.deepStrictEqual(asked, [["a2", "a5"]])
      assert.deepStrictEqual(Object.fromEntries(answers), { a2: "compatible", a5: "conflict", a7: "conflict" })
      yield* Effect.provideService(CompatibilityJudge.answers(batch()), CompatibilityJudge.CompatibilityJudge, judge)
      assert.strictEqual(asked.length, 1)
      assert.isUndefined(tokens)
    })
  )
})
