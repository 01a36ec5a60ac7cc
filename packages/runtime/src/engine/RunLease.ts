/**
 * Works on a run while no other process does: takes its lease, renews it, and returns it.
 *
 * The lease keeps two processes from doing the same work. It is not needed for safety: a process without the lease,
 * or one that has lost it, is stopped by the expected head and by keys, like any other writer.
 *
 * @source docs/decisions/0037
 */
import * as Leases from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import * as ShownText from "@backstitch/wording/ShownText"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** Error for a run on which another process works at present. */
export class RunLeased extends Schema.TaggedError<RunLeased>("@backstitch/runtime/RunLeased")("RunLeased", {
  run: Schema.String,
  holder: Schema.String,
  since: Schema.Number,
  until: Schema.Number
}) {
  override get message(): string {
    const [since, until] = [this.since, this.until].map(ShownText.moment)
    return (
      `Run ${this.run} is in the hands of ${this.holder} since ${since}. ` +
      "Wait until that process is done with the run, or stop the process. " +
      `If the process has died, the run is free at ${until}`
    )
  }
}

/**
 * Options of a lease.
 *
 * **Details**
 *
 * `holder` names the process for people. `isGone` may know that a holder has ended without returning its lease; then
 * the lease is taken at once. With `waiting`, the caller waits for a lease that is taken, and `waiting` is called
 * with its holder.
 */
export interface Options {
  readonly holder: string
  readonly isGone?: ((holder: string) => boolean) | undefined
  readonly waiting?: ((lease: Leases.Lease) => Effect.Effect<void>) | undefined
}

/** One use of a lease, by one of the scopes in this process that work on its run. */
interface Holding {
  readonly leases: Leases.Leases["Service"]
  readonly renew: Effect.Effect<void>
}

/** The holdings of this process, by holder and run. */
const holdings = new Map<string, ReadonlyArray<Holding>>()

/**
 * Holds the lease of a run until the scope is closed.
 *
 * **Details**
 *
 * Scopes of one process with the same `holder` share the lease. It is returned with the last of them.
 */
export const take = Effect.fnUntraced(function* (run: Run, options: Options) {
  const { holder, isGone = () => false, waiting } = options
  const leases = yield* Leases.Leases
  const asked = { holder, ttlMillis: Limits.pacing.leaseMillis }
  const ask = Effect.gen(function* () {
    const answer = yield* leases.acquire(run, asked)
    if (answer._tag === "Acquired" || !isGone(answer.lease.holder)) return answer
    yield* leases.release(run, answer.lease.holder)
    return yield* leases.acquire(run, asked)
  }).pipe(Effect.uninterruptible)
  const renew = Effect.ignore(leases.acquire(run, asked))
  // Registered before it asks: a scope that ends meanwhile does not return the lease that this one is about to get.
  yield* Effect.acquireRelease(register(run, holder, { leases, renew }), (end) => end)
  let answer = yield* ask
  if (answer._tag === "Taken") {
    const { holder: by, since, until } = answer.lease
    if (waiting === undefined) return yield* new RunLeased({ run: run.id, holder: by, since, until })
    yield* waiting(answer.lease)
    answer = yield* Effect.repeat(ask, {
      schedule: Schedule.spaced(Limits.pacing.leaseLookMillis),
      until: ({ _tag }) => _tag === "Acquired"
    })
  }
  // A failed renewal is only tried again. If another process has the lease by then, the work here goes on without it,
  // and nobody is told.
  yield* renew.pipe(
    Effect.delay(Limits.pacing.leaseMillis / Limits.pacing.leaseRenewalsMin),
    Effect.repeat(Schedule.forever),
    Effect.forkScoped
  )
  return answer.lease
})

/** Registers a holding, and answers the effect that ends it: the last one of a store returns the lease. */
const register = (run: Run, holder: string, holding: Holding): Effect.Effect<Effect.Effect<void>> =>
  Effect.sync(() => {
    const { leases } = holding
    const key = JSON.stringify([holder, run.tenant, run.id])
    const all = (): ReadonlyArray<Holding> => holdings.get(key) ?? []
    holdings.set(key, [...all(), holding])
    return Effect.gen(function* () {
      const others = all().filter((each) => each !== holding)
      if (others.length > 0) holdings.set(key, others)
      else holdings.delete(key)
      if (others.some((each) => each.leases === leases)) return
      yield* Effect.ignore(leases.release(run, holder))
      // Another connection may be to the same store, whose lease has just been returned.
      yield* Effect.forEach(all(), (each) => each.renew, { discard: true })
    })
  })
