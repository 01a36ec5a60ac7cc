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
  /** The time for which the lease lasts unless it is renewed: how long others wait for a holder that has died. */
  readonly ttlMillis?: number | undefined
  readonly isGone?: ((holder: string) => boolean) | undefined
  readonly waiting?: ((lease: Leases.Lease) => Effect.Effect<void>) | undefined
}

/** Holds the lease of a run until the scope is closed. */
export const take = Effect.fnUntraced(function* (run: Run, options: Options) {
  const { holder, isGone = () => false, ttlMillis: lasts = Limits.pacing.leaseMillis, waiting } = options
  const leases = yield* Leases.Leases
  const asked = { holder, ttlMillis: lasts }
  const ask = Effect.gen(function* () {
    const answer = yield* leases.acquire(run, asked)
    if (answer._tag === "Acquired" || !isGone(answer.lease.holder)) return answer
    yield* leases.release(run, answer.lease.holder)
    return yield* leases.acquire(run, asked)
  })
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
  yield* Effect.addFinalizer(() => Effect.ignore(leases.release(run, holder)))
  // A renewal that fails is tried again, and so is a lease that was lost: the work goes on without it, as safely.
  yield* Effect.ignore(leases.acquire(run, asked)).pipe(
    Effect.delay(lasts / Limits.pacing.leaseRenewalsMin),
    Effect.repeat(Schedule.forever),
    Effect.forkScoped
  )
  return answer.lease
})
