/**
 * Checks that an agent can work in a topology, before anything begins: its pack declares the topology, and the limit
 * without which nobody would see its first crack.
 */
import type * as Topology from "@backstitch/contracts/Topology"
import * as Shapes from "@backstitch/topology/Shapes"
import * as English from "@backstitch/wording/English"

/** A request for a topology, and whether the agent brings roles. */
export interface TopologyRequest {
  readonly asked: Topology.TopologyKind | undefined
  readonly hasRoles: boolean
}

/** The limit of each topology, as a pack writes it. */
const examples: { readonly [K in Topology.TopologyKind]: string } = {
  debate: "{ kind: debate, rounds: 3 }",
  hierarchical: "{ kind: hierarchical, queue: 4 }",
  orchestrator: "{ kind: orchestrator, silence: 30s }",
  pipeline: "{ kind: pipeline, order: [draft, check] }",
  plan_execute: "{ kind: plan_execute, plan: 60s }",
  react: "{ kind: react, steps: 40 }"
}

/**
 * The reason why an agent cannot work in a topology, as the rest of a sentence about its pack. `undefined` if it can,
 * or if neither the pack nor anybody else asks for a topology.
 */
export const problem = (
  declared: Topology.Topology | undefined,
  { asked, hasRoles }: TopologyRequest
): string | undefined => {
  const { kinds, missing } = English.words.topologies
  if (declared === undefined) {
    if (asked !== undefined) return `declares no topology. Add \`topology: ${examples[asked]}\``
    return hasRoles
      ? "declares no topology, and the agent has roles. Declare one, such as `topology: debate`"
      : undefined
  }
  const { kind } = declared
  if (asked !== undefined && asked !== kind)
    return `declares ${kinds[kind]}, and not ${kinds[asked]}. Ask for ${kind}, or declare ${asked}`
  if (kind === "react" && hasRoles)
    return `declares ${kinds.react}, which has a planner and no roles: give the agent \`next\` in their place`
  if (kind !== "react" && !hasRoles) {
    return `declares ${kinds[kind]}, and the agent has no roles: give it \`roles\` in place of a planner`
  }
  const { isOn, needs } = Shapes.detector(declared)
  if (isOn || (kind === "react" && asked === undefined)) return undefined
  return `declares ${kinds[kind]}, and nothing would see its first crack: ${missing[needs]}`
}
