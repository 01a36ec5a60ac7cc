import { createHmac } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import * as Examples from "../../server/test/examples.ts"
import { folder, recorded, serve } from "../../server/test/served.ts"
import { Shell } from "./shell.ts"

const shell = new Shell({ apart: true })
afterAll(shell.remove)

const secret = Buffer.from("a secret of the courier").toString("base64")
const courier = join(import.meta.dirname, "../../server/test/fixtures/courier.ts")

describe("backstitch --server", () => {
  it.live("hands a delivery on, byte for byte, and diagnoses a run of the server", () =>
    Effect.gen(function* () {
      const place = join(yield* folder, "parcel.json")
      process.env["PARCEL"] = place
      process.env["COURIER_SECRET"] = `whsec_${secret}`
      const { address, ask, key } = yield* serve(undefined, { courier })
      const operator = yield* key("default", "operator")
      const run = (args: ReadonlyArray<string>) =>
        Effect.promise(() => shell.run([...args, "--server", address], { BACKSTITCH_KEY: operator }))
      yield* Effect.promise(() => ask("/v1/imports", { key: operator, lines: recorded("trip-43") }))
      yield* Effect.promise(() => ask("/v1/runs", { key: operator, json: { run: "parcel-1", agent: "courier" } }))
      const diagnosed = yield* run(["doctor", "trip-43"])
      assert.deepStrictEqual([diagnosed.code, diagnosed.err], [1, ""])
      const bisect = `backstitch bisect trip-43 --predicate unverified_source --server ${address}`
      assert.include(diagnosed.out, "VIOLATED: unverified_source | it holds since tick 12")
      assert.include(diagnosed.out, bisect)
      yield* Examples.until({ ask }, { key: operator, run: "parcel-1", doing: "waiting", for: "delivery" })
      const parcel = JSON.parse(readFileSync(place, "utf8")) as { key: string }
      const body = JSON.stringify({ key: parcel.key, status: "delivered", parcel: { to: "lugano" } })
      const time = String(Math.floor(Date.now() / 1000))
      const signature = createHmac("sha256", Buffer.from(secret, "base64"))
        .update(`msg_1.${time}.${body}`)
        .digest("base64")
      const headers = { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": `v1,${signature}` }
      writeFileSync(shell.path("body.json"), body)
      writeFileSync(shell.path("headers.json"), JSON.stringify(headers))
      const deliver = ["deliver", shell.path("body.json"), "--headers", shell.path("headers.json")]
      const nameless = yield* run(deliver)
      assert.strictEqual(nameless.code, 2)
      assert.include(nameless.err, "name it with --tool")
      writeFileSync(place, JSON.stringify({ ...parcel, to: "lugano", isDelivered: true }))
      const taken = yield* run([...deliver, "--tool", "ship", "--json"])
      assert.strictEqual(taken.code, 0, taken.err)
      const answer = JSON.parse(taken.out) as { ok: boolean; tool: string; verdict: string }
      assert.deepInclude(answer, { ok: true, tool: "ship" })
      // The host asks about the parcel by itself, and may be the first to learn that it was delivered.
      assert.include(["settled", "known"], answer.verdict)
      writeFileSync(shell.path("body.json"), `${body} `)
      const changed = yield* run([...deliver, "--tool", "ship"])
      assert.deepStrictEqual([changed.code, changed.out], [1, ""])
      assert.include(changed.err, "is not signed in the form")
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          delete process.env["PARCEL"]
          delete process.env["COURIER_SECRET"]
        })
      )
    )
  )

  it.live("makes, lists and removes endpoints as a store does", () =>
    Effect.gen(function* () {
      const { address, key, store } = yield* serve()
      const admin = yield* key("default", "admin")
      const secrets = { BACKSTITCH_KEY: admin, BACKSTITCH_SECRET: "a secret of tests", BACKSTITCH_WEBHOOKS: "private" }
      const run = (args: ReadonlyArray<string>) => Effect.promise(() => shell.run(["webhook", ...args], secrets))
      const url = "http://127.0.0.1:9/hook"
      const made = yield* run(["create", url, "--type", "run.ended", "--arguments", "--server", address, "--json"])
      assert.strictEqual(made.code, 0, made.err)
      const { secret, webhook } = JSON.parse(made.out) as {
        secret: string
        webhook: { endpoint: string; url: string; types: unknown; shows: boolean }
      }
      assert.match(secret, /^whsec_/)
      assert.deepInclude(webhook, { url, types: ["run.ended"], shows: true })
      const local = yield* run(["create", "http://127.0.0.1:9/other", "--store", store])
      assert.strictEqual(local.code, 0, local.err)
      assert.include(local.out, "whsec_")
      const [here, there] = [
        yield* run(["list", "--store", store, "--json"]),
        yield* run(["list", "--server", address, "--json"])
      ]
      assert.deepStrictEqual(JSON.parse(there.out), JSON.parse(here.out))
      assert.lengthOf(JSON.parse(here.out).webhooks, 2)
      assert.notInclude(here.out, secret.slice(6))
      const tested = yield* run(["test", webhook.endpoint, "--server", address])
      assert.strictEqual(tested.code, 1)
      assert.include(tested.out, "did not take it: ECONNREFUSED")
      const removed = yield* run(["remove", webhook.endpoint, "--store", store])
      assert.strictEqual(removed.code, 0, removed.err)
      const gone = yield* run(["remove", webhook.endpoint, "--server", address])
      assert.deepStrictEqual([gone.code, gone.out], [1, ""])
      assert.include(gone.err, "There is no endpoint")
      assert.include((yield* run(["list", "--store", store])).out, "/other")
    })
  )
})
