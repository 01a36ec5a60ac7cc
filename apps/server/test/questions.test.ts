/** Questions that cost processor time: they hold up nobody else, and end when their caller goes. */
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { parkAll } from "./parked.ts"
import { recorded, type Served, serve } from "./served.ts"

/** A condition of most of the steps that an evaluation may have, which holds at no tick. */
const dear = (() => {
  const list = `[${Array.from({ length: 85 }, (_, index) => index).join(",")}]`
  return encodeURIComponent(`${list}.exists(a, ${list}.exists(b, ${list}.exists(c, a + b + c > 1000)))`)
})()

const served = (workers: number) => serve(undefined, {}, 10_000, undefined, { workers })

const withRun = Effect.fnUntraced(function* ({ ask, key, store }: Served) {
  const [operator, other] = [yield* key("default", "operator"), yield* key("beta", "viewer")]
  const imported = yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
  assert.strictEqual(imported.status, 200)
  yield* parkAll(
    store,
    Run.make("long"),
    Array.from({ length: 16 }, (_, index) => `code-${index}`)
  )
  return { operator, other }
})

/** The number of requests of another tenant that are answered while a dear question is. */
const answeredMeanwhile = Effect.fnUntraced(function* (self: Served) {
  const { operator, other } = yield* withRun(self)
  let isAnswered = false
  const asks = async () => {
    const response = await self.ask(`/v1/runs/long/onset?predicate=${dear}`, { key: operator })
    isAnswered = true
    return { status: response.status, text: await response.text() }
  }
  const question = yield* Effect.forkChild(Effect.promise(asks), { startImmediately: true })
  let count = 0
  for (; count < 5000 && !isAnswered; count++) yield* Effect.promise(() => self.ask("/v1/caller", { key: other }))
  return { count, answer: yield* Fiber.join(question) }
})

describe("a dear question", () => {
  it.live("is answered by a worker as by the server itself, and others are answered meanwhile", () =>
    Effect.gen(function* () {
      const itself = yield* Effect.scoped(Effect.flatMap(served(0), answeredMeanwhile))
      const apart = yield* Effect.scoped(Effect.flatMap(served(1), answeredMeanwhile))
      assert.strictEqual(apart.answer.status, 200, apart.answer.text)
      assert.deepStrictEqual(apart.answer, itself.answer)
      assert.isAtLeast(apart.count, 10 * (itself.count + 1), `${itself.count} without a worker`)
    })
  )

  it.live("is given up when its caller goes, and the worker answers the next one", () =>
    Effect.gen(function* () {
      const self = yield* served(1)
      const { operator, other } = yield* withRun(self)
      const gone = new AbortController()
      const abandoned = Array.from({ length: 3 }, () =>
        fetch(`${self.address}/v1/runs/long/contributors?predicate=${dear}`, {
          headers: { authorization: `Bearer ${operator}` },
          signal: gone.signal
        }).catch(() => "gone")
      )
      // The question is under way once another tenant's waits behind it.
      const next = self.ask("/v1/runs/nothing/report", { key: other })
      yield* Effect.promise(() => self.ask("/v1/caller", { key: other }))
      gone.abort()
      assert.deepStrictEqual(yield* Effect.promise(() => Promise.all(abandoned)), ["gone", "gone", "gone"])
      assert.strictEqual((yield* Effect.promise(() => next)).status, 404)
      const verified = yield* Effect.promise(() => self.ask("/v1/runs/trip-43/verification", { key: operator }))
      assert.include(yield* Effect.promise(() => verified.text()), "consistent, unanchored")
    })
  )

  it.live("has the caller, the limits and the problems of any other request", () =>
    Effect.gen(function* () {
      const self = yield* served(1)
      const { operator, other } = yield* withRun(self)
      const told = (path: string, asked: Parameters<Served["ask"]>[1]) =>
        Effect.promise(async () => {
          const response = await self.ask(path, asked)
          const { headers, status } = response
          return { status, type: headers.get("content-type"), etag: headers.get("etag"), text: await response.text() }
        })
      const shown = yield* told("/v1/runs/trip-43", { key: operator })
      assert.deepInclude(shown, { status: 200, etag: '"14"', type: "application/json" })
      const hidden = yield* told("/v1/runs/trip-43", { key: other })
      assert.deepInclude(hidden, { status: 404, type: "application/problem+json" })
      assert.include(hidden.text, '"tag":"RunUnknown"')
      const unfit = yield* told("/v1/runs/trip-43/onset", { key: operator })
      assert.deepInclude(unfit, { status: 400, type: "application/problem+json" })
      const bring = { key: operator, lines: recorded("trip-43"), headers: { "idempotency-key": "one" } }
      const brought = yield* told("/v1/imports", bring)
      assert.include(brought.text, '"present":true')
      assert.deepStrictEqual(yield* told("/v1/imports", bring), brought)
      assert.deepInclude(yield* told("/v1/imports", { ...bring, lines: "no export" }), { status: 400 })
      assert.deepInclude(yield* told("/v1/imports", { ...bring, key: other }), { status: 403 })
    })
  )
})
