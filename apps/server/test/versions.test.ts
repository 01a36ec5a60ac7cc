import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { recorded, serve } from "./served.ts"

describe("version control over HTTP", () => {
  it.live("finds where a failure began and what led to it, forks before it, and compares the two", () =>
    Effect.gen(function* () {
      const { as, ask, key } = yield* serve()
      const operator = yield* key("default", "operator")
      const [all, told] = [as(operator, "/v1/runs/"), as(operator, "/v1/runs/trip-43/")]
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      const onset = yield* told("onset?predicate=unverified_source")
      assert.deepInclude(onset.body, { run: "trip-43", onset: 12, length: 14 })
      assert.strictEqual((yield* told("onset?predicate=nothing_of_the_kind")).body["tag"], "PredicateInvalid")
      assert.strictEqual((yield* told("contributors?predicate=unverified_source")).status, 200)
      assert.deepInclude((yield* told("blame?field=world.spent")).body, { run: "trip-43", tick: 14 })
      const fork = { json: { at: 11, run: "trip-45", reason: "before the plan" }, headers: { "idempotency-key": "f" } }
      const forked = yield* told("forks", fork)
      assert.deepInclude(forked.body, { run: "trip-45", parent: "trip-43", at: 11 })
      assert.deepStrictEqual(yield* told("forks", fork), forked)
      assert.deepStrictEqual((yield* all("trip-45")).body["parent"], { run: "trip-43", tick: 11 })
      assert.isNull((yield* all("trip-43")).body["parent"])
      assert.strictEqual((yield* told("forks", { json: { at: 11, run: "trip-45" } })).body["tag"], "RunExists")
      assert.strictEqual((yield* told("forks", { json: { at: 99 } })).body["tag"], "ForkOutOfRange")
      assert.strictEqual((yield* told("diff/trip-45")).status, 200)
      const picked = yield* Effect.promise(() => ask("/v1/runs/trip-45/picks/trip-43/4", { key: operator }))
      assert.strictEqual(((yield* Effect.promise(() => picked.json())) as { tag: string }).tag, "AlreadyThere")
      assert.strictEqual((yield* told("instances")).body["tag"], "NoSubtasks")
      const prometheus = yield* Effect.promise(async () =>
        (await ask("/v1/metrics/prometheus", { key: operator })).text()
      )
      assert.match(prometheus, /^# (HELP|TYPE) backstitch/m)
    })
  )
})
