/**
 * The tables of each version, and the statements from one version to the next.
 *
 * `Postgres.open` and `Sqlite.open` bring a database to the latest version, in one transaction under a lock, so that
 * processes which start together do it once. A database of a newer version is refused and stays unchanged. A released
 * migration is never edited: a change is a new one at the end.
 */
import * as Branded from "@backstitch/trace/Branded"
import { type ColumnDefinitionBuilder, type Kysely, sql } from "kysely"
import { builder, type Dialect } from "./Queries.ts"
import { type Tables, ticksPerRun } from "./Tables.ts"

/** Version that this package reads and writes. */
export const current = 11

/** Error for a database that a newer version has written. */
export class VersionUnsupported extends Error {
  readonly found: number
  constructor(found: number) {
    super(`the database has version ${found}, and this package knows versions up to ${current}`)
    this.found = found
  }
}

/** Tells whether an error is about a database that a newer version has written. */
export const isVersionUnsupported: (value: unknown) => value is VersionUnsupported = Branded.guard(
  VersionUnsupported,
  "sql/VersionUnsupported@1"
)

/**
 * Statements that bring a database from one version to the latest, or to a given one. Throws {@link
 * VersionUnsupported}.
 */
export const statements = (dialect: Dialect, from: number, to = current): ReadonlyArray<string> => {
  if (from > current) throw new VersionUnsupported(from)
  return migrations.slice(from, to).flatMap((migration) => migration(builder(dialect), dialect))
}

type Migration = (build: Kysely<Tables>, dialect: Dialect) => ReadonlyArray<string>

const required = (column: ColumnDefinitionBuilder) => column.notNull()
const key = (column: ColumnDefinitionBuilder) => column.primaryKey()

/** The types of columns and the options of tables in a dialect. */
const formsOf = (dialect: Dialect) =>
  dialect === "sqlite"
    ? ({
        ascii: "text",
        digest: "blob",
        id: "integer",
        time: "integer",
        strict: sql`strict`,
        plain: sql`strict, without rowid`
      } as const)
    : ({
        ascii: sql`text collate "C"`,
        digest: "bytea",
        id: "bigint",
        time: "bigint",
        strict: sql``,
        plain: sql``
      } as const)

const first: Migration = ({ schema }, dialect) => {
  const isSqlite = dialect === "sqlite"
  const { ascii, digest, id, plain, strict } = formsOf(dialect)
  const tables = [
    schema
      .createTable("run")
      .addColumn("id", id, (column) => (isSqlite ? key(column) : key(column).generatedAlwaysAsIdentity()))
      .addColumn("tenant", ascii, required)
      .addColumn("name", ascii, required)
      .addColumn("parent", id)
      .addColumn("parent_tick", "integer")
      .addColumn("tick", "integer", required)
      .addColumn("link", digest, required)
      .addColumn("story", digest, required)
      .addUniqueConstraint("run_by_name", ["tenant", "name"])
      // Heads are rewritten with every commit. Free space in the page avoids changes of the index.
      .modifyEnd(isSqlite ? sql`strict` : sql`with (fillfactor = 60)`),
    schema
      .createTable("transition")
      .addColumn("id", id, key)
      .addColumn("link", digest, required)
      .addColumn("story", digest, required)
      .addColumn("body", "text", required)
      .addColumn("stamp", "text", required)
      .addColumn("envelope", "text", required)
      .modifyEnd(strict),
    schema
      .createTable("claim")
      .addColumn("tenant", ascii, required)
      .addColumn("namespace", ascii, required)
      .addColumn("name", ascii, required)
      .addColumn("owner", ascii, required)
      .addColumn("run", id, required)
      .addColumn("tick", "integer", required)
      .addPrimaryKeyConstraint("claim_by_name", ["tenant", "namespace", "name"])
      .modifyEnd(plain),
    schema.createTable("blob").addColumn("digest", digest, key).addColumn("text", "text", required).modifyEnd(strict),
    schema.createTable("snapshot").addColumn("id", id, key).addColumn("text", "text", required).modifyEnd(strict)
  ]
  return tables.map((table) => table.compile().sql)
}

const leases: Migration = ({ schema }, dialect) => {
  const { ascii, plain, time } = formsOf(dialect)
  const lease = schema
    .createTable("lease")
    .addColumn("tenant", ascii, required)
    .addColumn("name", ascii, required)
    .addColumn("holder", "text", required)
    .addColumn("since", time, required)
    .addColumn("until", time, required)
    .addPrimaryKeyConstraint("lease_by_name", ["tenant", "name"])
    .modifyEnd(plain)
  return [lease.compile().sql]
}

/**
 * On Postgres the head is the run's last transition: a row with the same content would have to be written with every
 * commit.
 */
const heads: Migration = (_, dialect) => {
  if (dialect === "sqlite") return []
  const first = `run.id * ${ticksPerRun}`
  return [
    "alter table run drop column tick, drop column link, drop column story",
    "alter table run reset (fillfactor)",
    "create view standing as " +
      `select run.id, tenant, name, parent, parent_tick, (last.id % ${ticksPerRun})::integer as tick, link, story ` +
      "from run cross join lateral (select transition.id, link, story from transition " +
      `where transition.id between ${first} and ${first} + ${ticksPerRun - 1} order by transition.id desc limit 1) as last`
  ]
}

const fingerprints: Migration = ({ schema }, dialect) => {
  const { ascii, digest, plain } = formsOf(dialect)
  const fingerprint = schema
    .createTable("fingerprint")
    .addColumn("tenant", ascii, key)
    .addColumn("digest", digest, required)
    .modifyEnd(plain)
  return [fingerprint.compile().sql]
}

const vault: Migration = ({ schema }, dialect) => {
  const { ascii, digest, plain } = formsOf(dialect)
  const statements = [
    schema
      .createTable("subject_key")
      .addColumn("tenant", ascii, required)
      .addColumn("id", ascii, required)
      .addColumn("run", ascii, required)
      .addColumn("subject", digest, required)
      .addColumn("wrapped", "text", required)
      .addPrimaryKeyConstraint("subject_key_by_id", ["tenant", "id"])
      .addUniqueConstraint("subject_key_by_run", ["tenant", "run", "subject"])
      .modifyEnd(plain),
    schema
      .createTable("sealed_value")
      .addColumn("tenant", ascii, required)
      .addColumn("commitment", digest, required)
      .addColumn("subject_key", ascii, required)
      .addColumn("text", "text", required)
      .addColumn("shown", "integer", required)
      .addPrimaryKeyConstraint("sealed_value_by_commitment", ["tenant", "commitment"])
      .modifyEnd(plain),
    schema.createIndex("sealed_value_by_key").on("sealed_value").columns(["tenant", "subject_key"]),
    schema
      .createTable("recognition")
      .addColumn("tenant", ascii, required)
      .addColumn("subject_key", ascii, required)
      .addColumn("value", digest, required)
      .addColumn("mark", digest, required)
      .addPrimaryKeyConstraint("recognition_by_key", ["tenant", "subject_key", "value"])
      .modifyEnd(plain),
    schema.createIndex("recognition_by_value").on("recognition").columns(["tenant", "value"]),
    schema
      .createTable("erased_key")
      .addColumn("tenant", ascii, required)
      .addColumn("id", ascii, required)
      .addPrimaryKeyConstraint("erased_key_by_id", ["tenant", "id"])
      .modifyEnd(plain)
  ]
  return statements.map((statement) => statement.compile().sql)
}

const toolIdentities: Migration = ({ schema }, dialect) => {
  const { ascii, plain } = formsOf(dialect)
  const identities = schema
    .createTable("tool_identity")
    .addColumn("tenant", ascii, required)
    .addColumn("tool", ascii, required)
    .addColumn("identity", "text", required)
    .addPrimaryKeyConstraint("tool_identity_by_tool", ["tenant", "tool"])
    .modifyEnd(plain)
  return [identities.compile().sql]
}

const notes: Migration = ({ schema }, dialect) => {
  const { ascii, plain } = formsOf(dialect)
  const note = schema
    .createTable("note")
    .addColumn("tenant", ascii, required)
    .addColumn("kind", ascii, required)
    .addColumn("name", ascii, required)
    .addColumn("text", "text", required)
    .addColumn("revision", "integer", required)
    // By kind first: a host reads the open ones of all tenants.
    .addPrimaryKeyConstraint("note_by_name", ["kind", "tenant", "name"])
    .modifyEnd(plain)
  return [note.compile().sql]
}

const callers: Migration = ({ schema }, dialect) => {
  const { ascii, digest, plain, time } = formsOf(dialect)
  const statements = [
    schema
      .createTable("api_key")
      .addColumn("id", ascii, key)
      .addColumn("tenant", ascii, required)
      .addColumn("name", "text", required)
      .addColumn("role", ascii, required)
      .addColumn("capacities", "text", required)
      .addColumn("digest", digest, required)
      .addColumn("created", time, required)
      .addColumn("revoked", time)
      .modifyEnd(plain),
    schema.createIndex("api_key_by_tenant").on("api_key").columns(["tenant", "created", "id"]),
    schema
      .createTable("write_answer")
      .addColumn("tenant", ascii, required)
      .addColumn("name", "text", required)
      .addColumn("digest", digest, required)
      .addColumn("until", time, required)
      .addColumn("status", "integer")
      .addColumn("body", "text")
      .addPrimaryKeyConstraint("write_answer_by_name", ["tenant", "name"])
      .modifyEnd(plain)
  ]
  return statements.map((statement) => statement.compile().sql)
}

const tenantTables = [
  ...["run", "claim", "lease", "fingerprint", "tool_identity", "note", "api_key", "write_answer"],
  ...["subject_key", "sealed_value", "recognition", "erased_key"]
]

const runTables = ["transition", "snapshot"]

/** The tables whose rows a connection of one tenant sees and writes for that tenant alone. */
export const guardedTables: ReadonlyArray<string> = [...tenantTables, ...runTables]

/**
 * A second lock on Postgres: a role that is not the owner of the tables sees and writes the rows of one tenant, which
 * its connection names. Rows of transitions and snapshots belong to the runs that such a role sees.
 */
const rowSecurity: Migration = (_, dialect) => {
  if (dialect === "sqlite") return []
  const own = "tenant = current_setting('backstitch.tenant', true)"
  const policy = (table: string, is: string): ReadonlyArray<string> => [
    `alter table ${table} enable row level security`,
    `create policy tenant_rows on ${table} using (${is})`
  ]
  const ofRun = (table: string) => `exists (select from run where run.id = ${table}.id / ${ticksPerRun})`
  return [
    ...tenantTables.flatMap((table) => policy(table, own)),
    ...runTables.flatMap((table) => policy(table, ofRun(table))),
    // Before Postgres 15, a view reads with the rights of its owner, and no such role is given any.
    "do $$ begin if current_setting('server_version_num')::int >= 150000 then " +
      "alter view standing set (security_invoker = true); end if; end $$"
  ]
}

/** Answers of earlier versions have the end of their hold, two minutes after they were begun, and never expired. */
const answersExpire: Migration = ({ schema }) => [
  "update write_answer set until = until + 86400000 where status is not null",
  schema.createIndex("write_answer_by_until").on("write_answer").column("until").compile().sql
]

/**
 * The bytes of an erased key may remain in the files of the database until these are rewritten. Postgres keeps samples
 * of a column for its planner, in a table that is not rewritten: it gets none of keys and ciphertexts.
 */
const stoppedErasures: Migration = ({ schema }, dialect) => [
  schema
    .alterTable("erased_key")
    .addColumn("remains", "integer", (column) => column.notNull().defaultTo(0))
    .compile().sql,
  ...(dialect === "sqlite"
    ? []
    : [
        "alter table subject_key alter column wrapped set statistics 0",
        "alter table sealed_value alter column text set statistics 0"
      ])
]

const migrations: ReadonlyArray<Migration> = [
  first,
  leases,
  heads,
  fingerprints,
  vault,
  toolIdentities,
  notes,
  callers,
  rowSecurity,
  answersExpire,
  stoppedErasures
]
