import * as AdministrationLog from "@backstitch/runtime/AdministrationLog"
import * as History from "@backstitch/runtime/History"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as lab from "../../runtime/test/lab.ts"
import * as RunNews from "../src/webhooks/RunNews.ts"
import * as WebhookDesk from "../src/webhooks/WebhookDesk.ts"
import * as WebhookOutbox from "../src/webhooks/WebhookOutbox.ts"

const { tenant } = lab.trip
const options = { permitPrivate: true, tenantSecret: "secret" }
const settings = { permitPrivate: true, tenantSecretOf: () => Effect.succeed("secret") }
const asked = { url: "http://127.0.0.1:9/a-path-that-is-a-secret?token=another", by: "Ada" }

/** The acts on record, without the secret that none of them may hold. */
const acts = Effect.gen(function* () {
  const store = yield* TraceStore.TraceStore
  if ((yield* store.info(AdministrationLog.runOf(tenant))) === undefined) return []
  const history = yield* History.History
  const all = yield* history.transitions(AdministrationLog.runOf(tenant))
  return all.flatMap(({ body: { data } }) => (data?.["content"] === undefined ? [] : [JSON.stringify(data["content"])]))
})

describe("WebhookDesk", () => {
  it.effect("puts what an admin makes and removes on record first, and shows what was not taken", () =>
    Effect.gen(function* () {
      yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const made = yield* WebhookDesk.create(tenant, { ...asked, types: ["run.ended"] }, options)
          assert.match(made.secret, /^whsec_/)
          assert.deepInclude(made.webhook, { url: asked.url, types: ["run.ended"], shows: false, undelivered: null })
          yield* WebhookOutbox.tell(lab.trip, Effect.succeed([RunNews.ended(lab.trip, { how: "ended", round: 1 })]))
          yield* WebhookOutbox.sweep(settings)
          const [listed, ...others] = yield* WebhookDesk.list(tenant)
          assert.deepStrictEqual(others, [])
          assert.deepInclude(listed?.undelivered, { messages: 1, attempts: 1, why: "ECONNREFUSED" })
          const { endpoint } = made.webhook
          const tested = yield* WebhookDesk.test(tenant, endpoint, settings)
          assert.deepStrictEqual(tested, { endpoint, outcome: "refused", why: "ECONNREFUSED" })
          const removed = yield* WebhookDesk.remove(tenant, { by: "Cleo", endpoint })
          assert.strictEqual(removed.endpoint, endpoint)
          assert.deepStrictEqual(yield* WebhookDesk.list(tenant), [])
          const [first, second, ...more] = yield* acts
          assert.include(first, `"act":"webhook.create","by":"Ada"`)
          assert.include(second, `"act":"webhook.remove","by":"Cleo"`)
          assert.deepStrictEqual(more, [])
          for (const each of [made.secret.slice(6), "a-path", "another"]) assert.notInclude(`${first}${second}`, each)
          assert.include(second, "http://127.0.0.1:9")
        })
      )
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("lists an endpoint whose note cannot be read, and removes it", () =>
    Effect.gen(function* () {
      yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const notes = yield* Notes.Notes
          const { webhook } = yield* WebhookDesk.create(tenant, asked, options)
          yield* notes.put({ tenant, kind: "webhook.endpoint", name: "ep_torn", text: `{"url":` })
          const [first, torn, ...others] = yield* WebhookDesk.list(tenant)
          assert.deepStrictEqual([first?.endpoint, first?.unread], [webhook.endpoint, null])
          assert.deepInclude(torn, { endpoint: "ep_torn", url: null, since: null, types: [] })
          assert.match(torn?.unread ?? "", /its text is not of the form that this version keeps/)
          assert.deepStrictEqual(others, [])
          const removed = yield* WebhookDesk.remove(tenant, { by: "Cleo", endpoint: "ep_torn" })
          assert.deepStrictEqual(removed, torn)
          assert.lengthOf(yield* WebhookDesk.list(tenant), 1)
          assert.include((yield* acts).at(-1), `"act":"webhook.remove","by":"Cleo"`)
        })
      )
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("records nothing of what is refused, and removes nothing of another tenant (L15)", () =>
    Effect.gen(function* () {
      yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const inner = WebhookDesk.create(tenant, asked, { tenantSecret: "secret" })
          assert.deepInclude(yield* Effect.flip(inner), { _tag: "EndpointRefused", fault: "private" })
          assert.deepStrictEqual(yield* acts, [])
          const { webhook } = yield* WebhookDesk.create(tenant, asked, options)
          const other = Run.make("any", "beta").tenant
          const foreign = WebhookDesk.remove(other, { by: "Cleo", endpoint: webhook.endpoint })
          assert.strictEqual((yield* Effect.flip(foreign))._tag, "EndpointUnknown")
          assert.lengthOf(yield* WebhookDesk.list(tenant), 1)
        })
      )
    }).pipe(Effect.provide(Notes.layerMemory))
  )
})
