/** What this process calls itself in a lease, and whether another of this machine is still there. */
import * as Os from "node:os"
import * as RunLease from "@backstitch/runtime/RunLease"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Terminal from "../terminal/Terminal.ts"

const me = (): string => `process ${process.pid} on ${Os.hostname()}`

/** A process that was killed gives nothing back; of this machine's own it can be known. */
const isGone = (holder: string): boolean => {
  const [, pid, host] = /^process (\d+) on (.+)$/.exec(holder) ?? []
  if (pid === undefined || host !== Os.hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ESRCH"
  }
}

/** Holds the lease of a run while the scope is open. With `wait`, another's is waited for. */
export const hold = (run: Run, { wait = false }: { readonly wait?: boolean } = {}) =>
  RunLease.hold(run, {
    holder: me(),
    isGone,
    waiting: wait
      ? ({ holder, since }) =>
          Effect.sync(() =>
            Terminal.note(`run ${run.id} is in the hands of ${holder} since ${new Date(since).toISOString()}: waiting`)
          )
      : undefined
  })
