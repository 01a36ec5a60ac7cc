/**
 * Makes the role whose connections see the rows of one tenant alone, by row-level security.
 *
 * **When to use** before stores of single tenants are opened (`Postgres.Options.tenant`), as the owner of the tables.
 * The owner itself sees every row: the command line, and what a server asks of all tenants at once. The role needs
 * no password, since it cannot log in. To make it, the owner needs the right to create roles, or somebody makes it
 * beforehand and grants it to the owner. It has rights to the tables that are guarded and to texts, and to no other
 * table of the database.
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Postgres from "../postgres/Postgres.ts"
import * as Migrations from "../queries/Migrations.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"

/** The tables, and the view, of which the role may use the rows of one tenant. */
export const guarded: ReadonlyArray<string> = [...Migrations.guardedTables, "standing"]

/** Brings the tables of a store up to date, and makes the role of its single tenants. */
export const prepare = (options: Postgres.Options): Effect.Effect<void, TraceStoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const postgres = yield* Postgres.open({ ...options, connectionsMax: 1, tenant: undefined })
      yield* Effect.tryPromise({
        try: async () => {
          await Postgres.migrate(postgres, options)
          await postgres.transaction(async (execute) => {
            for (const sql of statements(options)) await execute({ name: "", sql }, [])
          })
        },
        catch: (cause) => SqlFailure.make({ operation: "open", store: postgres.name, cause })
      })
    })
  )

/** Processes that start together do this one after the other: Postgres refuses to change a role in two at once. */
const statements = ({ schema = Postgres.defaultSchema }: Postgres.Options): ReadonlyArray<string> => {
  const role = Postgres.tenantRole
  const tables = (names: ReadonlyArray<string>): string => names.map((name) => `"${schema}".${name}`).join(", ")
  return [
    `select pg_advisory_xact_lock(hashtextextended('${role}', 0))`,
    `do $$ begin if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; ` +
      "end if; end $$",
    `do $$ begin if not pg_has_role('${role}', 'member') then execute format('grant ${role} to %I', current_user); ` +
      "end if; end $$",
    `grant usage on schema "${schema}" to ${role}`,
    `revoke all on all tables in schema "${schema}" from ${role}`,
    `grant select, insert, update, delete on ${tables(Migrations.guardedTables)} to ${role}`,
    // Texts are reached by their digest, and are never changed.
    `grant select, insert on ${tables(["blob"])} to ${role}`,
    // Before Postgres 15 a view reads with the rights of its owner.
    `do $$ begin if current_setting('server_version_num')::int >= 150000 then ` +
      `grant select on ${tables(["standing"])} to ${role}; end if; end $$`
  ]
}
