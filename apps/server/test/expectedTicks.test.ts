import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parkAll } from "./parked.ts"
import * as Places from "./places.ts"
import { serve } from "./served.ts"

describe.each(Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]))("writes for one tick on %s", (_, place) => {
  it.live("of callers of two servers that race are committed once, and the others are told to look again", () =>
    Effect.gen(function* () {
      const { ask, key, store } = yield* serve(yield* place)
      const other = yield* serve(store)
      const ada = yield* key("default", "approver", { name: "Ada", capacities: ["operator"] })
      const codes = Array.from({ length: 12 }, (_, index) => `code-${index}`)
      const reviews = yield* parkAll(store, Run.make("launch-1"), codes)
      const shown = yield* Effect.promise(() => ask("/v1/runs/launch-1", { key: ada }))
      const etag = shown.headers.get("etag") ?? ""
      const answers = yield* Effect.promise(() =>
        Promise.all(
          reviews.map(async (review, index) => {
            const decide = index % 2 === 0 ? ask : other.ask
            const response = await decide(`/v1/runs/launch-1/approvals/${review}`, {
              key: ada,
              json: { verdict: "approved", reason: "go" },
              headers: { "if-match": etag }
            })
            return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
          })
        )
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepStrictEqual(statuses, [200, ...codes.slice(1).map(() => 412)])
      assert.isTrue(answers.every(({ body, status }) => status === 200 || body["tag"] === "TickUnmatched"))
      const after = yield* Effect.promise(() => other.ask("/v1/runs/launch-1", { key: ada }))
      assert.strictEqual(after.headers.get("etag"), `"${Number(etag.slice(1, -1)) + 1}"`)
    })
  )
})
