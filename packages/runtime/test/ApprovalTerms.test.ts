import * as Duration from "@backstitch/contracts/Duration"
import * as English from "@backstitch/wording/English"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ApprovalTerms from "../src/pending/ApprovalTerms.ts"
import * as Lexicon from "../src/ports/Lexicon.ts"

describe("ApprovalTerms", () => {
  it.effect("say how long a yes counts, and nothing of it where it does not expire", () =>
    Effect.gen(function* () {
      const lasts = Duration.format(90_000)
      const lasting = yield* ApprovalTerms.of({ tool: "pay" })
      const brief = yield* ApprovalTerms.of({ tool: "pay", expiresMillis: 90_000 })
      assert.deepStrictEqual([lasting.expiresMillis, brief.expiresMillis], [null, 90_000])
      assert.include(brief.permits, lasts)
      assert.notInclude(lasting.permits, lasts)
    })
  )

  it.effect("take their sentences from the lexicon of the embedder", () =>
    Effect.gen(function* () {
      const approvals = { ...English.words.approvals, permits: () => "yes means yes" }
      const words = { ...English.words, approvals }
      const terms = ApprovalTerms.of({ tool: "pay", why: "because" })
      const { permits, why } = yield* Effect.provideService(terms, Lexicon.Lexicon, words)
      assert.deepStrictEqual([why, permits], ["because", "yes means yes"])
    })
  )
})
