import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import * as WebhookSignature from "@backstitch/contracts/WebhookSignature"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { TraceStoreError } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as lab from "../../runtime/test/lab.ts"
import * as RunNews from "../src/webhooks/RunNews.ts"
import * as WebhookEndpoints from "../src/webhooks/WebhookEndpoints.ts"
import * as WebhookOutbox from "../src/webhooks/WebhookOutbox.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

interface Received {
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A receiver on loopback that answers as it is told. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<Received> = []
    const answers: Array<number> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on("end", () => {
        received.push({ headers: request.headers, body })
        const status = answers.shift() ?? 204
        response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/hook`, received, answers, server }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)

const { tenant } = hall.trip
const options = { permitPrivate: true, tenantSecret: "secret" }
const settings = { permitPrivate: true, tenantSecretOf: () => Effect.succeed("secret") }
const ended = RunNews.ended(hall.trip, { how: "ended", round: 1 })

describe("WebhookOutbox", () => {
  it.live("tells of an approval that waits and of the end, once each, signed for its endpoint", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      const { received, url } = yield* receiver
      const second = yield* receiver
      const agents = { travel: hall.agent(new lab.World(), hall.script(hall.launch)) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const { secret } = yield* WebhookEndpoints.create(tenant, { url }, options)
        yield* WebhookEndpoints.create(tenant, { url: second.url, shows: true }, options)
        yield* host.start(hall.trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* hall.decide(stored, "approved")
        yield* hall.until("ended")
        for (let tries = 0; tries < 2000 && received.length + second.received.length < 4; tries++) yield* hall.turns
        const told = received.map(({ body }) => JSON.parse(body))
        assert.deepStrictEqual(
          told.map(({ type }) => type),
          ["approval.requested", "run.ended"]
        )
        assert.deepInclude(told[0].data, { run: "trip", tool: "fax" })
        // One endpoint is told which question waits, and one that may see it what it asks; both of the same digest.
        assert.notInclude(received.map(({ body }) => body).join(), "harbour")
        const whole = JSON.parse(second.received[0]!.body).data.card
        assert.deepInclude(whole, { withheld: false, params: hall.launch.params })
        assert.deepInclude(told[0].data.card, { withheld: true, params: null, digest: whole.digest })
        for (const { body, headers } of received) {
          const named = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]))
          const arrived = { headers: named, body: new TextEncoder().encode(body) }
          assert.isDefined(WebhookSignature.check("standard_webhooks", arrived, [secret]))
        }
      }).pipe(hall.within(hall.host(stored, agents, { webhooks: { permitPrivate: true } })))
    }).pipe(Effect.scoped)
  )

  it.effect("finds no news for a tenant that has no endpoint, or whose endpoints want no more", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver
      const finding = Effect.die(new Error("news were found that nobody wants"))
      yield* WebhookOutbox.tell(hall.trip, finding)
      const { endpoint } = yield* WebhookEndpoints.create(tenant, { url }, options)
      yield* WebhookEndpoints.changed(tenant, endpoint.id, { gone: true })
      yield* WebhookOutbox.tell(hall.trip, finding, { isLast: true })
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("logs an endpoint that cannot be read once for a run, and tells the others", () =>
    Effect.gen(function* () {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => logged.push(message))
      yield* WebhookEndpoints.create(tenant, { url: "http://127.0.0.1:1/hook" }, options)
      const notes = yield* Notes.Notes
      yield* notes.put({ tenant, kind: "webhook.endpoint", name: "ep_torn", text: "{" })
      const tells = Effect.gen(function* () {
        for (let times = 0; times < 3; times++) yield* WebhookOutbox.tell(hall.trip, Effect.succeed([]))
        yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]), { isLast: true })
      })
      yield* Effect.provide(tells, Logger.layer([logger]))
      assert.strictEqual(logged.length, 1)
      assert.include(String(logged[0]), "ep_torn")
      assert.strictEqual((yield* WebhookOutbox.undelivered(tenant)).size, 1)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("leaves messages of an endpoint that is slow to take them to the next sweep, which others wait for", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver
      yield* WebhookEndpoints.create(tenant, { url }, options)
      for (const id of ["one", "two", "three", "four", "five"]) {
        const run = Run.make(id)
        yield* WebhookOutbox.tell(run, Effect.succeed([RunNews.ended(run, { how: "ended", round: 1 })]))
      }
      // An attempt takes six seconds of the ten that an answer may take.
      const slow = { ...settings, tenantSecretOf: () => Effect.as(TestClock.adjust(6000), "secret") }
      for (const taken of [2, 4, 5]) {
        yield* WebhookOutbox.sweep(slow)
        assert.lengthOf(received, taken)
      }
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("sends again what was not taken, under the same id, and follows no redirect", () =>
    Effect.gen(function* () {
      const { answers, received, url } = yield* receiver
      yield* WebhookEndpoints.create(tenant, { url }, options)
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      answers.push(500, 302)
      assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 1)
      assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 0)
      for (const wait of [5000, 30_000]) {
        yield* TestClock.adjust(wait)
        assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 1)
      }
      assert.strictEqual(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1)
      assert.strictEqual(received.length, 3)
      yield* TestClock.adjust("30 days")
      assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 0)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("keeps a message due while the secret of its tenant is missing, and counts no attempt", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver
      const { endpoint } = yield* WebhookEndpoints.create(tenant, { url }, options)
      yield* WebhookOutbox.tell(
        hall.trip,
        Effect.succeed([ended, RunNews.ended(hall.trip, { how: "ended", round: 2 })])
      )
      const unknown = { ...settings, tenantSecretOf: () => Effect.fail(new Error("no secret")) }
      for (let times = 0; times < 20; times++) {
        const { attempts, problems } = yield* WebhookOutbox.sweep(unknown)
        assert.deepStrictEqual([attempts, problems], [0, [`the secret of tenant ${tenant} is not at hand`]])
        yield* TestClock.adjust("1 day")
      }
      assert.deepInclude((yield* WebhookOutbox.undelivered(tenant)).get(endpoint.id), { messages: 2, attempts: 0 })
      assert.isUndefined((yield* WebhookEndpoints.find(tenant, endpoint.id))?.failed)
      assert.deepInclude(yield* WebhookOutbox.test(tenant, endpoint.id, unknown), { _tag: "Refused" })
      assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 2)
      assert.strictEqual(received.length, 2)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("tells nothing twice that stands, and everything again after a crash before that was noted", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver
      yield* WebhookEndpoints.create(tenant, { url }, options)
      for (let times = 0; times < 3; times++) yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      yield* WebhookOutbox.sweep(settings)
      const notes = yield* Notes.Notes
      yield* notes.remove({ tenant, kind: "webhook.told", name: hall.trip.id })
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      yield* WebhookOutbox.sweep(settings)
      assert.deepStrictEqual(
        received.map(({ headers }) => headers["webhook-id"]),
        [ended.id, ended.id]
      )
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("sends nothing more to an endpoint that is gone or was removed, nor of types that it does not want", () =>
    Effect.gen(function* () {
      const { answers, received, url } = yield* receiver
      const first = yield* WebhookEndpoints.create(tenant, { url }, options)
      yield* WebhookEndpoints.create(tenant, { url, types: ["violation.found"] }, options)
      answers.push(410)
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      yield* WebhookOutbox.sweep(settings)
      assert.deepInclude(
        (yield* WebhookEndpoints.list(tenant)).find(({ id }) => id === first.endpoint.id),
        { gone: true }
      )
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed([RunNews.ended(hall.trip, { how: "ended", round: 2 })]))
      yield* WebhookEndpoints.remove(tenant, first.endpoint.id)
      // The message to an endpoint that is no more is dropped, and not attempted.
      assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 0)
      assert.strictEqual((yield* WebhookOutbox.undelivered(tenant)).size, 0)
      assert.strictEqual(received.length, 1)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("sends an endpoint that fails no other message in a sweep, and goes on with the others", () =>
    Effect.gen(function* () {
      const { answers, received, url } = yield* receiver
      yield* WebhookEndpoints.create(tenant, { url: "http://127.0.0.1:9/" }, options)
      yield* WebhookEndpoints.create(tenant, { url }, options)
      const news = [1, 2, 3].map((round) => RunNews.ended(hall.trip, { how: "ended", round }))
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed(news))
      answers.push(204, 500)
      assert.strictEqual((yield* WebhookOutbox.sweep(settings)).attempts, 3)
      assert.strictEqual(received.length, 2)
      const left = [...(yield* WebhookOutbox.undelivered(tenant)).values()]
      assert.deepStrictEqual(left.map(({ messages }) => messages).sort(), [2, 3])
      assert.strictEqual((yield* WebhookOutbox.undelivered(Run.make("any", "beta").tenant)).size, 0)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("quotes no driver about what nobody foresaw, since its words may hold values", () =>
    Effect.gen(function* () {
      const { url } = yield* receiver
      yield* WebhookEndpoints.create(tenant, { url }, options)
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      const cause = Object.assign(new Error('invalid input: "the secret"'), { code: "22P02" })
      const failure = new TraceStoreError({ operation: "notes", reason: "other", store: "trace.db", cause })
      const { problems } = yield* WebhookOutbox.sweep(settings, () => () => Effect.fail(failure))
      assert.deepStrictEqual(problems, ['Its operation "notes" failed in trace.db (22P02)'])
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("sends what other tenants wait for, whatever cannot be read or reached of some", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver
      const notes = yield* Notes.Notes
      const [damaged, later, away, sound] = ["damaged", "later", "away", "sound"].map((name) => Run.make("trip", name))
      const ids = new Map<Run.Tenant, string>()
      for (const run of [damaged!, later!, away!, sound!]) {
        const { endpoint } = yield* WebhookEndpoints.create(run.tenant, { url }, options)
        ids.set(run.tenant, endpoint.id)
        yield* WebhookOutbox.tell(run, Effect.succeed([RunNews.ended(run, { how: "ended", round: 1 })]))
      }
      yield* notes.put({ tenant: damaged!.tenant, kind: WebhookOutbox.kind, name: "torn", text: '{"endpoint":' })
      const endpoint = { tenant: later!.tenant, kind: "webhook.endpoint", name: ids.get(later!.tenant)! }
      yield* notes.put({ ...endpoint, text: JSON.stringify({ url, types: ["run.dreamt"], since: 0 }) })
      const swept = yield* WebhookOutbox.sweep(settings, (of) =>
        of === away!.tenant ? () => Effect.die(new Error("away is away")) : (work) => work
      )
      assert.strictEqual(swept.attempts, 2)
      assert.strictEqual(received.length, 2)
      assert.deepStrictEqual(swept.problems.map((each) => /torn|away is away|endpoint ep_/.exec(each)?.[0]).sort(), [
        "away is away",
        "endpoint ep_",
        "torn"
      ])
      // The operator of such a tenant sees the rest of what waits, and can remove the endpoint.
      assert.strictEqual((yield* WebhookOutbox.undelivered(later!.tenant)).size, 1)
      yield* WebhookEndpoints.remove(later!.tenant, endpoint.name)
      yield* WebhookOutbox.sweep(settings)
      assert.strictEqual((yield* WebhookOutbox.undelivered(later!.tenant)).size, 0)
      assert.strictEqual(received.length, 3)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("tells again what a note that cannot be read says was told", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiver
      const notes = yield* Notes.Notes
      yield* WebhookEndpoints.create(tenant, { url }, options)
      yield* notes.put({ tenant, kind: "webhook.told", name: hall.trip.id, text: "torn" })
      for (let times = 0; times < 2; times++) yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      yield* WebhookOutbox.sweep(settings)
      assert.strictEqual(received.length, 1)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("sends a test once, and says what came of it", () =>
    Effect.gen(function* () {
      const { answers, received, url } = yield* receiver
      const { endpoint } = yield* WebhookEndpoints.create(tenant, { url }, options)
      answers.push(204, 500)
      assert.deepStrictEqual(yield* WebhookOutbox.test(tenant, endpoint.id, settings), { _tag: "Taken" })
      const refused = yield* WebhookOutbox.test(tenant, endpoint.id, settings)
      assert.deepStrictEqual(refused, { _tag: "Refused", why: "status 500" })
      assert.strictEqual((yield* WebhookOutbox.undelivered(tenant)).size, 0)
      assert.deepInclude(JSON.parse(received[0]!.body), { type: "webhook.test", data: { endpoint: endpoint.id } })
      const foreign = WebhookOutbox.test(Run.make("any", "beta").tenant, endpoint.id, settings)
      assert.strictEqual((yield* Effect.flip(foreign))._tag, "EndpointUnknown")
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )

  it.effect("gives a message up after days, and notes why", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* WebhookEndpoints.create(tenant, { url: "http://127.0.0.1:9/" }, options)
      yield* WebhookOutbox.tell(hall.trip, Effect.succeed([ended]))
      let sent = 0
      for (let day = 0; day < 30; day++) {
        sent += (yield* WebhookOutbox.sweep(settings)).attempts
        yield* TestClock.adjust("1 day")
      }
      assert.isAbove(sent, 5)
      assert.isDefined((yield* WebhookEndpoints.find(tenant, endpoint.id))?.failed)
    }).pipe(Effect.scoped, Effect.provide(Notes.layerMemory))
  )
})
