/**
 * The ways to commit on Postgres.
 *
 * The usual way is one statement. A name that is already held violates the unique index, which undoes the whole
 * statement. A transaction then finds out whether another run holds it.
 */
import * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import { type Append, TickConflict, type TraceStore, type TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"
import type * as CommitCheck from "../queries/commitCheck.ts"
import type * as Queries from "../queries/Queries.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import type * as StoreReader from "../queries/StoreReader.ts"
import { fromBytes, rowId, toEntry, toName } from "../queries/Tables.ts"
import * as Blobs from "./blobs.ts"
import type * as Postgres from "./Postgres.ts"
import * as PostgresStatement from "./statement.ts"

/** The answer of an append: the new head, or the reason why there is none. */
type Answer = HashChain.Head | TickConflict | Claims.ClaimRefused

/** An append as the store answers it. */
export type Appending = ReturnType<TraceStore["Service"]["append"]>

/**
 * Appends a commit of at least one transition with one statement, to a run that this store has written or read
 * before. The server's answer goes directly to the caller's fiber. `undefined` if one statement is not enough.
 */
export const directly = (
  postgres: Postgres.Postgres,
  commit: Append,
  given: {
    readonly run: StoreReader.RunOrigin | undefined
    readonly committed: () => void
    readonly failed: (cause: unknown) => TraceStoreError
    /** Appends with a transaction, if the statement met another commit. */
    readonly otherwise: () => Appending
  }
): Appending | undefined => {
  const statement = given.run && PostgresStatement.of(commit, given.run.id)
  if (statement === undefined) return undefined
  return Effect.callback((resume) =>
    postgres.change(statement.query, statement.values, (cause) => {
      if (cause === undefined) {
        given.committed()
        resume(Effect.succeed(headOf(commit)))
      } else resume(isRace(cause) ? given.otherwise() : Effect.fail(given.failed(cause)))
    })
  )
}

const isRace = (cause: unknown): boolean =>
  SqlFailure.isTransient(cause) || SqlFailure.isConflict(cause) || SqlFailure.uniqueViolation(cause) === "claim"

/** A store to append to, and the row of the run if it is known to be there. */
export interface Appended {
  readonly postgres: Postgres.Postgres
  readonly queries: Queries.Queries
  readonly run: StoreReader.RunOrigin | undefined
}

/**
 * Appends a commit of at least one transition; rejects with the driver's error.
 *
 * **Details**
 *
 * A commit can meet others in three ways after which it is tried again: another process created the run meanwhile, a
 * name was released between the refusal and the query for its holder, or two commits waited for each other and this
 * one was chosen to give way. In each case another process has made progress.
 */
export const append = async (to: Appended, commit: Append): Promise<Answer> => {
  const { appendAttemptsMax } = Limits.pacing
  for (let attempt = 1; attempt <= appendAttemptsMax; attempt++) {
    try {
      const answer = await attemptAppend(to, commit)
      if (answer !== undefined) return answer
    } catch (cause) {
      if (SqlFailure.isConflict(cause)) return standsOrConflicts(to.postgres.execute, to.queries, commit)
      if (!SqlFailure.isTransient(cause) || attempt === appendAttemptsMax) throw cause
    }
  }
  throw new Error("other writers of the same names were faster each time. Repeat")
}

/** `undefined` means that another process made progress: try again. */
const attemptAppend = async ({ postgres, queries, run }: Appended, commit: Append): Promise<Answer | undefined> => {
  const statement = run && (PostgresStatement.of(commit, run.id) ?? PostgresStatement.ofMany(commit, run.id))
  if (statement === undefined) return appendInTransaction(postgres, queries, commit)
  try {
    await postgres.execute(statement.query, statement.values)
    return headOf(commit)
  } catch (cause) {
    // The statement finds no head if the head is another, or if nobody holds a name that the commit hands over, which
    // only a damaged index can bring about. The transaction tells these two apart.
    const isUnclear = SqlFailure.isConflict(cause) && PostgresStatement.handsOver(commit)
    if (SqlFailure.uniqueViolation(cause) !== "claim" && !isUnclear) throw cause
    return appendInTransaction(postgres, queries, commit)
  }
}

const headOf = ({ transitions }: Append): HashChain.Head => HashChain.headOf(transitions[transitions.length - 1]!)

/** A commit that is refused, or that another process was faster than, leaves nothing. */
const isCommitted = (answer: Answer | undefined): boolean => answer !== undefined && !("_tag" in answer)

const appendInTransaction = (
  postgres: Postgres.Postgres,
  queries: Queries.Queries,
  commit: Append
): Promise<Answer | undefined> => {
  const { expected, run } = commit
  return postgres.transaction(async (execute): Promise<Answer | undefined> => {
    const {
      rows: [known]
    } = await execute(queries.findRun, [run.tenant, run.id])
    let id = known?.id
    if (id === undefined) {
      const start = await startOf(execute, queries, commit)
      if (start.head?.link !== expected.link || start.actual !== expected.tick) {
        return new TickConflict({ run: run.id, expected: expected.tick, actual: start.actual })
      }
      const parentTick = start.parent === null ? null : commit.parent!.tick
      const {
        rows: [created]
      } = await execute(insertRun, [run.tenant, run.id, start.parent, parentTick])
      if (created === undefined) return undefined
      id = created.id
    }
    if (commit.blobs !== undefined) await execute(Blobs.insert, Blobs.columnsOf(commit.blobs))
    const rows = known === undefined ? PostgresStatement.begin(commit, id) : PostgresStatement.rowsOf(commit, id)
    await execute(rows.query, rows.values)
    const changed = await changeNames(execute, queries, id, commit)
    if (changed === "overtaken") return undefined
    return changed ?? headOf(commit)
  }, isCommitted)
}

/** tenant, name, parent, parent tick */
const insertRun: Queries.Query<{ readonly id: number }> = {
  name: "insert-run",
  sql:
    "insert into run (tenant, name, parent, parent_tick) values ($1, $2, $3, $4) " +
    "on conflict (tenant, name) do nothing returning id"
}

/**
 * Finds the head that the first commit of a run follows: genesis, or for a fork the parent's head at the shared tick.
 */
const startOf = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  { parent, run }: Append
): Promise<CommitCheck.Start> => {
  if (parent === undefined) return { parent: null, head: HashChain.genesis(run), actual: 0 }
  const {
    rows: [row]
  } = await execute(queries.findRun, [run.tenant, parent.id])
  if (row === undefined || parent.tick > row.tick) return { parent: null, head: undefined, actual: row?.tick ?? 0 }
  if (parent.tick === 0) return { parent: row.id, head: HashChain.genesis(run), actual: 0 }
  let at = row
  while (at.parent !== null && parent.tick <= (at.parent_tick ?? 0)) {
    at = (await execute(queries.runById, [at.parent])).rows[0]!
  }
  return { parent: row.id, head: await headAt(execute, queries, at.id, parent.tick), actual: parent.tick }
}

const headAt = async (execute: Postgres.Execute, queries: Queries.Queries, run: number, tick: number) => {
  const {
    rows: [row]
  } = await execute(queries.headAt, [rowId(run, tick)])
  return row && { tick, link: fromBytes(row.link), story: fromBytes(row.story) }
}

/** A commit whose last link is already stored was made before, and its acknowledgement was lost. */
const standsOrConflicts = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  commit: Append
): Promise<HashChain.Head | TickConflict> => {
  const { expected, run } = commit
  const last = headOf(commit)
  const {
    rows: [row]
  } = await execute(queries.findRun, [run.tenant, run.id])
  const standing = row && (await headAt(execute, queries, row.id, last.tick))
  if (standing?.link === last.link) return last
  return new TickConflict({ run: run.id, expected: expected.tick, actual: row?.tick ?? 0 })
}

/**
 * Claims and releases names; for one name, in the order of the commit. All commits use the same order of names, so
 * that they wait for each other without a deadlock. Answers the refusal, if there is one.
 */
const changeNames = async (
  execute: Postgres.Execute,
  queries: Queries.Queries,
  id: number,
  { claims, run }: Append
): Promise<Claims.ClaimRefused | "overtaken" | undefined> => {
  const changes = claims.flatMap(({ release, take, tick }) => [
    ...take.map((claim) => ({ claim, tick, isTaken: true })),
    ...release.map((claim) => ({ claim, tick, isTaken: false }))
  ])
  const visited = changes
    .map((change, index) => ({ ...change, index, name: PostgresStatement.nameOf(change.claim) }))
    .sort(inOneOrder)
  let first: { readonly index: number; readonly held: Claims.HeldClaim } | undefined
  for (const { claim, index, isTaken, tick } of visited) {
    const key = [run.tenant, claim.namespace, toName(claim.name)]
    if (!isTaken) {
      await execute(queries.release, [...key, toName(claim.owner), id])
      continue
    }
    const { changed } = await execute(queries.take, [...key, toName(claim.owner), id, tick])
    if (changed > 0) continue
    const held = (await execute(queries.claim, key)).rows.map(toEntry)[0]
    // The holder that kept the name from being taken has released it before it could be read.
    if (held === undefined) return "overtaken"
    if (!Claims.mayTake(run, claim, held) && (first === undefined || index < first.index)) {
      first = { index, held }
    }
  }
  return first && Claims.refuse(first.held)
}

const inOneOrder = (
  left: { readonly name: string; readonly index: number },
  right: { readonly name: string; readonly index: number }
): number => (left.name === right.name ? left.index - right.index : left.name < right.name ? -1 : 1)
