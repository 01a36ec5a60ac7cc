/**
 * The ancestors of a fork, the root first.
 *
 * Each has the last tick that it shares with the run. The list has one form: a run stands in it if some of the history
 * is its own, or if the body of a `run.fork` in the history names it as a parent. Anybody could add others, for no byte
 * of the chain says that they were there.
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

/** The ends of a fork, as the body of its first own transition names them. */
export interface Fork {
  readonly child: string
  readonly parent: string
  readonly at: number
}

/**
 * The one form of a lineage of which each ancestor has the last tick that it shares with the next. A fork may have left
 * an ancestor before the ancestor itself became a fork: then it shares no more with those before than that.
 */
export const normal = (lineage: ReadonlyArray<Ancestor>): ReadonlyArray<Ancestor> => {
  const found: Array<Ancestor> = []
  for (const { id, tick } of lineage.toReversed()) {
    found.unshift({ id, tick: Math.min(tick, found[0]?.tick ?? tick) })
    // Of runs between two that share the same, no transition says anything.
    if (found[2]?.tick === found[0]!.tick) found.splice(1, 1)
  }
  return found
}

/** Says why ancestors are not those of a run, or not in their one form. Nothing where they are. */
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
  // Of two with the same tick the later one is the parent that the transition after it names.
  for (const [index, { id: parent, tick: at }] of lineage.entries()) {
    const next = lineage[index + 1]
    found.set(at + 1, { child: next?.id ?? run.id, parent, at })
  }
  return found
}

/**
 * Tells whether the body of a fork's first own transition names it, its parent and the tick where it left: the links of
 * a fork extend its parent's, so nothing else binds its name.
 */
export const beginsFork = (body: Body, fork: Fork): boolean => {
  const named = Payload.of(body, "run.fork")
  return named?.child === fork.child && named.parent === fork.parent && named.at === fork.at
}
