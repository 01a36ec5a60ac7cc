/**
 * An intent with everything that follows from it: the least that can be left out of a trace without leaving it half.
 *
 * A request without its result would be an action that never ended, a result
 * without its request nobody's answer. What belongs together is read from the
 * transitions: one action from request to settlement, the action that undoes
 * it, a review with the request that it allowed, and what the kernel reports
 * of a transition. Everything else stands for itself.
 *
 * **Details**
 *
 * What a run is bound by is no choice of the agent: its beginning, a fork, a
 * migration and an extension of the contract belong to no unit.
 *
 * @source Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002
 */
import type * as Ontology from "@backstitch/trace/Ontology"
import type { Body, Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"

/** Ticks that stand or fall together, ascending. */
export interface Unit {
  readonly ticks: ReadonlyArray<number>
}

/** Groups transitions, which come in order of tick, into units in order of their first ticks. */
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

/** Types by which a run is bound, rather than something that was done in it. */
const binding: ReadonlySet<Ontology.Name> = new Set<Ontology.Name>([
  "policy.contract_extension",
  "run.fork",
  "run.migrated",
  "run.started"
])

/** Names by which a transition says what it belongs to. */
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
  // A report of the kernel names the tick that it reports of.
  const { at } = Payload.of(body, "predicate.violation") ?? Payload.of(body, "kernel.anomaly") ?? {}
  if (review !== undefined) names.push(`review ${review}`)
  if (approval !== undefined) names.push(`review ${approval.id}`)
  if (at !== undefined) names.push(`tick ${at}`)
  return names
}
