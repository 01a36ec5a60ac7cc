import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ContributorSearch from "../src/versioning/ContributorSearch.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const asked = (question: ContributorSearch.StateQuestion, options: { readonly budget?: number } = {}) =>
  Effect.gen(function* () {
    const { process } = yield* journey.travelled()
    return yield* lab.as(process)(
      Effect.gen(function* () {
        return {
          answer: yield* ContributorSearch.contributors(lab.trip, question, options),
          all: yield* lab.transitions()
        }
      })
    )
  })

describe("ContributorSearch", () => {
  it.effect("finds one whole booking before the one with which the limit was passed", () =>
    Effect.gen(function* () {
      // Three bookings of 80 pass a limit of 200; without either of the first two, the third would not have.
      const { all, answer } = yield* asked({ predicate: "over" })
      const [contributor, ...others] = answer.found?.contributors ?? []
      assert.deepStrictEqual([answer.found?.verdict, others], ["minimal", []])
      assert.strictEqual(contributor?.type, "action.request")
      const types = contributor!.ticks.map((tick) => all[tick - 1]!.body.type)
      assert.include(types, "action.started")
      assert.include(types, "action.reconciled")
      assert.isTrue(contributor!.ticks.every((tick) => tick < answer.onset!))
      assert.isAtMost(answer.found!.folds, answer.found!.budget)
    })
  )

  it.effect("answers nothing for a predicate that never held", () =>
    Effect.gen(function* () {
      const { answer } = yield* asked({ predicate: "kernel.anomaly_free" })
      assert.deepStrictEqual([answer.onset, answer.found], [null, null])
    })
  )

  it.effect("says that an observation that is enough by itself has no contributors", () =>
    Effect.gen(function* () {
      const { answer } = yield* asked({ predicate: "working.mood > 5" })
      assert.strictEqual(answer.question._tag, "Expression")
      assert.strictEqual(answer.found?.verdict, "none found")
    })
  )

  it.effect("does not call a set minimal that the budget did not allow to reduce", () =>
    Effect.gen(function* () {
      const { answer } = yield* asked({ predicate: "over" }, { budget: 1 })
      assert.deepInclude(answer.found, { verdict: "not minimal", folds: 1, budget: 1 })
    })
  )
})
