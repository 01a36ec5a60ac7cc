/**
 * An intent with all transitions that depend on it: the smallest part that can be left out of a trace without leaving
 * fragments.
 *
 * A request without its result would be an action that never ended, and a result without its request would answer
 * nothing. The parts of a unit are read from the transitions: one action from request to settlement, the action that
 * undoes it, a review with the request that it allowed, and the kernel's reports about a transition. Every other
 * transition is a unit of its own.
 *
 * **Details**
 *
 * Transitions that bind the run are no choice of the agent: its beginning, a fork, a migration and an extension of
 * the contract belong to no unit.
 *
 * @source Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002
 */
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"

/** Ticks that are kept or left out together, ascending. */
export interface Unit {
  readonly ticks: ReadonlyArray<number>
}

/** Groups transitions, in order of tick, into units in order of their first ticks. */
export const all = (transitions: Iterable<Transition>): ReadonlyArray<Unit> => {
  const groups: Array<Array<number>> = []
  const groupOf = new Map<string, number>()
  const merged = new Map<number, number>()
  const find = (group: number): number => {
    const into = merged.get(group)
    return into === undefined ? group : find(into)
  }
  let previous: number | undefined
  for (const { body, tick } of transitions) {
    if (binding.has(body.type)) {
      previous = undefined
      continue
    }
    const names = [`tick ${tick}`, ...namesOf(body)]
    const known = names.flatMap((name) => groupOf.get(name) ?? []).map(find)
    if (known.length === 0 && body.type === "budget.exhausted" && previous !== undefined) known.push(find(previous))
    const into = known.length === 0 ? groups.push([]) - 1 : Math.min(...known)
    for (const other of known) {
      if (other === into || merged.has(other)) continue
      merged.set(other, into)
      groups[into]!.push(...groups[other]!)
    }
    groups[into]!.push(tick)
    for (const name of names) groupOf.set(name, into)
    previous = into
  }
  return groups
    .filter((_, group) => !merged.has(group))
    .map((ticks) => ({ ticks: ticks.sort((left, right) => left - right) }))
    .sort((left, right) => left.ticks[0]! - right.ticks[0]!)
}

/** Types that bind a run, and are no step in it. */
const binding: ReadonlySet<Ontology.TypeName> = new Set<Ontology.TypeName>([
  "policy.contract_extension",
  "run.fork",
  "run.migrated",
  "run.started"
])

/** Names by which a transition shows its unit. */
const namesOf = (body: Body): ReadonlyArray<string> => {
  const { action } = body
  const names: Array<string> = []
  if (action !== undefined) names.push(`action ${action.id}`)
  if (action?.undoes !== undefined) names.push(`action ${action.undoes}`)
  const { review } =
    Payload.of(body, "action.started") ??
    Payload.of(body, "policy.decision") ??
    Payload.of(body, "review.decided") ??
    Payload.of(body, "review.requested") ??
    {}
  const approval = Payload.of(body, "action.request")?.approval
  // A report of the kernel names the tick that it is about.
  const { at } = Payload.of(body, "predicate.violation") ?? Payload.of(body, "kernel.anomaly") ?? {}
  if (review !== undefined) names.push(`review ${review}`)
  if (approval !== undefined) names.push(`review ${approval.id}`)
  if (at !== undefined) names.push(`tick ${at}`)
  return names
}
