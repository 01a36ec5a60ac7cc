/**
 * Keeps traces in one SQLite file.
 *
 * Several processes may open the file. The facts that a commit depends on (the run's head, the parent's link, the
 * holders of names) are read in the transaction that writes it, so no cached value is trusted. Only the origin of a
 * run, which never changes, is remembered.
 */
import * as Branded from "@backstitch/trace/Branded"
import * as Claims from "@backstitch/trace/Claims"
import * as CommitSignal from "@backstitch/trace/CommitSignal"
import type * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import type { Run } from "@backstitch/trace/Run"
import * as RunFeed from "@backstitch/trace/RunFeed"
import { type Append, TickConflict, TraceStore, type TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as CommitCheck from "../queries/commitCheck.ts"
import * as Queries from "../queries/Queries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import * as StoreAudit from "../queries/StoreAudit.ts"
import * as StoreReader from "../queries/StoreReader.ts"
import { fromBytes, fromName, rowId, toBytes, toEntry, toHead, toName } from "../queries/Tables.ts"
import * as CommitQueue from "./CommitQueue.ts"
import type * as Sqlite from "./Sqlite.ts"
import * as SqliteStatements from "./SqliteStatements.ts"
import { watching } from "./sqliteWatch.ts"
import { waitingForLock } from "./waitingForLock.ts"

/** Opens a file, brings its tables up to date, and creates a store on it. */
export const make = Effect.fnUntraced(function* (
  options: SqliteStatements.Options
): Effect.fn.Return<TraceStore["Service"], TraceStoreError, Scope.Scope> {
  const { connection, lockTimeoutMillis } = yield* SqliteStatements.open(options)
  return yield* fromConnection(connection, { lockTimeoutMillis })
})

/** Creates a store on a connection whose tables are up to date. */
export const fromConnection = Effect.fnUntraced(function* (
  connection: Sqlite.Sqlite,
  options: { readonly lockTimeoutMillis: number }
): Effect.fn.Return<TraceStore["Service"], never, Scope.Scope> {
  const queries = Queries.make("sqlite")
  const store = connection.filename
  const queue = yield* CommitQueue.make(connection, options)

  const wait = waitingForLock(options.lockTimeoutMillis)
  const select: StoreReader.Select = (operation, query, values) =>
    wait(
      Effect.try({
        try: () => connection.all(query, values),
        catch: (cause) => SqlFailure.make({ operation, store, cause })
      })
    )
  const reader = StoreReader.make(queries, store, select)
  const signal = CommitSignal.make()
  const keep: Keep = (blobs) => {
    let added = 0
    for (const [digest, text] of blobs) added += connection.run(queries.insertBlob, [toBytes(digest), text])
    return added
  }
  const writer = makeWriter(connection, { ...queries, ...Queries.heads() }, { reader, signal, keep })
  const listening = yield* watching(connection, signal)

  return TraceStore.of({
    append: (commit) => {
      if (commit.transitions.length === 0) {
        return Effect.map(reader.info(commit.run), (info) => info?.head ?? HashChain.genesis(commit.run))
      }
      const refused = CommitCheck.check(commit, store)
      if (refused !== undefined) return Effect.fail(refused)
      return queue.submit({ operation: "append", run: commit.run.id, work: () => writer.append(commit) })
    },
    info: reader.info,
    read: reader.read,
    changes: RunFeed.make({ ...reader, signal, listening }),
    runs: reader.runs,
    claims: reader.claims,
    putBlobs: (blobs) =>
      queue.submit({
        operation: "blobs",
        work: () => ({ isKept: keep(blobs) > 0, answer: Effect.void })
      }),
    getBlobs: (digests) =>
      Effect.map(select("blobs", selectBlobs, [JSON.stringify(digests)]), (rows) => {
        return new Map(rows.map(({ digest, text }) => [digest, text]))
      }),
    blob: (digest) => connection.get(selectBlob, [toBytes(digest)])?.text,
    putSnapshot: (run, { text, tick }, nodes = new Map()) =>
      queue.submit({
        operation: "snapshots",
        run: run.id,
        work: () => {
          let added = keep(nodes)
          const row = connection.get(queries.findRun, [run.tenant, run.id])
          if (row !== undefined && tick <= row.tick && tick > (row.parent_tick ?? 0)) {
            added += connection.run(queries.insertSnapshot, [rowId(row.id, tick), text])
          }
          return { isKept: added > 0, answer: Effect.void }
        }
      }),
    nearestSnapshot: reader.nearestSnapshot,
    snapshotTicks: reader.snapshotTicks,
    fingerprint: reader.fingerprint,
    putFingerprint: (tenant, { expected, next }) =>
      queue.submit({
        operation: "fingerprint",
        work: () => {
          // Of two writers, the second sees the first one's commit, since both need the lock of the file.
          const values = [tenant, toBytes(next), toBytes(next), toBytes(expected ?? next)]
          const written = connection.get(queries.putFingerprint, values)
          const standing = written ?? connection.get(queries.fingerprint, [tenant])!
          return { isKept: written !== undefined, answer: Effect.succeed(fromBytes(standing.digest)) }
        }
      }),
    identity: reader.identity,
    putIdentity: (tenant, { expected, next, tool }) =>
      queue.submit({
        operation: "identity",
        work: () => {
          const [name, given, known] = [toName(tool), toName(next), toName(expected ?? next)]
          const written = connection.get(queries.putIdentity, [tenant, name, given, given, known])
          const standing = written ?? connection.get(queries.identity, [tenant, name])!
          return { isKept: written !== undefined, answer: Effect.succeed(fromName(standing.identity)) }
        }
      }),
    faults: StoreAudit.faults("sqlite", select)
  })
})

const selectBlobs: Queries.Query<{ readonly digest: Digest.Digest; readonly text: string }> = {
  name: "select-blobs",
  sql: "select lower(hex(digest)) as digest, text from blob where digest in (select unhex(value) from json_each(?))"
}

const selectBlob: Queries.Query<{ readonly text: string }> = {
  name: "select-blob",
  sql: "select text from blob where digest = ?"
}

/** Keeps texts in the open transaction, and counts those that are new. */
type Keep = (blobs: ReadonlyMap<Digest.Digest, string>) => number

type Written = CommitQueue.WriteResult<HashChain.Head, TickConflict | Claims.ClaimRefused>

/** Makes the function that appends a commit within the transaction of a group. */
const makeWriter = (
  connection: Sqlite.Sqlite,
  queries: Queries.Queries & ReturnType<typeof Queries.heads>,
  given: { readonly reader: StoreReader.StoreReader; readonly signal: CommitSignal.CommitSignal; readonly keep: Keep }
) => {
  const { keep, reader, signal } = given

  const refuse = (error: TickConflict | Claims.ClaimRefused): Written => ({ isKept: false, answer: Effect.fail(error) })

  const headAt = (run: number, tick: number): HashChain.Head | undefined => {
    const row = connection.get(queries.headAt, [rowId(run, tick)])
    return row && { tick, link: fromBytes(row.link), story: fromBytes(row.story) }
  }

  /**
   * Finds the head that the first commit of a run follows: genesis, or for a fork the parent's head at the shared
   * tick.
   */
  const startOf = ({ parent, run }: Append): CommitCheck.Start => {
    if (parent === undefined) return { parent: null, head: HashChain.genesis(run), actual: 0 }
    const row = connection.get(queries.findRun, [run.tenant, parent.id])
    if (row === undefined || parent.tick > row.tick) return { parent: null, head: undefined, actual: row?.tick ?? 0 }
    if (parent.tick === 0) return { parent: row.id, head: HashChain.genesis(run), actual: 0 }
    let at = row
    while (at.parent !== null && at.parent < at.id && parent.tick <= (at.parent_tick ?? 0)) {
      at = connection.get(queries.runById, [at.parent])!
    }
    return { parent: row.id, head: headAt(at.id, parent.tick), actual: parent.tick }
  }

  const find = (run: Run): StoreReader.RunOrigin | undefined => {
    const row = connection.get(queries.findRun, [run.tenant, run.id])
    return row && StoreReader.originOf(row)
  }

  const create = (commit: Append, last: HashChain.Head): StoreReader.RunOrigin | TickConflict => {
    const { expected, parent, run } = commit
    const start = startOf(commit)
    if (start.head?.link !== expected.link || start.actual !== expected.tick) {
      return new TickConflict({ run: run.id, expected: expected.tick, actual: start.actual })
    }
    const parentTick = start.parent === null ? null : parent!.tick
    const values = [run.tenant, run.id, start.parent, parentTick, ...headValues(last)]
    const { id } = connection.get(queries.insertRun, values)!
    return { id, tenant: run.tenant, name: run.id, parent: start.parent, parentTick: parentTick ?? 0 }
  }

  /** A commit whose last link is already stored was made before, and its acknowledgement was lost. */
  const standsOrConflicts = (id: number, { expected, run }: Append, last: HashChain.Head): Written => {
    if (headAt(id, last.tick)?.link === last.link) return { isKept: false, answer: Effect.succeed(last) }
    const actual = toHead(connection.get(queries.runById, [id])!).tick
    return refuse(new TickConflict({ run: run.id, expected: expected.tick, actual }))
  }

  const change = (id: number, run: Run, claims: Append["claims"]): Claims.ClaimRefused | undefined => {
    for (const { release, take, tick } of claims) {
      for (const claim of take) {
        const key = [run.tenant, claim.namespace, toName(claim.name)]
        if (connection.run(queries.take, [...key, toName(claim.owner), id, tick]) > 0) continue
        const held = toEntry(connection.get(queries.claim, key)!)
        if (!Claims.mayTake(run, claim, held)) return Claims.refuse(held)
      }
      for (const { name, namespace, owner } of release) {
        connection.run(queries.release, [run.tenant, namespace, toName(name), toName(owner), id])
      }
    }
    return undefined
  }

  const append = (commit: Append): Written => {
    const { expected, run, transitions } = commit
    const last = HashChain.headOf(transitions[transitions.length - 1]!)
    const known = reader.remembered(run)
    let origin = known ?? find(run)
    if (origin === undefined) {
      const created = create(commit, last)
      if (Branded.isError(created, TickConflict)) return refuse(created)
      origin = created
    } else {
      const values = [...headValues(last), origin.id, expected.tick, toBytes(expected.link)]
      if (connection.run(queries.advance, values) === 0) return standsOrConflicts(origin.id, commit, last)
    }
    const { id } = origin
    for (const { body, envelope, link, stamp, story, tick } of transitions) {
      connection.run(queries.insertTransition, [rowId(id, tick), toBytes(link), toBytes(story), body, stamp, envelope])
    }
    const refused = commit.claims.length === 0 ? undefined : change(id, run, commit.claims)
    if (refused !== undefined) return refuse(refused)
    if (commit.blobs !== undefined) keep(commit.blobs)
    const answer = Effect.succeed(last)
    const acknowledge = () => {
      if (known === undefined) reader.remember(origin)
      signal.moved(run, transitions)
    }
    return { isKept: true, answer, acknowledge }
  }

  return { append }
}

const headValues = ({ link, story, tick }: HashChain.Head) => [tick, toBytes(link), toBytes(story)]
