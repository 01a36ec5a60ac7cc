/**
 * Connections to one schema of a Postgres database, set up so that an acknowledged commit survives a crash.
 *
 * Every connection commits synchronously, except those of leases, and uses only the store's schema. Statements have
 * names, so the server plans each once per connection.
 */
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Client, type ClientBase, Pool, types } from "pg"
import * as Limits from "../Limits.ts"
import { addressShown } from "../queries/addressShown.ts"
import * as Migrations from "../queries/Migrations.ts"
import type { Query } from "../queries/Queries.ts"
import { ChangeStatement } from "./changeStatement.ts"
import * as ConnectionPool from "./connectionPool.ts"

/** The address of a database, the schema of the store in it, and the size of the pool. */
export interface Options {
  readonly url: string
  /** Default: `backstitch`. Lower-case letters, digits and `_`. */
  readonly schema?: string | undefined
  /** Default: 10. This is also the number of appends that may be committed at the same time. */
  readonly connectionsMax?: number | undefined
  /** `false`: a commit is acknowledged before it is durable. */
  readonly isFlushed?: boolean | undefined
  /**
   * The only tenant whose rows are seen and written, by row-level security. The tables have to be up to date, and
   * `RowSecurity.prepare` has to have made the role of such connections.
   */
  readonly tenant?: Tenant | undefined
  /**
   * `true`: of all tenants only that is seen which a host has to find, such as the key of a caller.
   * `RowSecurity.prepare` says what, and has to have made the role of such connections.
   */
  readonly isHost?: boolean | undefined
  /** Connections that are open already. The parts of a store share them, and none of these parts closes them. */
  readonly connections?: Postgres | undefined
}

/** Clients of the driver, to take and to give back: with an error if one must not be used again. */
export interface Connections {
  readonly take: () => unknown
  readonly give: (client: never, error?: Error | undefined) => void
}

/** The answer of a statement: its rows, and the number of changed rows. */
export interface StatementAnswer<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly changed: number
}

/** Runs one statement; rejects with the driver's error. */
export type Execute = <Row>(query: Query<Row>, values: ReadonlyArray<unknown>) => Promise<StatementAnswer<Row>>

/** The connections of a store. */
export interface Postgres {
  /** The name of the store in errors: the address without its password. */
  readonly name: string
  /** The only tenant whose rows are seen; `undefined` if those of all are. */
  readonly tenant: Tenant | undefined
  readonly execute: Execute
  /**
   * Runs one statement without result rows, with its values in the sent form. Calls back with the driver's error or
   * the number of changed rows. It is the fastest way, for statements at every step.
   */
  readonly change: (
    query: Query<never>,
    values: ReadonlyArray<string | Buffer>,
    done: (cause: unknown, changed: number) => void
  ) => void
  /**
   * Runs statements in one transaction, and answers what its body answers. It is rolled back if the promise rejects, or
   * if `commits` says that such an answer is not to be committed.
   */
  readonly transaction: <A>(
    body: (execute: Execute) => Promise<A>,
    commits?: ((answer: A) => boolean) | undefined
  ) => Promise<A>
  /**
   * Notifies processes that listen to the store's schema, and answers whether any does. No caller waits for a flush.
   */
  readonly notify: (payload: string) => Promise<boolean>
  /** Listens on a separate connection until the connection ends, which is no error, or the caller interrupts it. */
  readonly listen: (listener: Listener) => Effect.Effect<void>
  /** Present where several stores share connections. */
  readonly shared?: Shared
}

/** The parts that stores have once if they share connections. */
export interface Shared {
  /** Tells of commits until the caller interrupts it. */
  readonly watch: (listener: Listener) => Effect.Effect<never>
  readonly announcements: Announcements
}

/** Notifies other processes of the runs that have new commits, by their keys; `undefined` for an unknown one. */
export interface Announcements {
  readonly announce: (key: number | undefined) => void
}

/** Receives notifications. */
export interface Listener {
  /**
   * Called when listening has begun, from when on no notification is missed while the connection lasts, and whenever
   * commits may have been made that were not announced.
   */
  readonly ready: () => void
  readonly heard: (payload: string) => void
}

/** Opens a pool of connections that is closed with the scope, unless the options have open ones. */
export const open = (options: Options): Effect.Effect<Postgres, never, Scope.Scope> =>
  options.connections === undefined ? opened(options) : Effect.succeed(options.connections)

const opened = (options: Options): Effect.Effect<Postgres, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new Pool({ ...configOf(options), max: options.connectionsMax ?? Limits.pacing.connectionsMax })
        // An idle connection that breaks is replaced; without a listener it would end the process.
        pool.on("error", () => undefined)
        return ConnectionPool.make(pool)
      }),
      (clients) => Effect.promise(() => clients.close())
    ),
    (clients) => overClients(clients, options)
  )

/** Runs statements on clients of the driver that have the settings of {@link configOf}. */
export const over = (clients: Connections, options: Options): Postgres => {
  // The types of the driver stay out of this module's own: a user of the package need not have them.
  return overClients(clients as ConnectionPool.Connections<ClientBase>, options)
}

const overClients = <C extends ClientBase>(clients: ConnectionPool.Connections<C>, options: Options): Postgres => {
  /** Takes a connection for as long as a promise lasts. A failure that breaks it ends it. */
  const using = async <A>(body: (client: C) => Promise<A>): Promise<A> => {
    const client = await clients.take()
    try {
      const answer = await body(client)
      clients.give(client)
      return answer
    } catch (cause) {
      clients.give(client, ConnectionPool.breaking(cause))
      throw cause
    }
  }
  return {
    name: nameOf(options),
    tenant: options.tenant,
    execute: (query, values) => using((client) => run(client, query, values)),
    change: (query, values, done) => {
      const submit = (client: C) => {
        const end = (cause: unknown, changed: number) => {
          clients.give(client, ConnectionPool.breaking(cause))
          done(cause, changed)
        }
        client.query(new ChangeStatement(query, values, end))
      }
      const client = clients.take()
      if (client instanceof Promise) client.then(submit, (cause) => done(cause, 0))
      else submit(client)
    },
    notify: (payload) =>
      using(async (client) => {
        const { rows } = await run(client, notification, [channelOf(options), payload])
        return rows[0]?.heard === true
      }),
    listen: (listener) => listenOn(options, listener),
    transaction: async (body, commits = () => true) => {
      const client = await clients.take()
      let broken: Error | undefined
      try {
        await client.query("begin")
        const answer = await body((query, values) => run(client, query, values))
        await client.query(commits(answer) ? "commit" : "rollback")
        return answer
      } catch (cause) {
        await client.query("rollback").catch((error) => {
          broken = error
        })
        throw cause
      } finally {
        clients.give(client, broken)
      }
    }
  }
}

/**
 * Creates the schema if needed and brings its tables to the latest version, one process at a time. Connections of one
 * tenant, and of a host, leave the tables as they are.
 */
export const migrate = async (postgres: Postgres, options: Options): Promise<void> => {
  const { isHost = false, schema = defaultSchema, tenant } = options
  if (tenant !== undefined || isHost) return
  await postgres.transaction(async (execute) => {
    const statement = (sql: string) => execute({ name: "", sql }, [])
    await execute({ name: "", sql: "select pg_advisory_xact_lock(hashtextextended($1, 0))" }, [`backstitch.${schema}`])
    await statement(`create schema if not exists "${schema}"`)
    await statement("create table if not exists version (version integer not null)")
    const { rows } = await execute<{ readonly version: number }>({ name: "", sql: "select version from version" }, [])
    const from = rows[0]?.version ?? 0
    if (from === Migrations.current) return
    for (const sql of Migrations.statements("postgres", from)) await statement(sql)
    await statement("delete from version")
    await statement(`insert into version values (${Migrations.current})`)
  })
}

/** The schema of a store, unless another is named. */
export const defaultSchema = "backstitch"

/** The role of connections that see one tenant. It cannot log in. */
export const tenantRole = "backstitch_tenant"

/** The role of connections that find the work of all tenants. It cannot log in. */
export const hostRole = "backstitch_host"

/** The key of a lock that each listener also holds, so that notifications are made only if a process listens. */
const listening = "hashtextextended('backstitch.feed.' || $1, 0)"

/**
 * A notification holds a lock of the whole server until its transaction has ended. So it is made only if a process
 * listens, and is committed without a flush: a reader finds lost notifications by its own look.
 */
const notification: Query<{ readonly heard: boolean }> = {
  name: "notify",
  sql:
    `with listener as materialized (select not pg_try_advisory_xact_lock(${listening}) as heard) ` +
    "select heard, set_config('synchronous_commit', 'off', true), " +
    "case when heard then pg_notify($1, $2)::text end from listener"
}

const channelOf = ({ schema = defaultSchema }: Options): string => schema

const listenOn = (options: Options, { heard, ready }: Listener): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Client({ connectionString: options.url, keepAlive: true })),
    (client) =>
      Effect.callback<void>((resume) => {
        const end = () => resume(Effect.void)
        client.on("error", end)
        client.on("end", end)
        client.on("notification", ({ payload }) => heard(payload ?? ""))
        client
          .connect()
          .then(() => client.query(`select pg_advisory_lock_shared(${listening})`, [channelOf(options)]))
          .then(() => client.query(`listen "${channelOf(options)}"`))
          .then(ready, end)
      }),
    (client) => Effect.promise(() => client.end().catch(() => undefined))
  )

/** The settings of each connection, as the driver takes them. Throws for a schema that cannot be named. */
export const configOf = (options: Options): object => {
  const { isFlushed = true, isHost = false, schema = defaultSchema, tenant, url } = options
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new Error(`"${schema}" cannot name a schema: use lower-case letters, digits and "_", with a letter first`)
  }
  const settings = {
    synchronous_commit: isFlushed ? "on" : "off",
    search_path: schema,
    default_transaction_isolation: "read\\ committed",
    // Every statement finds its rows by key. A plan is made once per connection, and while the tables are small the
    // planner could choose to read all of one.
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    enable_bitmapscan: "off",
    ...(isHost ? { role: hostRole } : {}),
    ...(tenant === undefined ? {} : { role: tenantRole, "backstitch.tenant": tenant })
  }
  return {
    connectionString: url,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    types: { getTypeParser: (oid: number, format?: "text" | "binary") => parserOf(oid, format) }
  }
}

const run = async <Row>(client: ClientBase, { name, sql }: Query<Row>, values: ReadonlyArray<unknown>) => {
  const named = name === "" ? {} : { name }
  const { rowCount, rows } = await client.query({ ...named, text: sql, values: [...values] })
  return { rows: rows as ReadonlyArray<Row>, changed: rowCount ?? 0 }
}

// Keys stay below 2^53, so they are read as numbers and not as text, which is the driver's default.
const parserOf = (oid: number, format: "text" | "binary" = "text") =>
  oid === types.builtins.INT8 ? Number : (types.getTypeParser(oid, format as "text") as (value: string) => unknown)

const nameOf = ({ schema = defaultSchema, url }: Options): string => `${addressShown(url)}#${schema}`
