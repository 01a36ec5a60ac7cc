/**
 * Finds since when a crack of a topology is in a run, named as a predicate: `topology.runaway`.
 *
 * A crack latches at the first tick at which its signal holds. The signal is folded from the transitions, so one pass
 * answers it for any run, also for one that was recorded elsewhere or before there were topologies.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type * as Crack from "@backstitch/topology/Crack"
import * as Diagnosis from "@backstitch/topology/Diagnosis"
import type { Run } from "@backstitch/trace/Run"
import type * as BisectResult from "@backstitch/version-control/BisectResult"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"

/** Searches a run up to a tick, under the topology that its pack declares. */
export const search = Effect.fnUntraced(function* (
  run: Run,
  crack: Crack.CrackName,
  { declared, length }: { readonly length: number; readonly declared: Topology.Topology | undefined }
) {
  const history = yield* History.History
  const transitions = yield* history.transitions(run, { to: length })
  const onset = Diagnosis.onset(transitions, crack, declared)
  const passed: BisectResult.Passed = { evaluations: onset ?? length, onset, failedAt: undefined }
  return passed
})
