/**
 * Keeps traces in a schema of a Postgres database.
 *
 * An append is one statement, which inserts rows after the expected head, and names. That is one round trip and one
 * commit. Rare cases are transactions of several statements: a run's first commit, or names that are claimed and
 * released in one commit.
 */
import * as Branded from "@backstitch/trace/Branded"
import * as Claims from "@backstitch/trace/Claims"
import * as CommitSignal from "@backstitch/trace/CommitSignal"
import type * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as RunFeed from "@backstitch/trace/RunFeed"
import { type Append, TickConflict, TraceStore, type TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as CommitCheck from "../queries/commitCheck.ts"
import * as Queries from "../queries/Queries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import * as StoreAudit from "../queries/StoreAudit.ts"
import * as StoreReader from "../queries/StoreReader.ts"
import { fromBytes, fromName, ticksPerRun, toBytes, toName } from "../queries/Tables.ts"
import * as Announcements from "./announcements.ts"
import * as PostgresAppend from "./append.ts"
import * as BinaryArray from "./binaryArray.ts"
import * as Blobs from "./blobs.ts"
import * as Postgres from "./Postgres.ts"
import { watching } from "./postgresWatch.ts"

/**
 * Connects to a database, brings its tables up to date, and creates a store on it. For one tenant, the tables are not
 * touched.
 */
export const make = Effect.fnUntraced(function* (
  options: Postgres.Options
): Effect.fn.Return<TraceStore["Service"], TraceStoreError, Scope.Scope> {
  const postgres = yield* Postgres.open(options)
  const store = postgres.name
  yield* Effect.tryPromise({
    try: () => Postgres.migrate(postgres, options),
    catch: (cause) => SqlFailure.make({ operation: "open", store, cause })
  })
  return yield* fromConnections(postgres)
})

/** Creates a store on connections to a schema whose tables are up to date. */
export const fromConnections = Effect.fnUntraced(function* (
  postgres: Postgres.Postgres
): Effect.fn.Return<TraceStore["Service"], never, Scope.Scope> {
  const store = postgres.name
  const queries = Queries.make("postgres")

  const attempt = <A>(operation: SqlFailure.Operation, run: string | undefined, body: () => Promise<A>) =>
    Effect.tryPromise({ try: body, catch: (cause) => SqlFailure.make({ operation, run, store, cause }) })

  const select: StoreReader.Select = (operation, query, values) =>
    attempt(operation, undefined, async () => (await postgres.execute(query, values)).rows)
  const reader = StoreReader.make(queries, store, select)
  const signal = CommitSignal.make()
  const listening = yield* watching(postgres, reader, signal)
  const announcements = postgres.shared?.announcements ?? (yield* Announcements.make(postgres))

  const committed = ({ run, transitions }: Append) => {
    signal.moved(run, transitions)
    announcements.announce(reader.remembered(run)?.id)
  }

  const patiently = (commit: Append): PostgresAppend.Appending =>
    Effect.flatMap(reader.origin("append", commit.run), (run) =>
      attempt("append", commit.run.id, () => PostgresAppend.append({ postgres, queries, run }, commit))
    ).pipe(
      Effect.flatMap(
        (answer): Effect.Effect<HashChain.Head, TickConflict | Claims.ClaimRefused> =>
          Branded.isError(answer, TickConflict) || Branded.isError(answer, Claims.ClaimRefused)
            ? Effect.fail(answer)
            : Effect.sync(() => {
                committed(commit)
                return answer
              })
      )
    )

  const append = (commit: Append): PostgresAppend.Appending =>
    PostgresAppend.directly(postgres, commit, {
      run: reader.remembered(commit.run),
      committed: () => committed(commit),
      failed: (cause) => SqlFailure.make({ operation: "append", run: commit.run.id, store, cause }),
      otherwise: () => patiently(commit)
    }) ?? patiently(commit)

  return TraceStore.of({
    append: (commit) => {
      if (commit.transitions.length === 0) {
        return Effect.map(reader.info(commit.run), (info) => info?.head ?? HashChain.genesis(commit.run))
      }
      const refused = CommitCheck.check(commit, store)
      return refused === undefined ? append(commit) : Effect.fail(refused)
    },
    info: reader.info,
    read: reader.read,
    changes: RunFeed.make({ ...reader, signal, listening }),
    runs: reader.runs,
    claims: reader.claims,
    putBlobs: (blobs) =>
      attempt("blobs", undefined, async () => {
        await postgres.execute(Blobs.insert, Blobs.columnsOf(blobs))
      }),
    getBlobs: (digests) =>
      attempt("blobs", undefined, async () => {
        const { rows } = await postgres.execute(selectBlobs, [BinaryArray.ofBytes(digests.map(toBytes))])
        return new Map<Digest.Digest, string>(rows.map((row) => [fromBytes(row.digest), row.text]))
      }),
    putSnapshot: (run, { text, tick }, nodes = new Map()) =>
      attempt("snapshots", run.id, async () => {
        await postgres.execute(insertSnapshot, [...Blobs.columnsOf(nodes), run.tenant, run.id, tick, text])
      }),
    nearestSnapshot: reader.nearestSnapshot,
    snapshotTicks: reader.snapshotTicks,
    fingerprint: reader.fingerprint,
    putFingerprint: (tenant, { expected, next }) =>
      attempt("fingerprint", undefined, async () => {
        const values = [tenant, toBytes(next), toBytes(next), toBytes(expected ?? next)]
        const { rows: written } = await postgres.execute(queries.putFingerprint, values)
        const { rows } = written.length > 0 ? { rows: written } : await postgres.execute(queries.fingerprint, [tenant])
        return fromBytes(rows[0]!.digest)
      }),
    identity: reader.identity,
    putIdentity: (tenant, { expected, next, tool }) =>
      attempt("identity", undefined, async () => {
        const [name, given, known] = [toName(tool), toName(next), toName(expected ?? next)]
        const { rows: written } = await postgres.execute(queries.putIdentity, [tenant, name, given, given, known])
        const { rows } =
          written.length > 0 ? { rows: written } : await postgres.execute(queries.identity, [tenant, name])
        return fromName(rows[0]!.identity)
      }),
    faults: StoreAudit.faults("postgres", select)
  })
})

/**
 * One statement, and so one commit, for a snapshot and its new nodes. A snapshot is stored only for a tick that the
 * run has committed itself.
 */
const insertSnapshot: Queries.Query<never> = {
  name: "insert-snapshot-and-nodes",
  sql:
    `with node as (${Blobs.insertion(1)}) insert into snapshot (id, text) select transition.id, $6 ` +
    `from run join transition on transition.id = run.id * ${ticksPerRun} + $5 ` +
    "where tenant = $3 and name = $4 on conflict do nothing"
}

const selectBlobs: Queries.Query<{ readonly digest: Uint8Array; readonly text: string }> = {
  name: "select-blobs",
  sql: "select digest, text from blob where digest = any($1::bytea[])"
}
