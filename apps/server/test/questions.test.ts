/** Questions that cost processor time: they hold up nobody else, and end when their caller goes. */
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parkAll } from "./parked.ts"
import { recorded, type Served, serve } from "./served.ts"

/** Three loops over as many items take two thirds of the steps that an evaluation may have. */
const items = 85

/** A condition of most of the steps that an evaluation may have, which holds at no tick. */
const dear = (() => {
  const list = `[${Array.from({ length: items }, (_, index) => index).join(",")}]`
  return encodeURIComponent(`${list}.exists(a, ${list}.exists(b, ${list}.exists(c, a + b + c > 1000)))`)
})()

const metricsKey = "a key of the one who watches"

const served = (workers: number) => serve(undefined, {}, 10_000, undefined, { workers, metricsKey })

/** Makes a run of two ticks for each call, at each of which a dear question is looked at. */
const withLong = ({ store }: Served, tenant: string, calls: number) =>
  parkAll(
    store,
    Run.make("long", tenant),
    Array.from({ length: calls }, (_, index) => `code-${index}`)
  )

const withRun = Effect.fnUntraced(function* ({ ask, key }: Served) {
  const [operator, other] = [yield* key("default", "operator"), yield* key("beta", "viewer")]
  const imported = yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
  assert.strictEqual(imported.status, 200)
  return { operator, other }
})

/** A dear question, whether it is answered, and its answer. */
const asking = ({ ask }: Served, key: string) => {
  const question = { isAnswered: false, answer: Promise.resolve({ status: 0, text: "" }) }
  question.answer = ask(`/v1/runs/long/onset?predicate=${dear}`, { key }).then(async (response) => {
    question.isAnswered = true
    return { status: response.status, text: await response.text() }
  })
  return question
}

/** The numbers of questions that a worker answers, and that wait for one, as the metrics have them. */
const counted = ({ ask }: Served) =>
  Effect.promise(async () => {
    const text = await (await ask("/metrics", { key: metricsKey })).text()
    const of = (state: string) =>
      Number(new RegExp(`server_questions\\{state="${state}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
    return { working: of("working"), waiting: of("waiting") }
  })

/** Waits for these numbers, and tells whether they were seen before the question was answered. */
const seenDuring = Effect.fnUntraced(function* (
  self: Served,
  question: { readonly isAnswered: boolean },
  wanted: { readonly working: number; readonly waiting: number }
) {
  while (!question.isAnswered) {
    const { waiting, working } = yield* counted(self)
    if (working === wanted.working && waiting === wanted.waiting) return !question.isAnswered
    yield* Effect.sleep("5 millis")
  }
  return false
})

describe("a dear question", () => {
  it.live("is answered by a worker as by the server itself, and others are answered meanwhile", () =>
    Effect.gen(function* () {
      const self = yield* served(1)
      const { operator, other } = yield* withRun(self)
      yield* withLong(self, "default", 8)
      const question = asking(self, operator)
      assert.isTrue(yield* seenDuring(self, question, { working: 1, waiting: 0 }))
      assert.strictEqual((yield* Effect.promise(() => self.ask("/v1/caller", { key: other }))).status, 200)
      assert.isFalse(question.isAnswered)
      const answer = yield* Effect.promise(() => question.answer)
      assert.strictEqual(answer.status, 200, answer.text)
      const itself = yield* serve(self.store)
      const again = asking(itself, yield* itself.key("default", "viewer"))
      assert.deepStrictEqual(answer, yield* Effect.promise(() => again.answer))
    })
  )

  it.live("is given up when its caller goes, long before it would be answered, and so are those behind it", () =>
    Effect.gen(function* () {
      const self = yield* served(2)
      const { operator, other } = yield* withRun(self)
      // The same question about a quarter of the ticks is still being answered once the others are given up.
      yield* withLong(self, "default", 32)
      yield* withLong(self, "beta", 8)
      const gone = new AbortController()
      const headers = { authorization: `Bearer ${operator}`, "content-type": "application/json" }
      const trial = JSON.stringify({ violation: decodeURIComponent(dear), samples: ["long"] })
      // A trial is sent, as a write is, and records nothing.
      const asks = [
        ["/v1/predicates/trials", { method: "POST", body: trial }],
        [`/v1/runs/long/onset?predicate=${dear}`, {}],
        ["/v1/predicates/trials", { method: "POST", body: trial }]
      ] as const
      const abandoned = asks.map(([path, more]) =>
        fetch(`${self.address}${path}`, { ...more, headers, signal: gone.signal }).catch(() => "gone")
      )
      const kept = asking(self, other)
      assert.isTrue(yield* seenDuring(self, kept, { working: 2, waiting: 2 }))
      gone.abort()
      assert.deepStrictEqual(yield* Effect.promise(() => Promise.all(abandoned)), ["gone", "gone", "gone"])
      assert.isTrue(yield* seenDuring(self, kept, { working: 1, waiting: 0 }))
      assert.strictEqual((yield* Effect.promise(() => kept.answer)).status, 200)
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
