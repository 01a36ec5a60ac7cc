import type * as Access from "@backstitch/api/Access"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as RateLimit from "../src/caller/RateLimit.ts"
import * as UnknownCallers from "../src/caller/UnknownCallers.ts"
import * as Limits from "../src/Limits.ts"

const caller: Access.CallerFacts = { capacities: [], key: "k1", name: "ada", role: "viewer", tenant: "acme" as never }

const request = HttpServerRequest.fromWeb(new Request("http://localhost/v1/runs"))

/** The failures of look-ups by texts that were never recognised, all from one address, with a burst of two. */
const failuresOf = <E>(looks: ReadonlyArray<Effect.Effect<Access.CallerFacts | undefined, E>>) =>
  Effect.gen(function* () {
    const unknown = yield* UnknownCallers.make
    return yield* Effect.forEach(looks, (look, index) => Effect.flip(unknown.refuse(`text ${index}`, look)))
  }).pipe(
    Effect.provideService(RateLimit.Rate, 2 / Limits.refusing.burstSecondsMax),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request)
  )

describe("UnknownCallers", () => {
  it.effect("refuse guesses beyond the rate", () =>
    Effect.gen(function* () {
      const guesses = yield* failuresOf([1, 2, 3].map(() => Effect.succeed(undefined)))
      assert.deepStrictEqual(
        guesses.map(({ status }) => status),
        [401, 401, 429]
      )
    })
  )

  it.effect("take nothing from an address whose callers nobody could look up", () =>
    Effect.gen(function* () {
      const failures = yield* failuresOf([1, 2, 3, 4, 5].map(() => Effect.fail("away" as const)))
      assert.deepStrictEqual(failures, ["away", "away", "away", "away", "away"])
    })
  )

  it.effect("give back what a caller in force has taken", () =>
    Effect.gen(function* () {
      const unknown = yield* UnknownCallers.make
      for (const text of ["a", "b", "c", "d"]) {
        assert.deepStrictEqual(yield* unknown.refuse(text, Effect.succeed(caller)), caller)
      }
    }).pipe(
      Effect.provideService(RateLimit.Rate, 2 / Limits.refusing.burstSecondsMax),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
  )
})
