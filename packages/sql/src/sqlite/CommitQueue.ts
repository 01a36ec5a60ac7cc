/**
 * Makes many writes durable with one flush.
 *
 * Waiting writes are taken together: one transaction, one commit, and a savepoint for each, so that the refusal of one
 * never affects another. There is no timer. The leader takes the queued writes when it has the lock, and a single write
 * is committed alone. While several runs write in turn, the leader first lets the event loop turn, as long as that
 * brings further writes. A flush takes longer than a turn: begun at once, it would make the other runs wait, and their
 * writes would be flushed one by one. No write is answered before the commit has returned; if the commit fails, all are
 * refused.
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"
import * as SqlFailure from "../queries/SqlFailure.ts"
import type { Sqlite } from "./Sqlite.ts"

/** The result of a write inside the transaction, and its answer once the transaction is durable. */
export interface WriteResult<A, E> {
  /** `false` if it changed nothing, or has to be rolled back. */
  readonly isKept: boolean
  readonly answer: Effect.Effect<A, E>
  /** Runs after the commit, before the answer. */
  readonly acknowledge?: () => void
}

/** A write: its name in errors, and its work in the open transaction. */
interface Write<A, E> {
  readonly operation: SqlFailure.Operation
  readonly run?: string | undefined
  readonly work: () => WriteResult<A, E>
}

/** The queue of one connection. */
export interface CommitQueue {
  readonly submit: <A, E>(write: Write<A, E>) => Effect.Effect<A, E | TraceStoreError>
}

/**
 * Creates the queue of a connection. When the scope closes, waiting writes are still made.
 *
 * **Details**
 *
 * While another process holds the lock, the leader tries again after 1 to 25 milliseconds, with jitter. A write that
 * has waited for `lockTimeoutMillis` since the first refusal is answered with `locked`.
 */
export const make = Effect.fnUntraced(function* (
  connection: Sqlite,
  { lockTimeoutMillis }: { readonly lockTimeoutMillis: number }
): Effect.fn.Return<CommitQueue, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  let queue: Array<Waiting> = []
  let isLed = false
  let batches = 0
  let last: string | undefined
  let isShared = false

  const refusal = ({ operation, run }: Write<unknown, unknown>, cause: unknown) =>
    Effect.fail(SqlFailure.make({ operation, run, store: connection.filename, cause }))

  /** Opens a transaction. `false` means that another process holds the lock. */
  const tryBegin = (): boolean => {
    try {
      connection.begin()
      return true
    } catch (cause) {
      if (SqlFailure.reasonOf(cause) === "locked") {
        expire(cause)
        return false
      }
      const refused = queue
      queue = []
      recover()
      for (const waiting of refused) waiting.resume(refusal(waiting.write, cause))
      return true
    }
  }

  const expire = (cause: unknown) => {
    const now = clock.currentTimeMillisUnsafe()
    const expired: Array<Waiting> = []
    queue = queue.filter((waiting) => {
      waiting.since ??= now
      const isExpired = now - waiting.since >= lockTimeoutMillis
      if (isExpired) expired.push(waiting)
      return !isExpired
    })
    for (const waiting of expired) waiting.resume(refusal(waiting.write, cause))
  }

  /** Ends the transaction, and drops the pages in memory: after an error they may differ from those of the file. */
  const recover = () => {
    for (const step of [connection.rollback, connection.reopen]) {
      try {
        step()
      } catch {
        // It is tried again with the next write, whose answer reports the problem.
      }
    }
  }

  /** Does the work of one write. Throws only if the whole transaction is lost. */
  const attempt = (write: Write<unknown, unknown>, isAlone: boolean): WriteResult<unknown, unknown> => {
    if (!isAlone) connection.savepoint()
    let outcome: WriteResult<unknown, unknown>
    try {
      outcome = write.work()
    } catch (cause) {
      if (isAlone || !connection.isInTransaction()) throw cause
      outcome = { isKept: false, answer: refusal(write, cause) }
    }
    if (isAlone) return outcome
    if (outcome.isKept) connection.release()
    else connection.rollbackToSavepoint()
    return outcome
  }

  const commit = () => {
    const batch = queue
    queue = []
    let outcomes: ReadonlyArray<WriteResult<unknown, unknown>>
    try {
      outcomes = batch.map(({ write }) => attempt(write, batch.length === 1))
      if (outcomes.some(({ isKept }) => isKept)) connection.commit()
      else connection.rollback()
      connection.confirm()
    } catch (cause) {
      recover()
      for (const { resume, write } of batch) resume(refusal(write, cause))
      return
    }
    for (const { acknowledge } of outcomes) acknowledge?.()
    batch.forEach(({ resume }, index) => void resume(outcomes[index]!.answer))
  }

  const lead = () => {
    if (queue.length === 0) {
      isLed = false
    } else if (tryBegin()) {
      follow()
    } else {
      runFork(Effect.andThen(waitForLock, Effect.sync(follow)))
    }
  }

  /** Commits the queued writes in the open transaction, and schedules the writes that were queued meanwhile. */
  const follow = () => {
    if (connection.isInTransaction()) {
      if (queue.length > 0) commit()
      else connection.rollback()
    }
    if (queue.length > 0) schedule()
    else isLed = false
  }

  /** Leads when the present code has ended and, every few commits, after a turn of the event loop. */
  const schedule = () => {
    isLed = true
    batches = (batches + 1) % Limits.pacing.batchesPerTurn
    if (isShared) gather(Limits.pacing.gatheringTurnsMax)
    else if (batches === 0) setImmediate(lead)
    else queueMicrotask(lead)
  }

  /** Leads after a turn of the event loop in which no write came. */
  const gather = (turns: number) => {
    const seen = queue.length
    setImmediate(() => (queue.length > seen && turns > 1 ? gather(turns - 1) : lead()))
  }

  const waitForLock = Effect.suspend(() =>
    queue.length === 0 || tryBegin() ? Effect.void : Effect.fail("locked")
  ).pipe(Effect.retry(patience), Effect.ignore)

  yield* Effect.addFinalizer(() => Effect.sync(lead))

  return {
    submit: <A, E>(write: Write<A, E>) =>
      Effect.callback<A, E | TraceStoreError>((resume) => {
        const waiting: Waiting = { write, resume: resume as Waiting["resume"], since: undefined }
        queue.push(waiting)
        isShared = write.run !== last
        last = write.run
        // Other fibers that are ready now queue their writes before the leader takes them.
        if (!isLed) schedule()
        return Effect.sync(() => {
          queue = queue.filter((other) => other !== waiting)
        })
      })
  }
})

interface Waiting {
  readonly write: Write<unknown, unknown>
  readonly resume: (answer: Effect.Effect<unknown, unknown>) => void
  since: number | undefined
}

const { commitLookMillisMax, commitLookMillisMin } = Limits.pacing

const patience = Schedule.jittered(
  Schedule.min([Schedule.exponential(commitLookMillisMin), Schedule.spaced(commitLookMillisMax)])
)
