/**
 * The default time that the proof of an action of each class may take.
 *
 * | latency | classes | time after the answer | asked again after |
 * | --- | --- | --- | --- |
 * | synchronous | reads, ephemeral writes | none: only a read with the call counts | – |
 * | moderate | low and medium risk | 5 s | 250 ms, doubled up to 2 s |
 * | asynchronous | high risk, critical | 60 s | 250 ms, doubled up to 10 s |
 *
 * `within` and `poll` of a readback override these. The check of a pack warns of a contract that contradicts its
 * class, such as a read for which a caller would wait as long as for a queue.
 */
import * as Limits from "../Limits.ts"
import * as Backoff from "../time/Backoff.ts"
import type * as ToolContract from "./ToolContract.ts"

/** When a proof comes: while the caller waits, a little later, or at any time. */
export type Latency = "synchronous" | "moderate" | "asynchronous"

/** The latency that each class permits. */
export const ofClass: { readonly [Class in ToolContract.SideEffect]: Latency } = {
  read_only: "synchronous",
  ephemeral_write: "synchronous",
  low_risk_internal: "moderate",
  medium_risk_write: "moderate",
  high_risk_external: "asynchronous",
  critical_mutation: "asynchronous"
}

/** A deadline after the answer, and the schedule of reads until then. */
export interface Schedule {
  readonly withinMillis: number
  readonly poll: Backoff.Backoff
}

const { deciding, refusing } = Limits

/** Schedules of contracts that declare none. */
export const schedules: { readonly [Name in Latency]: Schedule } = {
  synchronous: { withinMillis: 0, poll: { ...Backoff.standard, maxMillis: deciding.synchronousPollMillisMax } },
  moderate: {
    withinMillis: deciding.moderateReadbackMillis,
    poll: { ...Backoff.standard, maxMillis: deciding.moderatePollMillisMax }
  },
  asynchronous: {
    withinMillis: deciding.asynchronousReadbackMillis,
    poll: { ...Backoff.standard, maxMillis: deciding.asynchronousPollMillisMax }
  }
}

/** The longest time within a latency. A contract with a longer one contradicts its class. */
export const longestMillis: { readonly [Name in Latency]: number } = {
  synchronous: refusing.synchronousMillisMax,
  moderate: refusing.moderateMillisMax,
  asynchronous: Number.POSITIVE_INFINITY
}

/** The deadline and the schedule by which an action is read back. */
export const schedule = ({ class: sideEffect, readback }: ToolContract.ToolContract): Schedule => {
  const { poll, withinMillis } = schedules[ofClass[sideEffect]]
  return { withinMillis: readback?.withinMillis ?? withinMillis, poll: readback?.poll ?? poll }
}

/** A way in which a contract contradicts its class: the place, and the value there. */
export interface Contradiction {
  readonly at: readonly ["readback" | "status" | "webhook", ...ReadonlyArray<"poll" | "within">]
  readonly found: string
}

/** Names the waits of a contract that are longer than its class permits, or of another kind. */
export const contradictions = (contract: ToolContract.ToolContract): ReadonlyArray<Contradiction> => {
  const latency = ofClass[contract.class]
  const longest = longestMillis[latency]
  const { asking, readback, webhook } = contract
  const exceeds = (at: Contradiction["at"], millis: number | undefined): ReadonlyArray<Contradiction> =>
    millis === undefined || millis <= longest ? [] : [{ at, found: `${millis / 1000} s` }]
  return [
    ...exceeds(["readback", "within"], readback?.withinMillis),
    ...exceeds(["readback", "poll"], readback?.poll?.firstMillis),
    ...exceeds(["status", "within"], asking.withinMillis),
    ...exceeds(["status", "poll"], asking.poll?.firstMillis),
    ...(webhook !== undefined && latency === "synchronous" ? [{ at: ["webhook"], found: "a webhook" } as const] : [])
  ]
}
