/**
 * Layers that keep leases in the same place as traces.
 *
 * Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */
import { type Lease, Leases, layerMemory } from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type { Dialect, Query } from "./queries/Queries.ts"
import { at, type Statements } from "./queries/Statements.ts"
import * as StoreLayers from "./StoreLayers.ts"

type Row = Omit<Lease, "run">

/** Keeps leases with the statements of a database. Each is one round trip, and uses the time of the database. */
const over = (statements: Statements): Leases["Service"] => {
  const { acquire, find, release } = queriesOf(statements.dialect)
  const held = (run: Run) =>
    Effect.map(statements.all(find, [run.tenant, run.id]), ([row]): Lease | undefined => row && { run, ...row })
  return Leases.of({
    acquire: Effect.fnUntraced(function* (run, { holder, ttlMillis }) {
      for (;;) {
        const [row] = yield* statements.all(acquire, [run.tenant, run.id, holder, ttlMillis])
        if (row !== undefined) return { _tag: "Acquired", lease: { run, ...row } }
        const lease = yield* held(run)
        // Without a lease, the other holder went away in between.
        if (lease !== undefined) return { _tag: "Taken", lease }
      }
    }),
    release: (run, holder) => Effect.asVoid(statements.all(release, [run.tenant, run.id, holder])),
    find: held
  })
}

const layers = StoreLayers.make(Leases, layerMemory, StoreLayers.overStatements("leases", over))

/** Keeps leases in one SQLite file. */
export const layerSqlite = layers.sqlite

/** Keeps leases in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = layers.postgres

/** Chooses a layer by an address, as `StorePlace` reads it. */
export const layerFromAddress = layers.fromAddress

const queriesOf = (dialect: Dialect) => {
  const value = (place: number): string => at(dialect, place)
  const now =
    dialect === "sqlite"
      ? "cast(unixepoch('subsec') * 1000 as integer)"
      : "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"
  const lasting = dialect === "sqlite" ? value(4) : `${value(4)}::bigint`
  // No row where another holds it. The inserted row carries the time, so that it is read once.
  const acquire: Query<Row> = {
    name: "lease-acquire",
    sql:
      `insert into lease (tenant, name, holder, since, until) ` +
      `select ${value(1)}, ${value(2)}, ${value(3)}, t.now, t.now + ${lasting} from (select ${now} as now) as t ` +
      `where true on conflict (tenant, name) do update set holder = excluded.holder, until = excluded.until, ` +
      `since = case when lease.holder = excluded.holder and lease.until > excluded.since ` +
      `then lease.since else excluded.since end ` +
      `where lease.holder = excluded.holder or lease.until <= excluded.since ` +
      `returning holder, since, until`
  }
  const release: Query<never> = {
    name: "lease-release",
    sql: `delete from lease where tenant = ${value(1)} and name = ${value(2)} and holder = ${value(3)}`
  }
  const find: Query<Row> = {
    name: "lease-find",
    sql: `select holder, since, until from lease where tenant = ${value(1)} and name = ${value(2)} and until > ${now}`
  }
  return { acquire, find, release }
}
