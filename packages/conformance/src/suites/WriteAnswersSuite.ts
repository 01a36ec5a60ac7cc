/**
 * The requirements for every `WriteAnswers` layer, as tests.
 *
 * A package with answers calls {@link suite} with its layer in a test file of its own. Times are values, so no test
 * depends on a clock.
 */

import * as RepeatedWrites from "@backstitch/runtime/RepeatedWrites"
import * as Run from "@backstitch/trace/Run"
import * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"

const request = { tenant: Run.make("any", "acme").tenant, name: "pay-4711 \u0000 \\", digest: "a".repeat(64) }
const answer = { status: 200, body: '{"said":"done \\u0000 \\\\"}' }

/** Registers the suite for a layer. */
export const suite = <E>(name: string, layer: Layer.Layer<WriteAnswers.WriteAnswers, E>): void => {
  const isolated = Effect.provide(layer, { local: true })

  describe(`WriteAnswers (${name})`, () => {
    it.live("carries a request out once, and answers it with the same bytes from then on", () =>
      Effect.gen(function* () {
        let acts = 0
        const act = Effect.sync(() => {
          acts++
          return answer
        })
        for (let time = 0; time < 3; time++) {
          assert.deepStrictEqual(yield* RepeatedWrites.once(request, () => true, act), answer)
        }
        assert.strictEqual(acts, 1)
      }).pipe(isolated)
    )

    it.live("refuses another request of that name, and carries it out in another tenant (L15)", () =>
      Effect.gen(function* () {
        yield* RepeatedWrites.once(request, () => true, Effect.succeed(answer))
        const changed = { ...request, digest: "b".repeat(64) }
        const refused = yield* Effect.flip(RepeatedWrites.once(changed, () => true, Effect.succeed(answer)))
        assert.strictEqual(refused._tag, "IdempotencyDiffers")
        const others = { ...changed, tenant: Run.make("any", "other").tenant }
        assert.deepStrictEqual(
          yield* RepeatedWrites.once(others, () => true, Effect.succeed({ status: 201, body: "other" })),
          { status: 201, body: "other" }
        )
      }).pipe(isolated)
    )

    it.live("frees the name of a request that failed, or whose answer is not kept", () =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(RepeatedWrites.once(request, () => true, Effect.fail("no")))
        assert.strictEqual(failed, "no")
        const passing = { status: 503, body: "later" }
        assert.deepStrictEqual(yield* RepeatedWrites.once(request, () => false, Effect.succeed(passing)), passing)
        assert.deepStrictEqual(yield* RepeatedWrites.once(request, () => true, Effect.succeed(answer)), answer)
      }).pipe(isolated)
    )

    it.live("holds the name of a request that is under way, until its time is over", () =>
      Effect.gen(function* () {
        const answers = yield* WriteAnswers.WriteAnswers
        assert.isUndefined(yield* answers.begin(request, { now: 1000, until: 2000 }))
        const held = yield* answers.begin(request, { now: 1999, until: 3000 })
        assert.deepStrictEqual(held, { digest: request.digest, until: 2000, answer: null })
        assert.isUndefined(yield* answers.begin(request, { now: 2000, until: 3000 }))
        yield* answers.finish(request, answer, 20_000)
        const known = yield* answers.begin(request, { now: 9000, until: 9999 })
        assert.deepStrictEqual(known, { digest: request.digest, until: 20_000, answer })
        // Neither a late failure nor a late answer of the process that had gone changes what was answered.
        yield* answers.forget(request)
        yield* answers.finish(request, { status: 500, body: "late" }, 30_000)
        assert.deepStrictEqual((yield* answers.begin(request, { now: 19_999, until: 9999 }))?.answer, answer)
      }).pipe(isolated)
    )

    it.live("frees the name of an answer whose time is over, and deletes such answers in portions", () =>
      Effect.gen(function* () {
        const answers = yield* WriteAnswers.WriteAnswers
        const named = (name: string) => ({ ...request, name })
        for (const [index, name] of ["first", "second", "third", "kept"].entries()) {
          yield* answers.begin(named(name), { now: 0, until: 10 })
          yield* answers.finish(named(name), answer, name === "kept" ? 5000 : 1000 + index)
        }
        // It is free at its moment, also for another request.
        const other = { ...named("first"), digest: "c".repeat(64) }
        assert.strictEqual((yield* answers.begin(other, { now: 999, until: 9000 }))?.digest, request.digest)
        assert.isUndefined(yield* answers.begin(other, { now: 1000, until: 9000 }))
        assert.isNull((yield* answers.begin(other, { now: 1000, until: 9000 }))?.answer)
        assert.strictEqual(yield* answers.expire(1000, 1), 0)
        assert.strictEqual(yield* answers.expire(2000, 1), 1)
        assert.strictEqual(yield* answers.expire(2000, 1), 1)
        assert.strictEqual(yield* answers.expire(2000, 1), 0)
        assert.deepStrictEqual((yield* answers.begin(named("kept"), { now: 2000, until: 9000 }))?.answer, answer)
      }).pipe(isolated)
    )

    it.live("keeps an answer for as long as is set, and deletes all whose time is over", () =>
      Effect.gen(function* () {
        const act = Effect.succeed(answer)
        const once = (name: string) => RepeatedWrites.once({ ...request, name }, () => true, act)
        yield* once("kept")
        for (const name of ["a", "b"]) yield* Effect.provideService(once(name), RepeatedWrites.KeepMillis, 0)
        assert.strictEqual(yield* RepeatedWrites.expire(), 2)
        assert.strictEqual(yield* RepeatedWrites.expire(), 0)
      }).pipe(isolated)
    )
  })
}
