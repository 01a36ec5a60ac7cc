/** Serves a store of its own for a test, on a free port of this machine. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import type { KeyRole } from "@backstitch/trace/KeyRole"
import * as Run from "@backstitch/trace/Run"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Server from "../src/Server.ts"
import * as Stores from "../src/store/Stores.ts"
import * as Draining from "../src/upkeep/Draining.ts"

/** A folder that goes with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-server-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** A recorded run of the travel example, as JSON lines. */
export const recorded = (name: "trip-43"): string =>
  readFileSync(new URL(`../../../examples/travel-booking/recorded/${name}.jsonl`, import.meta.url), "utf8")

/** A request of a test: `json` is sent as JSON, and `lines` as JSON lines. */
export interface Asked {
  readonly method?: string
  readonly key?: string
  readonly json?: unknown
  readonly lines?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A document that a server answered, with its status and its `ETag`. */
export interface Told<Body> {
  readonly status: number
  readonly etag: string | null
  readonly body: Body
}

/** A server under test. */
export interface Served {
  readonly address: string
  readonly store: string
  /** Makes a key and answers its text. */
  readonly key: (tenant: string, role: KeyRole, more?: Partial<CallerKeys.KeyRequest>) => Effect.Effect<string>
  readonly ask: (path: string, asked?: Asked) => Promise<Response>
  /** Asks with a key, for documents at paths under another one. */
  readonly as: <Body = Readonly<Record<string, unknown>>>(
    key: string,
    under?: string
  ) => (path: string, asked?: Asked) => Effect.Effect<Told<Body>>
  /** Begins to stop, and goes on answering. */
  readonly drain: Effect.Effect<void>
}

const settings = (store: string, agents: Server.Settings["agents"]): Server.Settings => ({
  store,
  host: "127.0.0.1",
  port: 0,
  secrets: { secret: "a secret of tests", sealingKey: "" },
  agents,
  cluster: undefined,
  identity: undefined,
  webhooks: { permitPrivate: true },
  requestsPerSecond: 10_000,
  proxies: 0,
  workers: 0,
  environment: {},
  metricsKey: undefined,
  answerKeptMillis: 86_400_000
})

/** Serves a store: a new one, or the one that is given. */
export const serve = Effect.fnUntraced(function* (
  given?: string,
  agents: Server.Settings["agents"] = {},
  requestsPerSecond = 10_000,
  identity?: Server.Settings["identity"],
  more: Partial<Server.Settings> = {}
) {
  const store = given ?? join(yield* folder, "trace.db")
  const services = yield* Layer.build(
    Server.layer({ ...settings(store, agents), requestsPerSecond, identity, ...more })
  )
  const address = HttpServer.formatAddress(Context.get(services, HttpServer.HttpServer).address)
  const ask: Served["ask"] = (path, { headers = {}, json, key, lines, method } = {}) =>
    fetch(`${address}${path}`, {
      method: method ?? (json === undefined && lines === undefined ? "GET" : "POST"),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(lines === undefined ? {} : { "content-type": "application/x-ndjson" }),
        ...headers
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(lines === undefined ? {} : { body: lines })
    })
  const served: Served = {
    address,
    drain: Context.get(services, Draining.Draining).begin,
    store,
    key: (tenant, role, more = {}) =>
      Stores.within(
        Run.make("any", tenant).tenant,
        CallerKeys.create({
          tenant: Run.make("any", tenant).tenant,
          role,
          name: `${role} of ${tenant}`,
          capacities: [],
          ...more
        })
      ).pipe(
        Effect.map(({ text }) => text),
        Effect.scoped,
        Effect.provide(services),
        Effect.orDie
      ),
    ask,
    as:
      <Body>(key: string, under = "") =>
      (path: string, asked: Asked = {}) =>
        Effect.promise(async () => {
          const response = await ask(`${under}${path}`, { key, ...asked })
          const body = (await response.json()) as Body
          return { status: response.status, etag: response.headers.get("etag"), body }
        })
  }
  return served
})
