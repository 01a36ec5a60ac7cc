/**
 * Verifies all that a store has of a tenant: the store itself, each run, the index of claims, and its keys.
 *
 * A run that an anchored log names and that the store does not have is reported as gone. The index of claims is
 * compared with the traces, and only if all traces are as they were committed.
 */
import type { Tenant } from "@backstitch/trace/Run"
import type * as StoreFault from "@backstitch/trace/StoreFault"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Words } from "@backstitch/wording/Words"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Lexicon from "../ports/Lexicon.ts"
import * as SecretFingerprint from "../sealing/SecretFingerprint.ts"
import * as ClaimIndex from "./ClaimIndex.ts"
import type * as HeadLog from "./HeadLog.ts"
import * as RunVerification from "./RunVerification.ts"

/** The verdict on a store, as far as one tenant can tell, as plain JSON. */
export interface StoreVerdict {
  readonly consistent: boolean
  readonly runs: ReadonlyArray<RunVerification.RunVerdict>
  readonly claims: ReadonlyArray<ClaimIndex.IndexDifference>
  readonly faults: ReadonlyArray<StoreFault.StoreFault>
  /** Keys whose secret is not known to the store. This is no certain damage. */
  readonly unvouched: number
}

/** The log against which the runs are verified, and listeners that receive each finding as it is made. */
export interface Options {
  readonly anchors?: ReadonlyArray<HeadLog.LoggedHead> | undefined
  readonly onFault?: ((fault: StoreFault.StoreFault) => void) | undefined
  readonly onRun?: ((verdict: RunVerification.RunVerdict) => void) | undefined
  readonly progress?: ((run: string, tick: number, of: number) => void) | undefined
}

/** Verifies a store. A tenant without runs has an empty verdict, which proves nothing. */
export const verify = Effect.fn("StoreVerification.verify")(function* (tenant: Tenant, options: Options = {}) {
  const { anchors = [], onFault = () => {}, onRun = () => {}, progress } = options
  const store = yield* TraceStore.TraceStore
  // The faults of the store come first: if a table is missing, nothing else can be read.
  const faults = yield* store.faults
  for (const fault of faults) onFault(fault)
  const listed = yield* Effect.result(store.runs(tenant))
  // Faults of the store explain why its runs cannot be listed.
  if (Result.isFailure(listed) && faults.length === 0) return yield* listed.failure
  const isReadable = Result.isSuccess(listed) && faults.every(({ found }) => found !== "absent")
  const sound = new Set<string>()
  const runs: Array<RunVerification.RunVerdict> = []
  for (const { run } of isReadable ? listed.success : []) {
    const own = anchors.filter((anchor) => anchor.run === run.id)
    const tell = progress && ((tick: number, of: number) => progress(run.id, tick, of))
    const verdict = yield* RunVerification.verify(run, { anchors: own, sound, progress: tell })
    runs.push(verdict)
    onRun(verdict)
  }
  for (const gone of isReadable ? missing(anchors, runs, yield* Lexicon.Lexicon) : []) {
    runs.push(gone)
    onRun(gone)
  }
  // The index cannot be compared with broken traces.
  const isWhole = isReadable && runs.every(({ consistent }) => consistent)
  const claims = isWhole ? yield* ClaimIndex.differences(tenant) : []
  const unvouched = isReadable ? yield* SecretFingerprint.unvouched(tenant) : 0
  const consistent = runs.every(RunVerification.isSound) && claims.length === 0 && faults.length === 0
  const verdict: StoreVerdict = { consistent, runs, claims, faults, unvouched }
  return verdict
})

/** Verdicts on anchored runs that were not among the verified ones, because the store no longer has them. */
export const missing = (
  anchors: ReadonlyArray<{ readonly run: string; readonly tick: number; readonly head: string }>,
  verdicts: ReadonlyArray<RunVerification.RunVerdict>,
  words?: Words
): ReadonlyArray<RunVerification.RunVerdict> => {
  const verified = new Set(verdicts.map(({ run }) => run))
  const gone = new Map(anchors.filter(({ run }) => !verified.has(run)).map((anchor) => [anchor.run, anchor]))
  return [...gone.values()].map(({ head, run, tick }) => {
    const fault = { code: "run_gone", tick } as const
    return RunVerification.broken({ run, ticks: 0, head }, { tick: 1, fault }, { words })
  })
}
