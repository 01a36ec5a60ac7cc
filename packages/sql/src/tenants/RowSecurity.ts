/**
 * Makes the roles whose connections see less than the owner of the tables. A tenant's role sees the rows of that
 * tenant. The role of a host sees, of all tenants, what it needs to find work.
 *
 * **When to use** before stores of single tenants are opened (`Postgres.Options.tenant`), or those of a host
 * (`Postgres.Options.isHost`), as the owner of the tables. The owner itself sees every row: so does the command line.
 * The roles need no password, since they cannot log in. To make them, the owner needs the right to create roles, or
 * somebody makes them beforehand and grants them to the owner. They have rights to the tables that are named here, and
 * to no other table of the database.
 *
 * @source docs/decisions/0067, 0077
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Postgres from "../postgres/Postgres.ts"
import * as Migrations from "../queries/Migrations.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"

/** The tables, and the view, of which the role of a tenant may use the rows of one tenant. */
export const guarded: ReadonlyArray<string> = [...Migrations.guardedTables, "standing"]

/** Notes whose names begin with the day on which they were made, in UTC, as `2026-11-27`. */
export interface DatedNotes {
  readonly kind: string
  /** The time for which one is kept: it has expired when its day is before that of now minus this time. */
  readonly keptMillis: number
}

/** The kinds of notes of all tenants that a host reads, and those of which it also deletes what has expired. */
export interface HostNotes {
  readonly listed: ReadonlyArray<string>
  readonly expired: ReadonlyArray<DatedNotes>
}

/** Error for a database in which a tenant cannot be kept to its own rows. */
export class PostgresTooOld extends Schema.TaggedError<PostgresTooOld>("@backstitch/sql/PostgresTooOld")(
  "PostgresTooOld",
  { store: Schema.String, version: Schema.String }
) {
  override get message(): string {
    return (
      `Store ${this.store} is a database of Postgres ${this.version}, whose views show the rows of every tenant. ` +
      "Use Postgres 15 or later"
    )
  }
}

/** Refuses a version of Postgres in which a view reads with the rights of its owner. `number` is as in `150004`. */
export const refuse = (store: string, number: number): Effect.Effect<void, PostgresTooOld> =>
  number >= 150_000
    ? Effect.void
    : Effect.fail(new PostgresTooOld({ store, version: `${Math.floor(number / 10_000)}.${number % 10_000}` }))

/**
 * Brings the tables of a store up to date, and makes the role of its single tenants. With the notes of a host, it makes
 * the role of that as well: it reads these notes and the keys of callers, and deletes notes and answers of writes that
 * have expired by the clock of the database. It does not see the content of answers.
 */
export const prepare = (
  options: Postgres.Options,
  notes?: HostNotes
): Effect.Effect<void, PostgresTooOld | TraceStoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const postgres = yield* Postgres.open({ ...options, connectionsMax: 1, tenant: undefined })
      const reached = <A>(does: () => Promise<A>) =>
        Effect.tryPromise({
          try: does,
          catch: (cause) => SqlFailure.make({ operation: "open", store: postgres.name, cause })
        })
      const { rows } = yield* reached(() => postgres.execute<{ readonly number: string }>(versionAsked, []))
      yield* refuse(postgres.name, Number(rows[0]?.number))
      yield* reached(async () => {
        await Postgres.migrate(postgres, options)
        await postgres.transaction(async (execute) => {
          const { schema = Postgres.defaultSchema } = options
          const all = [...ofTenant(schema), ...(notes === undefined ? [] : ofHost(schema, notes))]
          for (const sql of all) await execute({ name: "", sql }, [])
        })
      })
    })
  )

const versionAsked = { name: "", sql: "select current_setting('server_version_num') as number" }

const tables = (schema: string, names: ReadonlyArray<string>): string =>
  names.map((name) => `"${schema}".${name}`).join(", ")

/** Processes that start together do this one after the other: Postgres refuses to change a role in two at once. */
const made = (schema: string, role: string): ReadonlyArray<string> => [
  `select pg_advisory_xact_lock(hashtextextended('${Postgres.tenantRole}', 0))`,
  `do $$ begin if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; ` +
    "end if; end $$",
  // Since Postgres 16, who makes a role is a member of it and may still not act as it.
  "do $$ begin if not pg_has_role(" +
    `'${role}', case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end) ` +
    `then execute format('grant ${role} to %I', current_user); end if; end $$`,
  `grant usage on schema "${schema}" to ${role}`,
  `revoke all on all tables in schema "${schema}" from ${role}`
]

const ofTenant = (schema: string): ReadonlyArray<string> => {
  const role = Postgres.tenantRole
  return [
    ...made(schema, role),
    `grant select, insert, update, delete on ${tables(schema, Migrations.guardedTables)} to ${role}`,
    // Texts are reached by their digest, and are never changed.
    `grant select, insert on ${tables(schema, ["blob"])} to ${role}`,
    `grant select on ${tables(schema, ["standing"])} to ${role}`
  ]
}

const ofHost = (schema: string, { expired, listed }: HostNotes): ReadonlyArray<string> => {
  const role = Postgres.hostRole
  // One that stands is left: to make it anew would wait for everybody who reads the table, such as a backup.
  const policy = (table: string, name: string, what: string): string =>
    `do $$ begin if not exists (select from pg_policies where schemaname = '${schema}' and tablename = '${table}' ` +
    `and policyname = '${name}') then create policy "${name}" on ${tables(schema, [table])} ${what}; end if; end $$`
  /** Makes the only policy by which the host deletes rows of some kind; one that permitted more is withdrawn. */
  const deletes = (table: string, what: string, until: string, condition: string): ReadonlyArray<string> => {
    const name = `host deletes${what} ${until}`
    return [
      "do $$ declare old name; begin for old in select policyname from pg_policies " +
        `where schemaname = '${schema}' and tablename = '${table}' and policyname <> '${name}' ` +
        `and (policyname = 'host deletes${what}' or starts_with(policyname, 'host deletes${what} ')) ` +
        `loop execute format('drop policy %I on ${tables(schema, [table])}', old); end loop; end $$`,
      policy(table, name, `for delete to ${role} using (${condition})`)
    ]
  }
  const reads = (kind: string): string => {
    if (!/^[a-z][a-z._]{0,25}$/.test(kind)) throw new Error(`"${kind}" is no kind of notes that a host has`)
    return policy("note", `host reads ${kind}`, `for select to ${role} using (kind = '${kind}')`)
  }
  const dayOf = (keptMillis: number): string =>
    `to_char((now() - interval '${keptMillis} milliseconds') at time zone 'utc', 'YYYY-MM-DD')`
  return [
    ...made(schema, role),
    `grant select, delete on ${tables(schema, ["note"])} to ${role}`,
    ...[...listed, ...expired.map(({ kind }) => kind)].map(reads),
    ...expired.flatMap(({ keptMillis, kind }) =>
      deletes("note", ` ${kind}`, `after ${keptMillis}`, `kind = '${kind}' and name < ${dayOf(keptMillis)}`)
    ),
    `grant select on ${tables(schema, ["api_key"])} to ${role}`,
    policy("api_key", "host reads", `for select to ${role} using (true)`),
    `grant select (tenant, name, until), delete on ${tables(schema, ["write_answer"])} to ${role}`,
    policy("write_answer", "host reads", `for select to ${role} using (true)`),
    ...deletes("write_answer", "", "expired", "until <= extract(epoch from now()) * 1000")
  ]
}
