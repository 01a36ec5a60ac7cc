/** The steps of a plan in the terms of admissibility, without a runtime: for other frameworks, and for audits. */

import type * as Certificate from "@backstitch/admissibility/Certificate"
import type { LiftedStep } from "@backstitch/admissibility/LiftedStep"
import * as Registry from "@backstitch/admissibility/Registry"
import type * as Domain from "../universe/Domain.ts"
import * as Plan from "../universe/Plan.ts"

/** The registry after some steps of a domain, in which certification leaves some tests out. */
export const registryOf = (
  domain: Domain.Domain,
  steps: ReadonlyArray<Plan.Step>,
  without: ReadonlyArray<Certificate.BoundaryTest> = []
): Registry.Registry =>
  Registry.lift(
    Registry.make(shapesOf(domain), without),
    steps.flatMap((step, index) => liftedOf(domain, step, { from: step.from, tick: index + 1, to: step.to }))
  )

/** The reviewed boundaries of a domain. */
export const shapesOf = ({ skeletons }: Domain.Domain): Registry.Registry["shapes"] =>
  Object.fromEntries(
    Object.entries(skeletons).map(([id, { outputs, states, tools }]) => [
      id,
      { id, outputs, states, tools, entry: [], effects: "forbid" }
    ])
  )

/** A step of a plan in the terms of admissibility; none if the step belongs to no subtask. */
export const liftedOf = (
  { skeletons }: Domain.Domain,
  { does, entity, id, reads, skeleton = "", tool, writes }: Plan.Step,
  at: Pick<LiftedStep, "from" | "tick" | "to">
): ReadonlyArray<LiftedStep> => {
  const boundary = skeletons[skeleton]
  if (boundary === undefined) return []
  const effect = { action: id, tool, reversibility: "X", standing: "stands", isRepeatable: true } as const
  return [
    {
      ...at,
      skeleton,
      entity,
      tool,
      reads,
      writes: [writes],
      outputs: boundary.outputs.map((output) => Plan.part(output, entity)),
      commit: boundary.commits.includes(tool),
      exit: boundary.exits.includes(tool),
      ...(does === "act" ? { effect } : {})
    }
  ]
}
