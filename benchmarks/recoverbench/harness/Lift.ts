/** Steps of a trial in lifted form: for each call, what the reviewed boundaries of its domain say. */
import type * as LiftedStep from "@backstitch/admissibility/LiftedStep"
import * as Registry from "@backstitch/admissibility/Registry"
import type * as Domain from "../universe/Domain.ts"
import * as Plan from "../universe/Plan.ts"

/** A step that succeeded, with the tick of its request. */
export interface Taken {
  readonly step: Plan.Step
  readonly tick: number
  readonly from: string
}

/** An empty registry for the boundaries of a domain. */
export const empty = ({ skeletons }: Domain.Domain): Registry.Registry =>
  Registry.make(
    Object.fromEntries(
      Object.entries(skeletons).map(([id, { states, tools }]) => [
        id,
        // Interfaces are parts that belong to an entity, and a shape names wholes: steps are certified by their
        // writes.
        { id, states, entry: [], inputs: [], outputs: [], tools, effects: "compensate" }
      ])
    )
  )

/** Lifts a step into a registry. A step outside of all subtasks is left out. */
export const add = (registry: Registry.Registry, domain: Domain.Domain, taken: Taken): void => {
  const lifted = liftedOf(domain, taken)
  if (lifted !== undefined) Registry.lift(registry, [lifted])
}

/** The lifted form of a step; `undefined` if it belongs to no subtask. */
export const liftedOf = (domain: Domain.Domain, { from, step, tick }: Taken): LiftedStep.LiftedStep | undefined => {
  const { does, entity, reads, skeleton, tool, writes } = step
  const boundary = skeleton === undefined ? undefined : domain.skeletons[skeleton]
  if (skeleton === undefined || boundary === undefined) return undefined
  return {
    tick,
    skeleton,
    entity,
    from,
    to: Plan.next(domain, from, tool) ?? from,
    tool,
    reads,
    writes: [writes],
    commit: boundary.commits.includes(tool),
    exit: boundary.exits.includes(tool),
    ...(does === "act"
      ? { effect: { action: step.id, tool, reversibility: "X", standing: "stands", isRepeatable: true } }
      : {})
  }
}
