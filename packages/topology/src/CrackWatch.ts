/**
 * Watches a trace for the cracks of one topology or of several, and latches each at its first tick.
 *
 * Laws: a crack that is found in a prefix of a trace is found in the whole, at the same tick and with the same
 * evidence; a watch goes on from its state alone.
 */
import * as Topology from "@backstitch/contracts/Topology"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Crack from "./event/Crack.ts"
import type * as Nearness from "./event/Nearness.ts"
import type { TopologyEvent } from "./event/TopologyEvent.ts"
import * as Shapes from "./Shapes.ts"
import type * as Shape from "./shapes/Shape.ts"

/**
 * A watch under way: the state of each watched topology, and the cracks that it found, the earliest first. `retired`
 * are those that earlier deciders would have found beside them.
 */
export interface CrackWatch extends JsonObject {
  readonly states: { readonly [kind: string]: JsonObject }
  readonly cracks: ReadonlyArray<Crack.Crack>
  readonly retired: ReadonlyArray<Crack.Crack>
}

/** Begins a watch. */
export const start = (kinds: ReadonlyArray<Topology.TopologyKind> = Topology.kinds): CrackWatch => ({
  states: Object.fromEntries(kinds.map((kind) => [kind, Shapes.all[kind].init])),
  cracks: [],
  retired: []
})

/** Goes on by an event. Texts are read as `reading` says. */
export const step = (
  self: CrackWatch,
  event: TopologyEvent,
  declared: Topology.Topology,
  reading?: Nearness.Reading
): CrackWatch => {
  const states: Record<string, JsonObject> = {}
  const found: Array<Crack.Crack> = []
  const former: Array<Crack.Crack> = []
  let isChanged = false
  for (const kind of watched(self)) {
    const before = self.states[kind]!
    const { cracks, retired = [], state } = Shapes.all[kind].step(before as never, event, declared, reading)
    states[kind] = state
    isChanged ||= state !== before
    found.push(...cracks)
    former.push(...retired)
  }
  const cracks = latched(self.cracks, found)
  const retired = latched(self.retired, former)
  const isSame = !isChanged && cracks === self.cracks && retired === self.retired
  return isSame ? self : { states, cracks, retired }
}

/** Adds the cracks that only the end of a trace shows. */
export const close = (self: CrackWatch, end: Shape.End, declared: Topology.Topology): CrackWatch => {
  const found = watched(self).flatMap(
    (kind) => Shapes.all[kind].close?.(self.states[kind]! as never, end, declared) ?? []
  )
  return { ...self, cracks: latched(self.cracks, found) }
}

const watched = ({ states }: CrackWatch): ReadonlyArray<Topology.TopologyKind> =>
  Topology.kinds.filter((kind) => Object.hasOwn(states, kind))

/** Each crack is kept once, as it was found first. */
const latched = (known: ReadonlyArray<Crack.Crack>, found: ReadonlyArray<Crack.Crack>): ReadonlyArray<Crack.Crack> => {
  if (found.length === 0) return known
  const names = new Set(known.map(Crack.latchOf))
  const fresh = found.filter((crack) => {
    const name = Crack.latchOf(crack)
    const isKnown = names.has(name)
    names.add(name)
    return !isKnown
  })
  return fresh.length === 0 ? known : [...known, ...fresh]
}
