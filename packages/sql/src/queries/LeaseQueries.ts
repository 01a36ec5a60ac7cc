/** The statements of leases. Each is one round trip, and uses the time of the database. */
import type { Lease, LeaseAnswer } from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import type { Dialect, Query } from "./Queries.ts"

/** A lease as a row. */
interface Row {
  readonly holder: string
  readonly since: number
  readonly until: number
}

/** The statements of a dialect. */
export interface LeaseQueries {
  /** tenant, name, holder, milliseconds; no row where another holds it */
  readonly acquire: Query<Row>
  /** tenant, name, holder */
  readonly release: Query<never>
  /** tenant, name */
  readonly find: Query<Row>
}

/** Writes the statements of a dialect. */
export const make = (dialect: Dialect): LeaseQueries => {
  const isSqlite = dialect === "sqlite"
  const now = isSqlite
    ? "cast(unixepoch('subsec') * 1000 as integer)"
    : "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"
  const at = (place: number): string => (isSqlite ? `?${place}` : `$${place}`)
  const lasting = isSqlite ? at(4) : `${at(4)}::bigint`
  return {
    acquire: {
      name: "lease-acquire",
      // The inserted row carries the time, so that it is read once.
      sql:
        `insert into lease (tenant, name, holder, since, until) ` +
        `select ${at(1)}, ${at(2)}, ${at(3)}, t.now, t.now + ${lasting} from (select ${now} as now) as t where true ` +
        `on conflict (tenant, name) do update set holder = excluded.holder, until = excluded.until, ` +
        `since = case when lease.holder = excluded.holder and lease.until > excluded.since ` +
        `then lease.since else excluded.since end ` +
        `where lease.holder = excluded.holder or lease.until <= excluded.since ` +
        `returning holder, since, until`
    },
    release: {
      name: "lease-release",
      sql: `delete from lease where tenant = ${at(1)} and name = ${at(2)} and holder = ${at(3)}`
    },
    find: {
      name: "lease-find",
      sql: `select holder, since, until from lease where tenant = ${at(1)} and name = ${at(2)} and until > ${now}`
    }
  }
}

/** Reads a lease from its row. */
export const toLease = (run: Run, { holder, since, until }: Row): Lease => ({ run, holder, since, until })

/**
 * Answers a request for a lease from the row that it wrote, or from the row of the other holder. `undefined` if that
 * row has gone in between, so that the request has to be repeated.
 */
export const toAnswer = (run: Run, written: Row | undefined, found: Row | undefined): LeaseAnswer | undefined => {
  if (written !== undefined) return { _tag: "Acquired", lease: toLease(run, written) }
  return found === undefined ? undefined : { _tag: "Taken", lease: toLease(run, found) }
}
