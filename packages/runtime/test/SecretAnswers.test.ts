import * as Run from "@backstitch/trace/Run"
import * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SecretAnswers from "../src/access/SecretAnswers.ts"

const request = { tenant: Run.make("any", "acme").tenant, name: "a key", digest: "a".repeat(64) }
const answer = { status: 201, body: '{"text":"bsk_secret"}' }

describe("SecretAnswers", () => {
  it.effect("answers a repeated request with the same bytes, which the store has never seen", () =>
    Effect.gen(function* () {
      const credential = Redacted.make("bsk_caller")
      let acts = 0
      const act = Effect.sync(() => {
        acts++
        return answer
      })
      for (let time = 0; time < 2; time++) {
        assert.deepStrictEqual(yield* SecretAnswers.once(request, credential, act), answer)
      }
      assert.strictEqual(acts, 1)
      const answers = yield* WriteAnswers.WriteAnswers
      const kept = (yield* answers.begin(request, { now: 0, until: 1 }))!.answer!
      assert.strictEqual(kept.status, 201)
      assert.notInclude(Buffer.from(kept.body, "base64").toString("latin1"), "secret")
      const other = yield* Effect.flip(SecretAnswers.once(request, Redacted.make("bsk_other"), act))
      assert.strictEqual(other._tag, "AnswerSealed")
      assert.include(other.message, "under another name")
      assert.strictEqual(acts, 1)
    }).pipe(Effect.provide(WriteAnswers.layerMemory))
  )
})
