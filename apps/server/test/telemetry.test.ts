import * as Net from "node:net"
import { join } from "node:path"
import * as SpanAttributes from "@backstitch/runtime/SpanAttributes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FeedStream from "../src/stream/FeedStream.ts"
import * as Collector from "./collector.ts"
import * as Events from "./events.ts"
import * as visa from "./fixtures/visa.ts"
import { parkAll } from "./parked.ts"
import { serve } from "./served.ts"

const agents = {
  visa: join(import.meta.dirname, "fixtures/visa.ts"),
  errands: join(import.meta.dirname, "fixtures/agent.ts")
}
const metricsKey = "a key of the one who watches"

const attributesOf = ({ attributes }: Collector.Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe("telemetry", () => {
  it.live(
    "tells a collector of requests and of hosted runs, and nothing that is secret or sensitive (decision 0028)",
    () =>
      Effect.gen(function* () {
        const collector = yield* Collector.collect
        const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_BSP_SCHEDULE_DELAY: "200" }
        const keys: Array<string> = []
        yield* Effect.scoped(
          Effect.gen(function* () {
            const sealingKey = "ab".repeat(32)
            const secrets = { secret: "a secret of tests", sealingKey }
            const { address, ask, key } = yield* serve(undefined, agents, 10_000, undefined, {
              environment,
              secrets,
              metricsKey
            })
            const admin = yield* key("default", "admin")
            const told = (path: string, asked: Parameters<typeof ask>[1] = {}) =>
              Effect.promise(async () => {
                const response = await ask(path, { key: admin, ...asked })
                return { status: response.status, text: await response.text() }
              })
            const begun = yield* told("/v1/runs", { json: { run: "visa-1", agent: "visa" } })
            assert.strictEqual(begun.status, 202, begun.text)
            yield* Events.until(`${address}/v1/runs/visa-1/events?from=1`, admin, "goal.complete")
            const made = yield* told("/v1/keys", {
              json: { name: "ci", role: "viewer" },
              headers: { "idempotency-key": "k" }
            })
            keys.push(admin, (JSON.parse(made.text) as { text: string }).text)
            const quoting = encodeURIComponent(`world.visas.exists(id, world.visas[id].passport == '${visa.passport}')`)
            yield* told(`/v1/runs/visa-1/onset?predicate=${quoting}`)
            const refused = yield* told(
              `/v1/runs/visa-1/onset?predicate=${encodeURIComponent(`'${visa.passport}' ===`)}`
            )
            assert.strictEqual(refused.status, 400)
            yield* told(`/v1/runs?limit=3&key=${keys[1]}`, { key: keys[1]! })
            yield* told("/v1/runs", { key: `bsk_${"0".repeat(16)}_${"5".repeat(64)}` })
            yield* told("/metrics", { key: metricsKey })
          })
        )
        const all = collector.text()
        for (const key of keys) assert.notInclude(all, key.slice(-64))
        const others = [visa.passport, visa.born, "5".repeat(64), "a secret of tests", "ab".repeat(32), metricsKey]
        for (const secret of others) assert.notInclude(all, secret)
        const spans = collector.spans()
        const named = (name: string) => spans.filter((span) => span.name === name).map(attributesOf)
        const routes = spans.map(attributesOf).map((each) => each["http.route"])
        for (const route of ["/v1/runs/:run/onset", "/v1/runs", "/v1/keys"]) assert.include(routes, route)
        assert.include(named("HostedRun.turn")[0], { "workflow.run_id": "visa-1", "backstitch.agent": "visa" })
        const applied = named("backstitch.action").find((each) => each["tool.name"] === "apply")!
        const absent = ["approval.id", "discrepancy.class"]
        for (const name of Object.keys(SpanAttributes.attributes).filter((each) => !absent.includes(each))) {
          assert.isString(applied[name], name)
        }
        assert.isNotEmpty(named("backstitch.execution"))
        const metrics = collector.text("/v1/metrics")
        for (const name of [
          ...[
            "http.server.request.duration",
            "backstitch.host.runs",
            "backstitch.store.commits",
            "process.memory.usage"
          ],
          ...["backstitch.verification_success.numerator", "backstitch.server.streams"]
        ]) {
          assert.include(metrics, `"${name}"`)
        }
        assert.include(collector.text("/v1/logs"), "The server stops")
      })
  )

  it.live("shows the metrics of the process to whom the operator has given their key, and to nobody else", () =>
    Effect.gen(function* () {
      const served = yield* serve(undefined, agents, 10_000, undefined, { metricsKey })
      const { address, ask, key } = served
      const operator = yield* key("acme", "operator")
      const metrics = Effect.promise(async () => (await ask("/metrics", { key: metricsKey })).text())
      for (const given of [{}, { key: operator }, { key: "another" }]) {
        assert.strictEqual((yield* Effect.promise(() => ask("/metrics", given))).status, 401)
      }
      const begin = { key: operator, json: { run: "errand-1", agent: "errands" } }
      assert.strictEqual((yield* Effect.promise(() => ask("/v1/runs", begin))).status, 202)
      yield* Events.until(`${address}/v1/runs/errand-1/events?from=1`, operator, "review.requested")
      yield* Effect.promise(() => ask("/v1/runs/errand-1/report", { key: operator }))
      yield* Effect.promise(() => ask("/v1/runs/errand-1/nothing", { key: operator }))
      let text = ""
      for (let turn = 0; turn < 300 && !text.includes('backstitch_host_runs{doing="waiting"} 1'); turn++) {
        text = yield* metrics
        yield* Effect.sleep(20)
      }
      assert.include(text, 'backstitch_host_runs{doing="waiting"} 1\n')
      assert.match(
        text,
        /http_server_request_duration_seconds_count\{[^}]*http_route="\/v1\/runs\/:run\/report"[^}]*status_code="200"[^}]*\} 1\n/
      )
      assert.match(text, /http_server_request_duration_seconds_count\{[^}]*http_route="none"[^}]*status_code="404"/)
      assert.notInclude(text, "errand-1")
      for (const name of [
        ...["backstitch_store_commits_total", "backstitch_host_webhooks_waiting", "process_cpu_time_seconds"],
        ...["process_memory_usage_bytes", "nodejs_eventloop_delay_max_seconds", "http_server_active_requests"]
      ]) {
        assert.match(text, new RegExp(`^${name}[ {]`, "m"))
      }
      const other = yield* serve()
      assert.strictEqual((yield* Effect.promise(() => other.ask("/metrics", { key: metricsKey }))).status, 404)
    })
  )

  it.live("counts a stream until its reader, who takes nothing, is cut off", () =>
    Effect.gen(function* () {
      const { address, ask, key, store } = yield* serve(undefined, {}, 10_000, undefined, { metricsKey }).pipe(
        Effect.provideService(FeedStream.Times, { stallMillis: 100, lifeMillis: 60_000 })
      )
      const viewer = yield* key("default", "viewer")
      // More than the buffers of a connection hold.
      yield* parkAll(
        store,
        Run.make("long"),
        Array.from({ length: 150 }, (_, index) => `${index}`.padEnd(60_000, "x"))
      )
      const streams = Effect.promise(async () => {
        const text = await (await ask("/metrics", { key: metricsKey })).text()
        return Number(/^backstitch_server_streams (\d+)$/m.exec(text)?.[1])
      })
      const { hostname, port } = new URL(address)
      const socket = Net.connect(Number(port), hostname)
      socket.on("error", () => undefined)
      socket.pause()
      socket.write(
        `GET /v1/runs/long/events?from=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${viewer}\r\nconnection: close\r\n\r\n`
      )
      const until = Effect.fnUntraced(function* (count: number) {
        for (let turn = 0; turn < 500 && (yield* streams) !== count; turn++) yield* Effect.sleep(20)
        assert.strictEqual(yield* streams, count)
      })
      yield* until(1)
      yield* until(0)
      socket.destroy()
    })
  )
})
