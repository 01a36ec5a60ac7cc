/**
 * Diagnoses a trace: the topology that it looks like, the cracks that it shows, and acts that were repeated without a
 * key.
 *
 * | observed | seen as |
 * | --- | --- |
 * | one tool called again and again, without progress | `runaway` |
 * | a worker's result of which its boss has no record | `boss_death`, `lost_handoff` |
 * | a wrong end behind stages that are all green | `cascading_poison` |
 * | a step that does not find what was there when it was planned | `stale_plan` |
 * | rounds at their maximum, and drafts that take turns | `deadlock` |
 * | an act that was done again although nobody knew what the first call came to | a repeat |
 * | an act that succeeded twice, without a key or under two | a double |
 *
 * A signal is a reason to look, and no proof. The same trace gives the same diagnosis.
 *
 * @source Crash Recovery, real-world recognition
 */
import type * as Topology from "@backstitch/contracts/Topology"
import * as Doubles from "@backstitch/ledger/Doubles"
import * as Repeats from "@backstitch/ledger/Repeats"
import type { Transition } from "@backstitch/trace/Transition"
import * as CrackWatch from "./CrackWatch.ts"
import * as AnswerText from "./event/AnswerText.ts"
import * as ApparentTopology from "./event/ApparentTopology.ts"
import * as Addressee from "./event/addressee.ts"
import * as Crack from "./event/Crack.ts"
import * as ImpliedMemos from "./event/ImpliedMemos.ts"
import * as TopologyEvent from "./event/TopologyEvent.ts"
import * as Treatment from "./event/Treatment.ts"
import * as Pipeline from "./shapes/Pipeline.ts"

/** Knowledge about a trace beside its transitions. */
export interface TraceFacts {
  /** The topology that its pack declares. */
  readonly declared?: Topology.Topology | undefined
  readonly contractOf: Repeats.ContractOf
  /** `true` if nothing follows, as in a trace that was recorded elsewhere. */
  readonly isOver?: boolean | undefined
  /** `true` if a reader knows that the result was wrong. */
  readonly isWrong?: boolean | undefined
}

/** A crack, and its treatment if the trace shows one. */
export interface Found extends Crack.Crack {
  readonly treated?: Treatment.Treatment
}

/** A diagnosis. The first crack is the first suspect; those that were treated come last. */
export interface Diagnosis {
  readonly looksLike: Topology.TopologyKind | undefined
  readonly by: ApparentTopology.Recognised["by"] | "declared"
  readonly agents: ReadonlyArray<string>
  readonly cracks: ReadonlyArray<Found>
  readonly repeats: ReadonlyArray<Repeats.Repeat>
  readonly doubles: ReadonlyArray<Doubles.Double>
}

/**
 * Diagnoses a trace.
 *
 * **Example** (The same search again and again)
 *
 * ```ts import.meta.vitest
 * import { ToolContract } from "@backstitch/contracts"
 * import { Diagnosis } from "@backstitch/topology"
 *
 * const part = { stamp: { asOf: 0 }, envelope: { ts: 0 } }
 * const searches = Array.from({ length: 24 }, (_, index) => {
 *   const action = { id: `a${index}`, tool: "search", params: { q: "lugano" } }
 *   return [
 *     { tick: 2 * index + 1, body: { type: "action.request", author: "agent", action } as const, ...part },
 *     {
 *       tick: 2 * index + 2,
 *       body: { type: "action.result", author: "kernel", action, result: { status: "ok", output: [] } } as const,
 *       ...part
 *     }
 *   ]
 * }).flat()
 *
 * const found = Diagnosis.of(searches, { contractOf: ToolContract.unknown })
 * found.looksLike // => "react"
 * found.cracks[0]?.crack // => "runaway"
 * ```
 */
export const of = (transitions: ReadonlyArray<Transition>, known: TraceFacts): Diagnosis => {
  const events = eventsOf(transitions)
  const recognised = ApparentTopology.recognise(events)
  const { declared } = known
  const looksLike = declared?.kind ?? recognised.kind
  return {
    looksLike,
    by: declared === undefined ? recognised.by : "declared",
    agents: recognised.agents,
    cracks: ranked(
      cracksOf(events, { transitions, known }).map((crack) => inHindsight(crack, events)),
      looksLike
    ),
    repeats: Repeats.of(transitions, known.contractOf),
    doubles: Doubles.of(transitions, known.contractOf)
  }
}

/**
 * The tick at which a crack was first seen in the transitions themselves; `undefined` if it was not. Cracks that only
 * the end of a trace shows begin at no tick.
 */
export const onset = (
  transitions: ReadonlyArray<Transition>,
  crack: Crack.CrackName,
  declared?: Topology.Topology
): number | undefined => {
  const events = eventsOf(transitions)
  const implied = ImpliedMemos.within(events)
  const { cracks } = watched(implied, declared ?? undeclared(implied !== events))
  return cracks.find((each) => each.crack === crack)?.tick
}

const eventsOf = (transitions: ReadonlyArray<Transition>): ReadonlyArray<TopologyEvent.TopologyEvent> =>
  Addressee.within(transitions.flatMap(TopologyEvent.of))

const watched = (
  events: ReadonlyArray<TopologyEvent.TopologyEvent>,
  declared: Topology.Topology
): CrackWatch.CrackWatch => {
  let watch = CrackWatch.start()
  for (const event of events) watch = CrackWatch.step(watch, event, declared)
  return watch
}

const cracksOf = (
  events: ReadonlyArray<TopologyEvent.TopologyEvent>,
  { known, transitions }: { readonly transitions: ReadonlyArray<Transition>; readonly known: TraceFacts }
): ReadonlyArray<Crack.Crack> => {
  const implied = ImpliedMemos.within(events)
  const whole = known.isWrong === true ? ImpliedMemos.judged(implied, taskOf(transitions)) : implied
  const declared = known.declared ?? undeclared(implied !== events)
  const last = transitions.at(-1)
  if (last === undefined) return []
  const end = { tick: last.tick, at: last.stamp.asOf, isOver: known.isOver === true }
  return CrackWatch.close(watched(whole, declared), end, declared).cracks
}

/** A crack with what stands behind it in the trace: the stage that was found poisoned, and its treatment. */
const inHindsight = (crack: Crack.Crack, events: ReadonlyArray<TopologyEvent.TopologyEvent>): Found => {
  const treated = Treatment.of(crack, ImpliedMemos.within(events))
  return { ...Pipeline.inHindsight(crack, events), ...(treated === undefined ? {} : { treated }) }
}

/** All that people told the agents. */
const taskOf = (transitions: ReadonlyArray<Transition>): string =>
  transitions
    .flatMap(({ body }) => (body.type === "message.received" ? [AnswerText.of(body.data ?? null)] : []))
    .join("\n")

/** Turns that were read out of a conversation have no cap. */
const undeclared = (isImplied: boolean): Topology.Topology => ({
  kind: "react",
  agents: {},
  order: [],
  ...(isImplied ? { roundsMax: Number.POSITIVE_INFINITY } : {})
})

/**
 * Cracks that were treated come last. Of the others, those of the recognised topology come first, and the earliest of
 * them before all: what comes later may follow from it. Of two at one tick, it is the signature.
 */
const ranked = (cracks: ReadonlyArray<Found>, kind: Topology.TopologyKind | undefined): ReadonlyArray<Found> => {
  const isTreated = ({ treated }: Found): number => Number(treated !== undefined)
  const isForeign = ({ crack }: Crack.Crack): number => Number(Crack.topologies[crack] !== kind)
  const isFurther = ({ crack }: Crack.Crack): number => Number(Crack.signatures[Crack.topologies[crack]] !== crack)
  return cracks.toSorted(
    (one, other) =>
      isTreated(one) - isTreated(other) ||
      isForeign(one) - isForeign(other) ||
      one.tick - other.tick ||
      isFurther(one) - isFurther(other)
  )
}
