import * as WebhookSignature from "@backstitch/contracts/WebhookSignature"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Received, receiver } from "./receiver.ts"
import { serve } from "./served.ts"

type Json = Readonly<Record<string, unknown>>

describe("an endpoint of webhooks", () => {
  it.live("is made, tested, listed and removed by an admin, and shows its secret once", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver
      const { as, ask, key } = yield* serve()
      const admin = yield* key("default", "admin", { name: "Ada" })
      const told = as(admin)
      const named = { "idempotency-key": "webhook-1" }
      const asked = { json: { url, types: ["approval.requested"] }, headers: named }
      const made = yield* told("/v1/webhooks", asked)
      assert.strictEqual(made.status, 201)
      const { secret, webhook } = made.body as { secret: string; webhook: Json }
      // The request again makes no second one, and only its caller is answered with the secret.
      assert.deepStrictEqual(yield* told("/v1/webhooks", asked), made)
      const place = `/v1/webhooks/${webhook["endpoint"]}`
      const tested = yield* told(`${place}/test`, { method: "POST" })
      assert.deepInclude(tested.body, { outcome: "taken", why: null })
      const [{ body, headers }] = received as [Received]
      const arrived = { headers, body: new TextEncoder().encode(body) }
      assert.isDefined(WebhookSignature.check("standard_webhooks", arrived, [secret]))
      assert.strictEqual((JSON.parse(body) as Json)["type"], "webhook.test")
      const listed = yield* told("/v1/webhooks")
      assert.deepStrictEqual(listed.body, { webhooks: [webhook] })
      assert.notInclude(JSON.stringify(listed), secret.slice(6))
      const record = yield* Effect.promise(async () =>
        (await ask("/v1/runs/administration/transitions", { key: admin })).text()
      )
      assert.include(record, "webhook.create")
      assert.notInclude(record, secret.slice(6))
      assert.strictEqual((yield* told(place, { method: "DELETE" })).status, 200)
      assert.deepStrictEqual((yield* told("/v1/webhooks")).body, { webhooks: [] })
      assert.strictEqual((yield* told(`${place}/test`, { method: "POST" })).status, 404)
    })
  )

  it.live("is at no address of the server's own network, unless its operator permits that", () =>
    Effect.gen(function* () {
      const { ask, key } = yield* serve(undefined, {}, 10_000, undefined, {
        webhooks: { permitPrivate: false }
      })
      const admin = yield* key("default", "admin")
      const inner = ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest", "http://localhost:4747/"]
      for (const url of [...inner, "file:///etc/passwd", "http://ada:secret@example.com/", "nothing"]) {
        const response = yield* Effect.promise(() => ask("/v1/webhooks", { key: admin, json: { url } }))
        const body = (yield* Effect.promise(() => response.json())) as Json
        assert.deepStrictEqual([response.status, body["tag"]], [400, "EndpointRefused"], url)
      }
    })
  )
})
