/**
 * Tells which process works on a run at present, so that a second process waits instead of doing the same work.
 *
 * A lease is advice, and expires. It is not needed for safety: the expected head protects the trace, and keys and the
 * times of the contract protect effects. A lease prevents two agents from paying for the same model calls and asking
 * the same questions. Time is that of the store, so that processes with different clocks agree on when a lease ends.
 *
 * @source docs/decisions/0037
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Run } from "../chain/Run.ts"
import type { TraceStoreError } from "./TraceStore.ts"

/** A lease. `since` and `until` are epoch milliseconds by the store's clock. */
export interface Lease {
  readonly run: Run
  /** The process that works on the run, in words that help a person to find it. */
  readonly holder: string
  readonly since: number
  readonly until: number
}

/** The answer to a request for a lease: it is acquired, or another holder has it. */
export type LeaseAnswer =
  | { readonly _tag: "Acquired"; readonly lease: Lease }
  | { readonly _tag: "Taken"; readonly lease: Lease }

/** A request for a lease: its holder, and its duration. */
export interface LeaseRequest {
  readonly holder: string
  readonly ttlMillis: number
}

/** Service that keeps leases. */
export class Leases extends Context.Service<
  Leases,
  {
    /** Takes a lease that is free or expired, or extends the holder's own. */
    readonly acquire: (run: Run, asked: LeaseRequest) => Effect.Effect<LeaseAnswer, TraceStoreError>
    /** Ends a lease, if it still belongs to the given holder. */
    readonly release: (run: Run, holder: string) => Effect.Effect<void, TraceStoreError>
    /** The lease of a run that has not expired. */
    readonly find: (run: Run) => Effect.Effect<Lease | undefined, TraceStoreError>
  }
>()("@backstitch/trace/Leases") {}

/** Decides a request at a time. This is the specification for every layer. */
export const decide = (
  known: Lease | undefined,
  asked: LeaseRequest & { readonly run: Run; readonly now: number }
): LeaseAnswer => {
  const { holder, now, run, ttlMillis } = asked
  const live = known === undefined || known.until <= now ? undefined : known
  if (live !== undefined && live.holder !== holder) return { _tag: "Taken", lease: live }
  return { _tag: "Acquired", lease: { run, holder, since: live?.since ?? now, until: now + ttlMillis } }
}

/** Creates leases that exist only within the current process. */
export const makeMemory: Effect.Effect<Leases["Service"]> = Effect.sync(() => {
  const kept = new Map<string, Lease>()
  const keyOf = ({ id, tenant }: Run): string => `${tenant}/${id}`
  return Leases.of({
    acquire: (run, asked) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const answer = decide(kept.get(keyOf(run)), { ...asked, run, now })
        if (answer._tag === "Acquired") kept.set(keyOf(run), answer.lease)
        return answer
      }),
    release: (run, holder) =>
      Effect.sync(() => {
        if (kept.get(keyOf(run))?.holder === holder) kept.delete(keyOf(run))
      }),
    find: (run) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const known = kept.get(keyOf(run))
        return known === undefined || known.until <= now ? undefined : known
      })
  })
})

/** Layer that provides leases in memory. */
export const layerMemory: Layer.Layer<Leases> = Layer.effect(Leases, makeMemory)
