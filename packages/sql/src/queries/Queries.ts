/**
 * The statements of a store, built once and typed by its tables.
 *
 * Kysely writes SQL for the dialect and checks names and types. No statement is built twice: each is compiled and
 * prepared at its first use, and called with values in the order in which the statement names them.
 */
import type { Digest } from "@backstitch/trace/Digest"
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql
} from "kysely"
import type {
  ClaimTable,
  FingerprintTable,
  RunTable,
  SealedRow,
  SnapshotTable,
  Tables,
  ToolIdentityTable,
  TransitionTable
} from "./Tables.ts"

/** Databases for a store. */
export type Dialect = "sqlite" | "postgres"

/** A compiled statement, and the shape of the rows that it answers. */
export interface Query<Row> {
  readonly name: string
  readonly sql: string
  readonly "~row"?: Row
}

/** All facts about a run except its head: these never change. */
export type RunRow = Pick<RunTable, "tenant" | "name" | "parent" | "parent_tick" | "tick" | "link" | "story"> & {
  readonly id: number
}

/** A builder that writes SQL and has no connection. */
export const builder = (dialect: Dialect): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => (dialect === "sqlite" ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => (dialect === "sqlite" ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
      createQueryCompiler: () => (dialect === "sqlite" ? new SqliteQueryCompiler() : new PostgresQueryCompiler())
    }
  })

interface Compilable {
  readonly compile: () => { readonly sql: string }
}

// The values in these builders only mark parameters: each call of a statement passes its own.
const bytes = Buffer.alloc(0)

const readQueries = (build: Kysely<Tables>, dialect: Dialect) => {
  // Digests are read as text: a buffer for each of them would cost more than the rest of the row.
  const hex = (column: "link" | "story") =>
    (dialect === "sqlite"
      ? sql<Digest>`lower(hex(${sql.ref(column)}))`
      : sql<Digest>`encode(${sql.ref(column)}, 'hex')`
    ).as(column)
  // Both have the same columns: on Postgres, a view adds the head to a run.
  const runs = build
    .selectFrom((dialect === "sqlite" ? "run" : "standing") as "run")
    .select(["id", "tenant", "name", "parent", "parent_tick", "tick", "link", "story"])
  const held = build
    .selectFrom("claim")
    .innerJoin("run", "run.id", "claim.run")
    .select(["claim.tenant", "namespace", "claim.name", "owner", "run.name as holder", "claim.tick"])
    .where("claim.tenant", "=", "")
  return {
    /** tenant, name */
    findRun: query<RunRow>("find-run", () => runs.where("tenant", "=", "").where("name", "=", "")),
    /** id */
    runById: query<RunRow>("run-by-id", () => runs.where("id", "=", 0)),
    /** tenant, after, limit */
    runsPage: query<RunRow>("runs-page", () =>
      runs.where("tenant", "=", "").where("name", ">", "").orderBy("name").limit(1)
    ),
    /** first id, last id, limit */
    transitions: query<SealedRow>("transitions", () =>
      build
        .selectFrom("transition")
        .select(["id", hex("link"), hex("story"), "body", "stamp", "envelope"])
        .where("id", ">=", 0)
        .where("id", "<=", 0)
        .orderBy("id")
        .limit(1)
    ),
    /** id */
    headAt: query<Pick<TransitionTable, "id" | "link" | "story">>("head-at", () =>
      build.selectFrom("transition").select(["id", "link", "story"]).where("id", "=", 0)
    ),
    /** tenant */
    claims: query<ClaimRow>("claims", () => held),
    /** tenant, namespace */
    claimsOfNamespace: query<ClaimRow>("claims-of-namespace", () => held.where("namespace", "=", "")),
    /** tenant, name */
    claimsOfName: query<ClaimRow>("claims-of-name", () => held.where("claim.name", "=", "")),
    /** tenant, namespace, name */
    claim: query<ClaimRow>("claim", () => held.where("namespace", "=", "").where("claim.name", "=", "")),
    /** first id, last id */
    nearestSnapshot: query<SnapshotTable>("nearest-snapshot", () =>
      build
        .selectFrom("snapshot")
        .select(["id", "text"])
        .where("id", ">=", 0)
        .where("id", "<=", 0)
        .orderBy("id", "desc")
        .limit(sql.lit(1))
    ),
    /** tenant */
    fingerprint: query<Pick<FingerprintTable, "digest">>("fingerprint", () =>
      build.selectFrom("fingerprint").select("digest").where("tenant", "=", "")
    ),
    /** tenant, tool */
    identity: query<Pick<ToolIdentityTable, "identity">>("identity", () =>
      build.selectFrom("tool_identity").select("identity").where("tenant", "=", "").where("tool", "=", "")
    ),
    /** first id, last id */
    snapshotIds: query<Pick<SnapshotTable, "id">>("snapshot-ids", () =>
      build.selectFrom("snapshot").select("id").where("id", ">=", 0).where("id", "<=", 0).orderBy("id")
    )
  }
}

const writeQueries = (build: Kysely<Tables>) => ({
  /** id, link, story, body, stamp, envelope */
  insertTransition: query<never>("insert-transition", () =>
    build.insertInto("transition").values({ id: 0, link: bytes, story: bytes, body: "", stamp: "", envelope: "" })
  ),
  /** tenant, namespace, name, owner, run, tick */
  take: query<never>("take", () =>
    build
      .insertInto("claim")
      .values({ tenant: "", namespace: "", name: "", owner: "", run: 0, tick: 0 })
      .onConflict((conflict) => conflict.columns(["tenant", "namespace", "name"]).doNothing())
  ),
  /** tenant, namespace, name, owner, run */
  release: query<never>("release", () =>
    build
      .deleteFrom("claim")
      .where("tenant", "=", "")
      .where("namespace", "=", "")
      .where("name", "=", "")
      .where("owner", "=", "")
      .where("run", "=", 0)
  ),
  /** digest, text */
  insertBlob: query<never>("insert-blob", () =>
    build
      .insertInto("blob")
      .values({ digest: bytes, text: "" })
      .onConflict((conflict) => conflict.column("digest").doNothing())
  ),
  /** tenant, digest, digest, expected digest; no row where another stands */
  putFingerprint: query<Pick<FingerprintTable, "digest">>("put-fingerprint", () =>
    build
      .insertInto("fingerprint")
      .values({ tenant: "", digest: bytes })
      .onConflict((conflict) =>
        conflict.column("tenant").doUpdateSet({ digest: bytes }).where("fingerprint.digest", "=", bytes)
      )
      .returning("digest")
  ),
  /** tenant, tool, identity, identity, expected identity; no row where another stands */
  putIdentity: query<Pick<ToolIdentityTable, "identity">>("put-identity", () =>
    build
      .insertInto("tool_identity")
      .values({ tenant: "", tool: "", identity: "" })
      .onConflict((conflict) =>
        conflict.columns(["tenant", "tool"]).doUpdateSet({ identity: "" }).where("tool_identity.identity", "=", "")
      )
      .returning("identity")
  ),
  /** id, text */
  insertSnapshot: query<never>("insert-snapshot", () =>
    build
      .insertInto("snapshot")
      .values({ id: 0, text: "" })
      .onConflict((conflict) => conflict.column("id").doNothing())
  )
})

/** Statements for a store that keeps the head of a run in its row, as SQLite does. */
export const heads = () => {
  const build = builder("sqlite")
  return {
    /** tenant, name, parent, parent tick, tick, link, story */
    insertRun: query<{ readonly id: number }>("insert-run", () =>
      build
        .insertInto("run")
        .values({ tenant: "", name: "", parent: 0, parent_tick: 0, tick: 0, link: bytes, story: bytes })
        .onConflict((conflict) => conflict.columns(["tenant", "name"]).doNothing())
        .returning("id")
    ),
    /** tick, link, story, id, expected tick, expected link */
    advance: query<never>("advance", () =>
      build
        .updateTable("run")
        .set({ tick: 0, link: bytes, story: bytes })
        .where("id", "=", 0)
        .where("tick", "=", 0)
        .where("link", "=", bytes)
    )
  }
}

/** A claim with the name of the run that holds it. */
export type ClaimRow = Omit<ClaimTable, "run"> & { readonly holder: string }

/** The statements of a dialect. All stores of a process share them in compiled form. */
export const make = (dialect: Dialect): Queries => {
  const known = made.get(dialect)
  if (known !== undefined) return known
  const build = builder(dialect)
  const queries = { ...readQueries(build, dialect), ...writeQueries(build) }
  made.set(dialect, queries)
  return queries
}

const made = new Map<Dialect, Queries>()

/** The statements of a dialect. */
export type Queries = ReturnType<typeof readQueries> & ReturnType<typeof writeQueries>

/** Compiled at its first use: a process that takes one step needs half of the statements. */
const query = <Row>(name: string, statement: () => Compilable): Query<Row> => {
  let text: string | undefined
  return {
    name,
    get sql() {
      text ??= statement().compile().sql
      return text
    }
  }
}
