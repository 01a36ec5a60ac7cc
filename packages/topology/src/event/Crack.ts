/**
 * Failures that a topology shows before any other, each with the signals by which it is first seen.
 *
 * | topology | signature crack | further failures |
 * | --- | --- | --- |
 * | `react` | `runaway` | `oscillation`, `premature_stop` |
 * | `orchestrator` | `lost_handoff` | `boss_death`, `worker_silence` |
 * | `pipeline` | `cascading_poison` | `silent_decay` |
 * | `plan_execute` | `stale_plan` | `partial_execution` |
 * | `debate` | `deadlock` | `capitulation` |
 * | `hierarchical` | `root_bottleneck` | – |
 *
 * A signal is a condition on what was committed, so the tick at which it first held can be found again by anybody.
 *
 * @source Crash Recovery, six topologies and their first cracks
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { JsonObject } from "@backstitch/trace/Canonical"

/** Signals by crack. */
export const signals = {
  boss_death: ["dispatched_again", "uncollected_report"],
  capitulation: ["fixes_undone", "score_below_best"],
  cascading_poison: ["whole_red_stages_green"],
  deadlock: ["drafts_alternate", "rounds_at_cap"],
  lost_handoff: ["echoed_brief", "malformed_report", "never_reported", "silent_past_deadline", "worker_failed"],
  oscillation: ["answers_alternate"],
  partial_execution: ["finished_over_failure", "went_on_after_failure"],
  premature_stop: ["call_unanswered", "items_open"],
  root_bottleneck: ["queue_grows_leaves_idle"],
  runaway: ["no_progress", "steps_near_cap"],
  silent_decay: ["whole_score_falls"],
  stale_plan: ["object_not_found", "plan_expired"],
  worker_silence: ["hangs_past_deadline"]
} as const satisfies { readonly [crack: string]: ReadonlyArray<string> }

/** Name of a crack. */
export type CrackName = keyof typeof signals

/** Name of a signal. */
export type Signal = (typeof signals)[CrackName][number]

/** Names of all cracks, in the order of the alphabet. */
export const names = Object.keys(signals) as ReadonlyArray<CrackName>

/** The id of a crack as a predicate, as `bisect` takes it. */
export const predicateOf = (crack: CrackName): string => `topology.${crack}`

/** The crack of an id as a predicate; `undefined` if it names none. */
export const named = (predicate: string): CrackName | undefined => names.find((name) => predicateOf(name) === predicate)

/** Ids of all cracks as predicates. */
export const predicates: ReadonlyArray<string> = names.map(predicateOf)

/** The topology of each crack. */
export const topologies: { readonly [N in CrackName]: Topology.TopologyKind } = {
  boss_death: "orchestrator",
  capitulation: "debate",
  cascading_poison: "pipeline",
  deadlock: "debate",
  lost_handoff: "orchestrator",
  oscillation: "react",
  partial_execution: "plan_execute",
  premature_stop: "react",
  root_bottleneck: "hierarchical",
  runaway: "react",
  silent_decay: "pipeline",
  stale_plan: "plan_execute",
  worker_silence: "orchestrator"
}

/** The crack that a topology shows before any other. */
export const signatures: { readonly [K in Topology.TopologyKind]: CrackName } = {
  debate: "deadlock",
  hierarchical: "root_bottleneck",
  orchestrator: "lost_handoff",
  pipeline: "cascading_poison",
  plan_execute: "stale_plan",
  react: "runaway"
}

/**
 * A crack that was found: its first signal, the tick at which that held first, and the ticks that show it. `agent` is
 * the suspect, and `subject` the task, stage, tool or object concerned.
 */
export interface Crack extends JsonObject {
  readonly crack: CrackName
  readonly signal: Signal
  readonly tick: number
  readonly evidence: ReadonlyArray<number>
  readonly agent?: string | undefined
  readonly subject?: string | undefined
}

/** Makes a crack. Ticks of the evidence are sorted, each once; the tick itself is among them. */
export const make = <N extends CrackName>(
  crack: N,
  signal: (typeof signals)[N][number],
  found: Omit<Crack, "crack" | "evidence" | "signal"> & { readonly evidence: Iterable<number> }
): Crack => {
  const { agent, evidence, subject, tick } = found as Crack & { readonly evidence: Iterable<number> }
  return {
    crack,
    signal,
    tick,
    evidence: [...new Set([...evidence, tick])].sort((one, other) => one - other),
    ...(agent === undefined ? {} : { agent }),
    ...(subject === undefined ? {} : { subject })
  }
}

/** The name under which a crack latches: one task may be lost although another was lost before. */
export const latchOf = ({ crack, subject = "" }: Pick<Crack, "crack" | "subject">): string => `${crack} ${subject}`
