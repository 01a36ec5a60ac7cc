import { createHmac } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import * as Events from "./events.ts"
import * as Examples from "./examples.ts"
import { folder, serve } from "./served.ts"

const agents = { courier: join(import.meta.dirname, "fixtures/courier.ts") }
const secret = Buffer.from("a secret of the courier").toString("base64")
beforeAll(() => {
  process.env["COURIER_SECRET"] = `whsec_${secret}`
})
afterAll(() => {
  delete process.env["COURIER_SECRET"]
  delete process.env["PARCEL"]
})

/** The headers with which a provider signs a body, as Standard Webhooks has it. */
const signed = (body: string, key = secret, millis = Date.now()): Record<string, string> => {
  const [id, time] = ["msg_1", String(Math.floor(millis / 1000))]
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${time}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${signature}` }
}

describe("a delivery", () => {
  it.live("of a provider without a key lets the held run go on that it is about, once", () =>
    Effect.gen(function* () {
      const place = join(yield* folder, "parcel.json")
      process.env["PARCEL"] = place
      const { address, ask, key } = yield* serve(undefined, agents)
      const operator = yield* key("default", "operator")
      const deliver = (path: string, body: string, headers: Record<string, string>) =>
        Effect.promise(async () => {
          const sent = await fetch(`${address}/v1/deliveries/${path}`, { method: "POST", body, headers })
          return { status: sent.status, body: (await sent.json()) as Record<string, unknown> }
        })
      yield* Effect.promise(() => ask("/v1/runs", { key: operator, json: { run: "parcel-1", agent: "courier" } }))
      yield* Examples.until({ ask }, { key: operator, run: "parcel-1", doing: "waiting", for: "delivery" })
      const parcel = JSON.parse(readFileSync(place, "utf8")) as { key: string; to: string }
      const body = JSON.stringify({ key: parcel.key, status: "delivered", parcel: { to: "lugano" } })

      // Who signs nothing, something else, or something old learns nothing, and of no tenant more than of another.
      const stranger = signed(body, Buffer.from("another secret").toString("base64"))
      const old = signed(body, secret, Date.now() - 86_400_000)
      for (const headers of [{}, stranger, signed(`${body} `), old]) {
        const [here, nowhere] = [
          yield* deliver("default/ship", body, headers),
          yield* deliver("nobody/ship", body, headers)
        ]
        assert.deepStrictEqual([here.status, here.body["tag"]], [401, "DeliveryUnsigned"])
        assert.deepStrictEqual(nowhere, here)
      }
      const unwanted = yield* deliver("default/fax", body, signed(body))
      assert.deepStrictEqual([unwanted.status, unwanted.body["tag"]], [404, "DeliveryUnwanted"])
      const unreadable = yield* deliver("default/ship", "<html>", signed("<html>"))
      assert.deepStrictEqual([unreadable.status, unreadable.body["tag"]], [422, "DeliveryRefused"])
      const foreign = yield* deliver("nobody/ship", body, signed(body))
      assert.deepStrictEqual([foreign.status, foreign.body["tag"]], [422, "DeliveryRefused"])
      assert.strictEqual((yield* deliver("default/ship", "{".repeat(100_000), {})).status, 401)
      assert.strictEqual((yield* deliver("default/ship", "x".repeat(2 << 20), {})).status, 413)

      writeFileSync(place, JSON.stringify({ ...parcel, isDelivered: true }))
      const taken = yield* deliver("default/ship", body, signed(body))
      assert.deepStrictEqual([taken.status, taken.body["verdict"], taken.body["tool"]], [200, "settled", "ship"])
      yield* Events.until(`${address}/v1/runs/parcel-1/events?from=1`, operator, "goal.complete")
      const again = yield* deliver("default/ship", body, signed(body))
      assert.deepStrictEqual([again.status, again.body["verdict"]], [200, "replayed"])
    })
  )

  it.live("comes no faster than an address may send, whatever it is about", () =>
    Effect.gen(function* () {
      const settings = { metricsKey: "a key of tests", proxies: 1 }
      const { address } = yield* serve(undefined, {}, 1, undefined, settings)
      const send = (sender: string) =>
        Effect.promise(async () => {
          const headers = { "x-forwarded-for": sender }
          const sent = await fetch(`${address}/v1/deliveries/default/ship`, { method: "POST", body: "{}", headers })
          await sent.body?.cancel()
          return sent.status
        })
      // A stranger who makes up another address each time has one rate, and takes nothing from that of a provider.
      const statuses = yield* Effect.all(
        Array.from({ length: 12 }, (_, nth) => send(`198.51.100.${nth}, 203.0.113.7`)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(statuses)].sort(), [404, 429])
      assert.strictEqual(yield* send("192.0.2.1"), 404)
      const metrics = yield* Effect.promise(async () =>
        (await fetch(`${address}/metrics`, { headers: { authorization: "Bearer a key of tests" } })).text()
      )
      assert.match(metrics, /http_route="\/v1\/deliveries\/:tenant\/:tool"[^}]*status_code="429"/)
    })
  )
})
