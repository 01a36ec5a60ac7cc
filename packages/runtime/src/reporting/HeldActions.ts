/** Actions that wait for a person, of one run or of all runs of a tenant, and the reasons. */
import * as Resolution from "@backstitch/kernel/Resolution"
import * as Reviews from "@backstitch/kernel/Reviews"
import type { Run, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as PackLibrary from "../history/PackLibrary.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as Report from "./Report.ts"

/** An action of a run that is held, and the reason, as plain JSON. */
export interface HeldAction extends Report.HeldEntry {
  readonly run: string
  /** `true` if the action is settled and a person is nevertheless asked to look at it. */
  readonly settled: boolean
}

/**
 * Lists the held actions of one run, or of all runs of a tenant: open actions, reversals that failed, and settled
 * actions that a person has to look at.
 */
export const list = Effect.fn("HeldActions.list")(function* (tenant: Tenant, only?: Run) {
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const runs = only === undefined ? (yield* store.runs(tenant)).map(({ run }) => run) : [only]
  const found: Array<HeldAction> = []
  for (const run of runs) {
    const at = yield* OpenActionStatus.head(run)
    // Most runs hold nothing, and their traces are not read. A topology is held by what its trace says last.
    const waiting = Resolution.pending(at.state).length + Reviews.ofVerification(at.state).length
    if (waiting === 0 && at.pack?.topology === undefined) continue
    const transitions = yield* history.transitions(run)
    const report = yield* library.folding(() => Report.make(at, transitions))
    found.push(...report.held.map((each) => ({ ...each, run: run.id, settled: false })))
    found.push(...report.reviews.map((each) => ({ ...each, run: run.id, settled: true })))
  }
  return found
})
