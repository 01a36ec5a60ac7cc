/**
 * The form of a topology's decider: a state that is folded from events, and the cracks that each event shows.
 *
 * A state is a plain JSON value, so it can be a part of the state of a run, a snapshot, or a line of a test.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type * as Crack from "../event/Crack.ts"
import type * as Nearness from "../event/Nearness.ts"
import type { TopologyEvent } from "../event/TopologyEvent.ts"

/**
 * The state after an event, and the cracks that it shows. `retired` are those that an earlier decider found there and
 * this one does not: they raise nothing, but an alarm on record may rest on them.
 */
export interface Stepped<S> {
  readonly state: S
  readonly cracks: ReadonlyArray<Crack.Crack>
  readonly retired?: ReadonlyArray<Crack.Crack>
}

/** The end of a trace: its last tick and time, and whether nothing follows. */
export interface End {
  readonly tick: number
  readonly at: number
  readonly isOver: boolean
}

/** The limit of a declared topology that switches a detector on. */
export type Needed = "order" | "planMillis" | "queueMax" | "roundsMax" | "silenceMillis" | "stepsMax"

/** A topology as a decider. */
export interface Shape<S extends JsonObject> {
  readonly kind: Topology.TopologyKind
  readonly needs: Needed
  readonly init: S
  /** Pure. Answers the next state, and the cracks whose signal this event shows. Texts are read as `reading` says. */
  readonly step: (self: S, event: TopologyEvent, declared: Topology.Topology, reading?: Nearness.Reading) => Stepped<S>
  /** Cracks that only the end of a trace shows. */
  readonly close?: ((self: S, end: End, declared: Topology.Topology) => ReadonlyArray<Crack.Crack>) | undefined
}

/** A topology as a decider of any state. */
export interface Any {
  readonly kind: Topology.TopologyKind
  readonly needs: Needed
  readonly init: JsonObject
  readonly step: (
    self: never,
    event: TopologyEvent,
    declared: Topology.Topology,
    reading?: Nearness.Reading
  ) => Stepped<JsonObject>
  readonly close?: ((self: never, end: End, declared: Topology.Topology) => ReadonlyArray<Crack.Crack>) | undefined
}

/** Tells whether a declared topology has the limit that its detector needs. */
export const isOn = ({ needs }: Pick<Any, "needs">, declared: Topology.Topology): boolean => {
  const limit = declared[needs]
  return Array.isArray(limit) ? limit.length >= 2 : limit !== undefined
}

/** A state that shows nothing new. */
export const quiet = <S>(state: S): Stepped<S> => ({ state, cracks: [] })
