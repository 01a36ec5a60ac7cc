/**
 * Holds the lease of a run in the name of this process, and knows whether another process of this machine has ended.
 *
 * A process that was killed returns no lease. The holder's name contains its machine and process, so another process
 * on that machine takes the lease over at once. One on another machine waits until it expires, ten seconds after its
 * last renewal. No option sets that time: it is the longest such wait, and each renewal is a write to the store.
 */
import * as Os from "node:os"
import type * as Leases from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import type * as Effect from "effect/Effect"
import * as RunLease from "../engine/RunLease.ts"

/** Names this process for people and for other processes. */
export const holder = (): string => `process ${process.pid} on ${Os.hostname()}`

/** Tells whether a holder is a process of this machine that has ended. */
export const isGone = (holder: string): boolean => {
  const [, pid, host] = /^process (\d+) on (.+)$/.exec(holder) ?? []
  if (pid === undefined || host !== Os.hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH"
  }
}

/**
 * Holds the lease while the scope is open. With `waiting`, the caller waits for a lease that is taken, and `waiting`
 * is called.
 */
export const take = (run: Run, waiting?: (lease: Leases.Lease) => Effect.Effect<void>) =>
  RunLease.take(run, { holder: holder(), isGone, waiting })
