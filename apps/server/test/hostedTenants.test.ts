/** Work on the runs that a server hosts for one tenant, which asks for everything of another (L15). */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ProcessHost from "@backstitch/host/ProcessHost"
import * as RunHost from "@backstitch/host/RunHost"
import type * as AgentFile from "@backstitch/runtime/AgentFile"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlLimits from "@backstitch/sql/Limits"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Leases from "@backstitch/trace/Leases"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as WriteAnswers from "@backstitch/trace/WriteAnswers"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Client } from "pg"
import * as Limits from "../src/Limits.ts"
import * as Stores from "../src/store/Stores.ts"
import * as Errands from "./errands.ts"
import * as Events from "./events.ts"
import { park } from "./parked.ts"
import * as Places from "./places.ts"
import { receiver } from "./receiver.ts"
import { serve } from "./served.ts"

Errands.shop()

const postgres = Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]).find(([name]) => name === "Postgres")!
const [own, foreign] = [Run.make("mine", "acme"), Run.make("launch-1", "beta")]
const steps = [
  { id: "look", propose: { tool: "look", params: {} } },
  { id: "done", propose: { type: "goal.complete" } }
] as const
const pack = Result.getOrThrow(
  TaskPack.make({ pack: "acme.spy", version: "1.0.0", tools: { look: { class: "read_only", input: {} } } })
)

/** Asks the database as its owner. */
const asOwner = <Row extends object>(store: string, sql: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: store, options: "-c search_path=backstitch" })
    await client.connect()
    const { rows } = await client.query<Row>(sql)
    await client.end()
    return rows
  })

/** Everything that the services of a fiber show of another tenant, and what of it they could change. */
const spying = Effect.gen(function* () {
  const found: Array<string> = []
  const asked: Array<string> = []
  const look = Effect.fnUntraced(function* <A, E>(
    name: string,
    ask: Effect.Effect<A, E>,
    isShown: (answer: A) => boolean
  ) {
    const exit = yield* Effect.exit(ask)
    asked.push(name)
    if (Exit.isSuccess(exit) && isShown(exit.value)) found.push(name)
  })
  const some = (rows: Iterable<unknown> | undefined): boolean => rows !== undefined && [...rows].length > 0
  const isThere = (answer: unknown): boolean => answer !== undefined
  const { tenant } = foreign
  const traces = Option.getOrThrow(yield* Effect.serviceOption(TraceStore.TraceStore))
  yield* look("info", traces.info(foreign), isThere)
  yield* look("read", traces.read(foreign), some)
  yield* look("runs", traces.runs(tenant), some)
  yield* look("claims", traces.claims(tenant), some)
  yield* look("fingerprint", traces.fingerprint(tenant), isThere)
  const history = Option.getOrThrow(yield* Effect.serviceOption(History.History))
  yield* look("history", history.info(foreign), isThere)
  const notes = Option.getOrThrow(yield* Effect.serviceOption(Notes.Notes))
  const note = { tenant, kind: "note", name: "one", text: "written by a spy" }
  yield* look("note", notes.find(note), isThere)
  yield* look("notes", notes.list({ kind: "note" }), some)
  yield* look("notes of it", notes.list({ kind: "note", tenant }), some)
  yield* look("write a note", notes.put(note), isThere)
  const leases = Option.getOrThrow(yield* Effect.serviceOption(Leases.Leases))
  yield* look("lease", leases.find(foreign), isThere)
  yield* look("take a lease", leases.acquire(foreign, { holder: "a spy", ttlMillis: 60_000 }), isThere)
  const keys = Option.getOrThrow(yield* Effect.serviceOption(ApiKeys.ApiKeys))
  yield* look("key", keys.find("of-beta"), isThere)
  yield* look("keys", keys.ofTenant(tenant), some)
  yield* look("revoke a key", keys.revoke(tenant, "of-beta", 1), isThere)
  const answers = Option.getOrThrow(yield* Effect.serviceOption(WriteAnswers.WriteAnswers))
  const request = { tenant, name: "request", digest: "a".repeat(64) }
  yield* look("answer", answers.begin(request, { now: 1, until: 2 }), () => true)
  yield* look(
    "write a fingerprint",
    traces.putFingerprint(tenant, { expected: undefined, next: "b".repeat(64) as never }),
    isThere
  )
  const coordinator = Option.getOrThrow(yield* Effect.serviceOption(Coordinator.Coordinator))
  const planted = coordinator.begin({ tenant, id: own.id }, { goal: "planted by a spy" })
  yield* look("begin a run", Effect.scoped(planted), isThere)
  return { asked: asked.length, found }
})

/** An agent whose tool spies with the services that it finds around it, and with those that it was built among. */
const spy: AgentFile.AgentFile = {
  agent: { pack: "pack.yaml", goal: "a secret", steps, tools: { look: { execute: () => ({}) } } },
  pack,
  planner: Planner.layerScript(steps),
  executor: Layer.effect(
    ToolExecutor.ToolExecutor,
    Effect.map(Effect.context<never>(), (built) => ({
      ...ToolExecutor.fromTools({}),
      has: () => true,
      call: () =>
        Effect.map(Effect.all({ called: spying, built: Effect.provideContext(spying, built) }), (output) => ({
          _tag: "Ok" as const,
          output
        }))
    }))
  )
}

/** A host as a server has it. */
const hosting = (store: string) =>
  Layer.unwrap(
    Effect.map(Stores.Stores, ({ of: storeOf }) =>
      ProcessHost.layer({ agents: { spy }, secretOf: () => Effect.succeed("secret"), storeOf })
    )
  ).pipe(Layer.provideMerge(Stores.layer({ store, secrets: { secret: "", sealingKey: "" } })))

/** Waits until a hosted run has come to its end. */
const ended = Effect.gen(function* () {
  const { status } = yield* RunHost.RunHost
  for (let tries = 0; tries < 2000; tries++) {
    const hosted = yield* status(own)
    if (hosted.ending !== undefined) return hosted
    yield* Effect.sleep("5 millis")
  }
  return yield* Effect.die(new Error("the run does not end"))
})

const tables = ["run", "transition", "claim", "lease", "note", "fingerprint", "api_key", "write_answer"]

describe("hosted runs of a tenant", () => {
  it.live("see and change nothing of another one, even if their agent asks the store for it (L15)", () =>
    Effect.gen(function* () {
      const store = (yield* postgres[1])!
      yield* park(store, foreign)
      yield* Effect.gen(function* () {
        yield* asOwner(store, `insert into note values ('beta', 'note', 'one', 'a secret of beta', 1)`)
        yield* asOwner(store, `insert into api_key values ('of-beta', 'beta', 'Bea', 'admin', '[]', '\\x00', 1, null)`)
        yield* asOwner(store, `insert into write_answer values ('beta', 'request', '\\x00', 9, 200, 'a secret')`)
        const rows = asOwner(
          store,
          `select ${tables.map((name) => `(select json_agg(t order by 1) from "${name}" t) as "${name}"`).join(", ")}`
        ).pipe(Effect.map((found) => JSON.stringify(found)))
        const { start } = yield* RunHost.RunHost
        const before = yield* rows
        yield* start(own, { agent: "spy" })
        assert.strictEqual((yield* ended).doing, "ended")
        const { of } = yield* Stores.Stores
        const history = yield* Effect.provide(
          Effect.flatMap(History.History, (found) => found.transitions(own)),
          yield* of(own.tenant)
        )
        const told = history.find(({ body }) => body.type === "action.result")
        assert.deepStrictEqual(told?.body.result?.output, {
          called: { asked: 18, found: [] },
          built: { asked: 18, found: [] }
        })
        yield* asOwner(
          store,
          "delete from transition where id / 16777216 in (select id from run where tenant = 'acme')"
        )
        for (const table of ["run", "claim", "lease", "note", "fingerprint"]) {
          yield* asOwner(store, `delete from ${table} where tenant = 'acme'`)
        }
        assert.strictEqual(yield* rows, before)
      }).pipe(Effect.scoped, Effect.provide(hosting(store)))
    })
  )

  it.live("are written by connections of their tenant alone, with fewer than there are tenants (L15)", () =>
    Effect.gen(function* () {
      const store = `${(yield* postgres[1])!}?application_name=many_tenants`
      const { address, as, key } = yield* serve(store, Errands.agents)
      // Whoever writes a row stands in it from now on.
      const written = ["run", "transition", "claim", "lease", "note", "fingerprint", "write_answer"]
      for (const table of written)
        yield* asOwner(store, `alter table ${table} add column writer text default current_user`)
      const tenants = Array.from({ length: 28 }, (_, place) => `tenant-${place}`)
      const { received, url } = yield* receiver
      const admin = yield* key(tenants[0]!, "admin")
      assert.strictEqual(
        (yield* as(admin)("/v1/webhooks", { json: { url, types: ["approval.requested"] } })).status,
        201
      )
      yield* Effect.forEach(
        tenants,
        Effect.fnUntraced(function* (tenant) {
          const operator = yield* key(tenant, "operator")
          const begin = { json: { run: "errand", agent: "errands" }, headers: { "idempotency-key": "begin" } }
          assert.strictEqual((yield* as(operator)("/v1/runs", begin)).status, 202)
          yield* Events.until(`${address}/v1/runs/errand/events?from=1`, operator, "review.requested")
        }),
        { concurrency: "unbounded" }
      )
      const [opened] = yield* asOwner<{ readonly count: string }>(
        store,
        "select count(*) from pg_stat_activity where application_name = 'many_tenants'"
      )
      const { hostConnectionsMax, tenantLeaseConnectionsMax } = Limits.pacing
      const { sharedConnectionsMax } = SqlLimits.pacing
      // One listens, and one asks this.
      assert.isAtMost(Number(opened?.count), sharedConnectionsMax + tenantLeaseConnectionsMax + hostConnectionsMax + 2)
      const waiting = "select name from note where kind = 'webhook.message'"
      for (let tries = 0; tries < 400; tries++) {
        if (received.length > 0 && (yield* asOwner(store, waiting)).length === 0) break
        yield* Effect.sleep("50 millis")
      }
      assert.deepStrictEqual(yield* asOwner(store, waiting), [])
      assert.deepInclude(JSON.parse(received[0]!.body), { type: "approval.requested" })
      const rows = written.map((table) => `select writer from ${table} where writer is not null`).join(" union ")
      assert.deepStrictEqual(yield* asOwner(store, rows), [{ writer: "backstitch_tenant" }])
    })
  )
})
