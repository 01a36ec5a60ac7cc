/**
 * The diagnosis of a run: the topology that it looks like, its cracks with their evidence and the first response, and
 * the acts that it repeated without a known outcome of the first call.
 *
 * A run that was recorded elsewhere is read as it is. Its tasks that are open at the end stay open.
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Topology from "@backstitch/contracts/Topology"
import * as Payload from "@backstitch/kernel/Payload"
import type * as Crack from "@backstitch/topology/Crack"
import * as CrackNames from "@backstitch/topology/Crack"
import * as Diagnosis from "@backstitch/topology/Diagnosis"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as OpenActionStatus from "../pending/OpenActionStatus.ts"
import * as RepeatedActs from "./RepeatedActs.ts"

/** A crack with its words. */
export interface CrackShown extends Crack.Crack {
  readonly name: string
  readonly topology: Topology.Kind
  /** The id under which `bisect` finds since when it is there. */
  readonly predicate: string
  readonly say: string
  readonly response: string
}

/** A repeated act with the first response. */
export interface RepeatShown extends RepeatedActs.RepeatedAct {
  readonly response: string
}

/** A diagnosis as plain JSON. The first crack is the first suspect. `looksLike` is null if it is none of the six. */
export interface RunDiagnosis {
  readonly run: string
  readonly tick: number
  readonly looksLike: Topology.Kind | null
  readonly by: Diagnosis.Diagnosis["by"]
  readonly say: string
  readonly agents: ReadonlyArray<string>
  readonly isHealthy: boolean
  readonly cracks: ReadonlyArray<CrackShown>
  readonly repeats: ReadonlyArray<RepeatShown>
}

/** Knowledge of a reader that no trace has: that the result was wrong. */
export interface Asked {
  readonly isWrong?: boolean | undefined
}

/** Diagnoses a run at its head. */
export const of = Effect.fn("RunDiagnosis.of")(function* (run: Run, { isWrong }: Asked = {}) {
  const history = yield* History.History
  const at = yield* OpenActionStatus.head(run)
  const transitions = yield* history.transitions(run, { to: at.tick })
  const [first] = transitions
  const isRecorded = first !== undefined && Payload.of(first.body, "run.started")?.source !== undefined
  const { agents, by, cracks, looksLike } = Diagnosis.of(transitions, {
    contractOf: (tool) => TaskPack.tool(at.pack, tool),
    declared: at.pack?.topology,
    isOver: isRecorded,
    isWrong
  })
  const { topologies } = at.words
  const repeats = RepeatedActs.within(at, transitions)
  const shown: RunDiagnosis = {
    run: run.id,
    tick: at.tick,
    looksLike: looksLike ?? null,
    by,
    say: looksLike === undefined ? topologies.none : topologies.kinds[looksLike],
    agents,
    isHealthy: isWrong !== true && cracks.length === 0 && repeats.length === 0,
    cracks: cracks.map((crack) => ({
      ...crack,
      name: topologies.cracks[crack.crack],
      topology: CrackNames.topologies[crack.crack],
      predicate: CrackNames.predicateOf(crack.crack),
      say: topologies.signals[crack.signal](crack),
      response: topologies.responses[crack.crack]
    })),
    repeats: repeats.map((repeat) => ({ ...repeat, response: topologies.responses.repeat }))
  }
  return shown
})
