/**
 * The alarms of a run: each crack of the declared topology, raised at the tick at which its signal held first.
 *
 * An alarm is kept in the trace as `predicate.violation` with the id of the crack, such as `topology.runaway`. It
 * follows from the transitions before it and from the declared topology alone, so every later pass finds it again, at
 * the same tick. It changes no state, and nothing that the detectors look at.
 *
 * Only what agents committed counts: memos that `ImpliedMemos` reads into a conversation raise no alarm, because what
 * comes later decides whether they are there.
 *
 * An alarm that an earlier version of a decider raised, and that the present one does not raise, is no fault of its
 * run, and holds nothing any more.
 *
 * Laws: an alarm that is due after a prefix is raised in the whole, with the same tick and evidence; alarms on record
 * raise no others.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Payload from "@backstitch/version-control/Payload"
import * as CrackWatch from "./CrackWatch.ts"
import * as Crack from "./event/Crack.ts"
import * as Nearness from "./event/Nearness.ts"
import * as TopologyEvent from "./event/TopologyEvent.ts"

/**
 * The alarms of a run so far. `raised` holds the first crack of each name, `recorded` the tick of its alarm, and
 * `heardAt` is the tick of the last word of a person. `former` watches as earlier deciders read texts, if an alarm on
 * record is to be judged.
 */
export interface Alarms {
  readonly kind: Topology.TopologyKind | undefined
  readonly watch: CrackWatch.CrackWatch
  readonly former?: CrackWatch.CrackWatch
  readonly raised: ReadonlyMap<Crack.CrackName, Crack.Crack>
  readonly recorded: ReadonlyMap<Crack.CrackName, number>
  readonly heardAt: number
}

/** No alarm yet. */
export const none: Alarms = {
  kind: undefined,
  watch: CrackWatch.start([]),
  raised: new Map(),
  recorded: new Map(),
  heardAt: 0
}

/** No alarm yet, of a run whose recorded alarms are to be judged. */
export const unjudged: Alarms = { ...none, former: CrackWatch.start([]) }

/** The crack that a transition records an alarm of, and the tick since which it is there; `undefined` for any other. */
export const recordedIn = (body: Body): { readonly crack: Crack.CrackName; readonly at: number } | undefined => {
  const { at, predicate } = Payload.of(body, "predicate.violation") ?? {}
  const crack = predicate === undefined ? undefined : Crack.named(predicate)
  return crack === undefined || at === undefined ? undefined : { crack, at }
}

/** The payload of an alarm. */
export const dataOf = ({ crack, tick }: Pick<Crack.Crack, "crack" | "tick">) => ({
  at: tick,
  predicate: Crack.predicateOf(crack)
})

/**
 * Takes in the next transition, under the topology that is declared by then. Where another kind is declared than
 * before, its watch begins there.
 *
 * **Example** (An alarm is raised once)
 *
 * ```ts import.meta.vitest
 * import { Alarms } from "@backstitch/topology"
 *
 * const part = { stamp: { asOf: 0 }, envelope: { ts: 0 } }
 * const declared = { kind: "react", agents: {}, order: [], stepsMax: 2 } as const
 * const call = (tick: number) => {
 *   const action = { id: `a${tick}`, tool: "search", params: {} }
 *   return { tick, body: { type: "action.request", author: "agent", action } as const, ...part }
 * }
 * const alarms = [call(1), call(2), call(3)].reduce((self, each) => Alarms.take(self, each, declared), Alarms.none)
 *
 * Alarms.due(alarms).map(({ crack, tick }) => `${crack} at ${tick}`) // => ["runaway at 2"]
 * ```
 */
export const take = (before: Alarms, transition: Transition, declared: Topology.Topology | undefined): Alarms => {
  const self = TopologyEvent.isWord(transition.body) ? { ...before, heardAt: transition.tick } : before
  const recorded = recordedIn(transition.body)
  if (recorded !== undefined) {
    return self.recorded.has(recorded.crack)
      ? self
      : { ...self, recorded: new Map([...self.recorded, [recorded.crack, transition.tick]]) }
  }
  if (declared === undefined) return self
  const { kind } = declared
  const watched = (before: CrackWatch.CrackWatch, reading?: Nearness.Reading): CrackWatch.CrackWatch => {
    let watch = self.kind === kind ? before : CrackWatch.start([kind])
    for (const event of TopologyEvent.of(transition)) watch = CrackWatch.step(watch, event, declared, reading)
    return watch
  }
  const known = self.kind === kind ? self.watch.cracks.length : 0
  const watch = watched(self.watch)
  const former = self.former === undefined ? {} : { former: watched(self.former, Nearness.formerReading) }
  const fresh = watch.cracks.slice(known).filter(({ crack }) => !self.raised.has(crack))
  if (fresh.length === 0) return { ...self, kind, watch, ...former }
  const raised = new Map(self.raised)
  for (const crack of fresh) if (!raised.has(crack.crack)) raised.set(crack.crack, crack)
  return { ...self, kind, watch, ...former, raised }
}

/** Alarms that are raised and not on record, the earliest first. */
export const due = ({ raised, recorded }: Alarms): ReadonlyArray<Crack.Crack> =>
  [...raised.values()].filter(({ crack }) => !recorded.has(crack))

/** The first alarm since which no person has written anything; `undefined` if there is none. */
export const unheard = ({ heardAt, raised, recorded }: Alarms): Crack.Crack | undefined =>
  [...raised.values()].find(({ crack }) => (recorded.get(crack) ?? Number.POSITIVE_INFINITY) > heardAt)

/** Tells whether a transition records an alarm that follows from the transitions before it, by whatever decider. */
export const agrees = ({ former, raised, watch }: Alarms, body: Body): boolean => {
  const recorded = recordedIn(body)
  if (recorded === undefined || raised.get(recorded.crack)?.tick === recorded.at) return true
  const earlier = [...watch.retired, ...(former?.cracks ?? []), ...(former?.retired ?? [])]
  return earlier.some(({ crack, tick }) => crack === recorded.crack && tick === recorded.at)
}
