import * as Os from "node:os"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Limits from "../src/Limits.ts"
import * as WebhookEndpoints from "../src/webhooks/WebhookEndpoints.ts"
import * as WebhookSender from "../src/webhooks/WebhookSender.ts"

const { tenant } = Run.make("any", "acme")
const other = Run.make("any", "globex").tenant

describe("WebhookEndpoints", () => {
  it.effect("belong to a tenant, and keep no secret (L15)", () =>
    Effect.gen(function* () {
      const made = yield* WebhookEndpoints.create(
        tenant,
        { url: "https://hooks.example.com/" },
        { tenantSecret: "secret" }
      )
      const notes = yield* Notes.Notes
      const kept = JSON.stringify(yield* notes.list({ kind: "webhook.endpoint" }))
      assert.notInclude(kept, made.secret)
      assert.notInclude(kept, made.secret.slice(6))
      assert.deepStrictEqual(yield* WebhookEndpoints.list(other), [])
      const refused = yield* Effect.flip(WebhookEndpoints.remove(other, made.endpoint.id))
      assert.strictEqual(refused._tag, "EndpointUnknown")
      assert.deepStrictEqual(yield* WebhookEndpoints.list(tenant), [made.endpoint])
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("are refused without a secret to sign with, and beyond their number", () =>
    Effect.gen(function* () {
      const asked = { url: "https://hooks.example.com/" }
      const unsigned = yield* Effect.flip(WebhookEndpoints.create(tenant, asked, { tenantSecret: "" }))
      assert.deepInclude(unsigned, { fault: "unsigned" })
      const create = WebhookEndpoints.create(tenant, asked, { tenantSecret: "secret" })
      for (let count = 0; count < Limits.refusing.webhookEndpointsMax; count++) yield* create
      assert.deepInclude(yield* Effect.flip(create), { fault: "too_many" })
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("are refused where the host could be made to call itself", () =>
    Effect.gen(function* () {
      const asked = { url: "http://169.254.169.254/latest/meta-data" }
      const refused = yield* Effect.flip(WebhookEndpoints.create(tenant, asked, { tenantSecret: "secret" }))
      assert.include(refused.message, "not public")
      assert.notInclude(JSON.stringify(refused) + refused.message, "meta-data")
      const named = { url: "https://me:hunter2@hooks.example.com/path-token" }
      const credentials = yield* Effect.flip(WebhookEndpoints.create(tenant, named, { tenantSecret: "secret" }))
      assert.notMatch(JSON.stringify(credentials) + credentials.message, /hunter2|path-token/)
      assert.include(credentials.message, "https://hooks.example.com")
    }).pipe(Effect.provide(Notes.layerMemory))
  )
})

describe("WebhookSender", () => {
  it.live("connects to no private address, also where a name stands for one by now", () =>
    Effect.gen(function* () {
      const outgoing = { headers: {}, body: "{}" }
      const literal = yield* WebhookSender.send({ ...outgoing, url: "http://127.0.0.1:9/" })
      assert.deepStrictEqual(literal, { _tag: "Refused", why: "private" })
      // Every resolver answers the name of this machine with an address of it.
      const named = yield* WebhookSender.send({ ...outgoing, url: `http://${Os.hostname()}:9/` })
      assert.strictEqual(named._tag, "Refused")
      assert.notInclude(JSON.stringify(named), "ECONNREFUSED")
    })
  )
})
