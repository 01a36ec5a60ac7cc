import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import * as RowSecurity from "../src/tenants/RowSecurity.ts"
import * as TenantConnections from "../src/tenants/TenantConnections.ts"
import { freshSchema, postgresUrl } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
const tenants = (count: number) => Array.from({ length: count }, (_, place) => Run.make("trip", `tenant-${place}`))

/** Connections for many tenants, and the owner's beside them. Their server's name tells them from all others. */
const shared = Effect.fnUntraced(function* (settings: Partial<TenantConnections.Options> = {}) {
  const schema = yield* freshSchema
  const options = { url: `${postgresUrl()}?application_name=${schema}`, schema }
  yield* RowSecurity.prepare(options)
  const owner = yield* Postgres.open({ url: postgresUrl(), schema, connectionsMax: 2 })
  const ask = <Row>(sql: string) => Effect.promise(async () => (await owner.execute<Row>({ name: "", sql }, [])).rows)
  const own = `from pg_stat_activity where application_name = '${schema}'`
  return {
    connections: yield* TenantConnections.make({ ...options, ...settings }),
    opened: Effect.map(ask<{ readonly count: number }>(`select count(*) ${own}`), ([row]) => row!.count),
    end: ask(`select pg_terminate_backend(pid) ${own}`),
    owner
  }
})

const select = <Row>(postgres: Postgres.Postgres, sql: string) => postgres.execute<Row>({ name: "", sql }, [])
const seen = "select current_user as role, current_setting('backstitch.tenant') as tenant"

describe("TenantConnections", () => {
  it.live("serve many tenants at once with the connections that there may be, each under its own name (L15)", () =>
    Effect.gen(function* () {
      const { connections, opened } = yield* shared({ connectionsMax: 3, tenantConnectionsMax: 2 })
      const stores = yield* Effect.forEach(tenants(40), (run) =>
        Effect.map(PostgresTraceStore.fromConnections(connections.of(run.tenant)), (store) => ({ run, store }))
      )
      const foreign = (run: Run.Run) => stores.find((each) => each.run.tenant !== run.tenant)!.run
      yield* Effect.forEach(
        stores,
        ({ run, store }) =>
          Effect.gen(function* () {
            yield* SampleCommits.write(store, run, SampleCommits.began, SampleCommits.noted(run.tenant))
            yield* SampleCommits.write(store, run, SampleCommits.noted("again"))
            assert.lengthOf(yield* store.read(run), 3)
            assert.deepStrictEqual(yield* store.read(foreign(run)), [])
            const { rows } = yield* Effect.promise(() =>
              select<{ readonly tenant: string }>(connections.of(run.tenant), "select tenant from run")
            )
            assert.deepStrictEqual(rows, [{ tenant: run.tenant }])
            const { changed } = yield* Effect.promise(() =>
              select(connections.of(run.tenant), `delete from run where tenant <> '${run.tenant}'`)
            )
            assert.strictEqual(changed, 0)
            const planted = Effect.tryPromise(() =>
              select(connections.of(run.tenant), "insert into run (tenant, name) values ('nobody', 'planted')")
            )
            assert.include(String((yield* Effect.flip(planted)).cause), "row-level security")
            assert.isAtMost(yield* opened, 3)
          }),
        { concurrency: "unbounded" }
      )
      assert.isAtMost(yield* opened, 3)
    }).pipe(Effect.scoped)
  )

  it.live("give a tenant the connection that it had, and one of another only under its own name and role (L15)", () =>
    Effect.gen(function* () {
      const { connections } = yield* shared({ connectionsMax: 1, tenantConnectionsMax: 1 })
      const [acme, other] = [
        connections.of(Run.make("x", "acme").tenant),
        connections.of(Run.make("x", "other").tenant)
      ]
      const names: Array<unknown> = []
      yield* Effect.promise(async () => {
        names.push(...(await select(acme, seen)).rows)
        // As a statement of one tenant could leave the connection at worst.
        await select(acme, "reset role")
        await select(acme, "select set_config('backstitch.tenant', 'third', false)")
        names.push(...(await select(other, seen)).rows, ...(await select(connections.ofNobody, seen)).rows)
        // Three statements more, one for each time that it passed to another: none for those of one tenant in a row.
        await select(connections.ofNobody, "select 1")
        await select(acme, "select 1")
        const asked =
          "select generic_plans + custom_plans as times from pg_prepared_statements where name = 'name-tenant'"
        names.push(...(await select(acme, asked)).rows)
      })
      assert.deepStrictEqual(names, [
        { role: Postgres.tenantRole, tenant: "acme" },
        { role: Postgres.tenantRole, tenant: "other" },
        { role: Postgres.tenantRole, tenant: "" },
        { times: 3 }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("let tenants take turns, and none have all of them", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      /** Asks while one tenant holds what it may have, and answers what was answered before it gave that back. */
      const asking = Effect.fnUntraced(function* (connectionsMax: number, ...names: ReadonlyArray<string>) {
        // The share of a tenant is larger than all that there are.
        const { connections } = yield* shared({ connectionsMax })
        const of = (name: string) => connections.of(Run.make("x", name.split(" ")[0]!).tenant)
        const ask = async (name: string) => {
          await select(of(name), "select 1")
          done.push(name)
        }
        return yield* Effect.promise(() =>
          of("busy").transaction(async () => {
            const asked = names.map((name) => [name, ask(name)] as const)
            if (connectionsMax > 1)
              await Promise.all(asked.flatMap(([name, answer]) => (name === "busy" ? [] : [answer])))
            return { before: done.splice(0), after: Promise.all(asked.map(([, answer]) => answer)) }
          })
        ).pipe(Effect.tap(({ after }) => Effect.promise(() => after)))
      })
      // It has its share, so the second connection is for the others.
      assert.deepStrictEqual((yield* asking(2, "busy", "other", "third")).before, ["other", "third"])
      done.length = 0
      assert.deepStrictEqual((yield* asking(1, "busy 1", "busy 2", "busy 3", "other", "third")).before, [])
      assert.deepStrictEqual(done, ["busy 1", "other", "third", "busy 2", "busy 3"])
    }).pipe(Effect.scoped)
  )

  it.live("go on after the server has ended them all, and after a tenant could not be named", () =>
    Effect.gen(function* () {
      const { connections, end } = yield* shared({ connectionsMax: 2 })
      const acme = connections.of(Run.make("x", "acme").tenant)
      yield* Effect.promise(() => Promise.all([select(acme, "select 1"), select(acme, "select 1")]))
      yield* end
      for (const tenant of ["acme", "other", "third"]) {
        const postgres = connections.of(Run.make("x", tenant).tenant)
        const { rows } = yield* Effect.retry(
          Effect.tryPromise(() => select(postgres, seen)),
          { times: 3 }
        )
        assert.deepStrictEqual(rows, [{ role: Postgres.tenantRole, tenant }])
      }
    }).pipe(Effect.scoped)
  )

  it.live("name the tenant who asks, whatever fails in between, and lose no place (L15)", () =>
    Effect.gen(function* () {
      const { connections, end } = yield* shared({ connectionsMax: 3, tenantConnectionsMax: 2 })
      const own = "select current_user as role, current_setting('backstitch.tenant') as tenant"
      let answers = 0
      const ask = async (tenant: string) => {
        const postgres = connections.of(Run.make("x", tenant).tenant)
        const check = ({ rows }: Postgres.StatementAnswer<unknown>) => {
          answers++
          assert.deepStrictEqual(rows, [{ role: Postgres.tenantRole, tenant }])
        }
        for (let turn = 0; turn < 20; turn++) {
          const asked = [
            () => select(postgres, own).then(check),
            () => postgres.transaction((execute) => execute({ name: "", sql: own }, []).then(check)),
            () => postgres.transaction(() => Promise.reject(new Error("rolled back"))),
            () => select(postgres, "select nothing from nowhere"),
            () => select(postgres, "select pg_terminate_backend(pg_backend_pid())")
          ]
          // A wrong statement fails by itself, and stays an error.
          await asked[turn % asked.length]!().catch((cause) => {
            if (!(cause instanceof Error) || cause.name === "AssertionError") throw cause
          })
        }
      }
      yield* Effect.promise(() => Promise.all(["a", "b", "c", "d", "a", "b", "e"].map(ask)))
      yield* end
      assert.isAbove(answers, 7 * 4)
      // All three places are free: three transactions are open at once, of two tenants.
      const held = yield* Effect.promise(() =>
        Promise.all(
          ["a", "a", "b"].map((tenant) =>
            connections
              .of(Run.make("x", tenant).tenant)
              .transaction((execute) => execute({ name: "", sql: "select pg_sleep(0.05)" }, []))
              .then(
                () => 1,
                () => 1
              )
          )
        )
      )
      assert.deepStrictEqual(held, [1, 1, 1])
    }).pipe(Effect.scoped)
  )

  it.live("watch once for all tenants, who are told of commits of other processes", () =>
    Effect.gen(function* () {
      const { connections, opened, owner } = yield* shared({ connectionsMax: 2 })
      const writer = yield* PostgresTraceStore.fromConnections(owner)
      const runs = tenants(12)
      const following = yield* Effect.forEach(runs, (run) =>
        Effect.gen(function* () {
          const store = yield* PostgresTraceStore.fromConnections(connections.of(run.tenant))
          return yield* Effect.forkScoped(Stream.runCollect(Stream.take(store.changes({ run }), 2)))
        })
      )
      for (const run of runs) yield* SampleCommits.write(writer, run, SampleCommits.began)
      for (const run of runs) yield* SampleCommits.write(writer, run, SampleCommits.noted("on"))
      for (const fiber of following) assert.lengthOf(yield* Fiber.join(fiber), 2)
      // One of them listens.
      assert.isAtMost(yield* opened, 3)
    }).pipe(Effect.scoped)
  )

  it.live("refuse what is asked once they are closed, and what waits", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { connections } = yield* Scope.provide(shared({ connectionsMax: 1 }), scope)
      const acme = connections.of(Run.make("x", "acme").tenant)
      const answers = yield* Effect.promise(async () => {
        const taken = select(acme, "select pg_sleep(0.05)")
        const waits = select(acme, "select 1").then(String, String)
        const closing = Effect.runPromise(Scope.close(scope, Exit.void))
        return [
          (await taken).rows.length,
          await waits,
          await closing.then(() => select(acme, "select 1")).then(String, String)
        ]
      })
      assert.deepStrictEqual(answers, [1, "Error: the store was closed", "Error: the store was closed"])
    }).pipe(Effect.scoped)
  )
})
