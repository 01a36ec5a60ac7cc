import * as Finding from "@backstitch/kernel/Finding"
import type { AnyFinding } from "@backstitch/trace/FindingForm"
import * as English from "@backstitch/wording/English"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as Steps from "../src/history/Steps.ts"
import * as ExplainedCheck from "../src/reporting/ExplainedCheck.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

describe("ExplainedCheck", () => {
  it.effect("shows the expectations of a readback beside its record, and keeps facts without a rule", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const told = yield* lab.as(process)(
        Effect.gen(function* () {
          const history = yield* History.History
          const { head } = yield* history.info(lab.trip)
          const found: Array<ReadonlyArray<ExplainedCheck.ExplainedCheck>> = []
          yield* Steps.walk(lab.trip, { from: 1, to: head.tick }, (step) => {
            if (step.transition.body.type !== "action.verified") return
            const unmet = [
              Finding.make("expectation.unmet", { source: "actual.price == args.price" }),
              Finding.make("record.nothing", {})
            ]
            const about = { action: "a2", tool: "book", params: { flight: "LX1", price: 7 }, unmet }
            found.push(ExplainedCheck.readback({ step, pack: lab.pack, words: English.words }, about))
          })
          return found[0] ?? []
        })
      )
      const [price, other] = told
      assert.deepInclude(price, { ok: false, step: "readback", source: "actual.price == args.price" })
      assert.deepStrictEqual(price?.values, { "actual.price": 80, "args.price": 7 })
      assert.deepInclude(other, { ok: false, found: "nothing of it is in the system of record" })
    })
  )

  it.effect("says of no expectation that a record meets it which is not there", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Steps.walk(lab.trip, { from: 1, to: 1 }, (step) => {
          const about = { action: "a2", tool: "book", params: { flight: "LX1", price: 7 } }
          const told = (...unmet: ReadonlyArray<AnyFinding>) =>
            ExplainedCheck.readback({ step, pack: lab.pack, words: English.words }, { ...about, unmet })
          assert.deepStrictEqual(
            told(Finding.make("record.nothing", {})).map(({ ok, source }) => [ok, source]),
            [[false, undefined]]
          )
          const source = "actual.price == args.price"
          assert.deepInclude(told(Finding.make("expectation.unanswered", { source }))[0], { ok: false, source })
        })
      )
    })
  )
})
