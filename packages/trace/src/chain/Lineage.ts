/**
 * The ancestors of a fork, the root first.
 *
 * Each has the last tick that it shares with the run. The list has one valid form: a run is in it if a part of the
 * history is its own, or if the body of a `run.fork` in the history names it as a parent. Without this rule anybody
 * could add other runs, since the chain does not depend on them.
 *
 * @source docs/FORMAT.md
 */
import * as Schema from "effect/Schema"
import * as Payload from "../transition/Payload.ts"
import { type Body, Tick } from "../transition/Transition.ts"
import { type Run, RunId } from "./Run.ts"

/** An ancestor of a fork, and the last tick that the run shares with it. */
export const Ancestor = Schema.Struct({ id: RunId, tick: Tick })

/** An ancestor of a fork, and the last tick that the run shares with it. */
export type Ancestor = typeof Ancestor.Type

/** The parent and child of a fork, as named in the body of its first own transition. */
export interface Fork {
  readonly child: string
  readonly parent: string
  readonly at: number
}

/**
 * The one valid form of a lineage, made from ancestors that each have the last tick shared with the next. A fork may
 * have left an ancestor at a tick before that ancestor itself became a fork: then it shares no later tick with the
 * earlier ancestors.
 */
export const normal = (lineage: ReadonlyArray<Ancestor>): ReadonlyArray<Ancestor> => {
  const found: Array<Ancestor> = []
  for (const { id, tick } of lineage.toReversed()) {
    found.unshift({ id, tick: Math.min(tick, found[0]?.tick ?? tick) })
    // No transition names the runs between two that share the same ticks.
    if (found[2]?.tick === found[0]!.tick) found.splice(1, 1)
  }
  return found
}

/** The reason why ancestors are not those of a run, or not in their valid form; nothing if they are. */
export const flaw = (of: {
  readonly run: Run
  readonly lineage: ReadonlyArray<Ancestor>
  readonly head: { readonly tick: number }
}): string | undefined => {
  const ids = new Set<string>([of.run.id])
  let [last, before] = [-1, -1]
  for (const { id, tick } of of.lineage) {
    if (ids.has(id)) return `its lineage has run ${id} twice`
    if (tick < last) return `its lineage has run ${id} with tick ${tick} after one with tick ${last}`
    if (tick === last && tick === before) return `its lineage has run ${id} as the third with tick ${tick}`
    ids.add(id)
    ;[before, last] = [last, tick]
  }
  return of.lineage.length > 0 && last >= of.head.tick
    ? `its lineage goes to tick ${last}, and the run to tick ${of.head.tick}`
    : undefined
}

/** The forks that begin in the history of a run, by the ticks of their first own transitions. */
export const forks = ({ lineage, run }: { readonly run: Run; readonly lineage: ReadonlyArray<Ancestor> }) => {
  const found = new Map<Tick, Fork>()
  // Of two with the same tick, the later one is the parent that the next transition names.
  for (const [index, { id: parent, tick: at }] of lineage.entries()) {
    const next = lineage[index + 1]
    found.set(at + 1, { child: next?.id ?? run.id, parent, at })
  }
  return found
}

/**
 * Tells whether the body of a fork's first own transition names the fork, its parent and the tick. The links of a
 * fork extend those of its parent, so nothing else proves its name.
 */
export const beginsFork = (body: Body, fork: Fork): boolean => {
  const named = Payload.of(body, "run.fork")
  return named?.child === fork.child && named.parent === fork.parent && named.at === fork.at
}
