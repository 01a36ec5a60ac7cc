/** The six topologies as deciders, by kind. */
import type * as Topology from "@backstitch/contracts/Topology"
import * as Crack from "./event/Crack.ts"
import * as Debate from "./shapes/Debate.ts"
import * as Hierarchy from "./shapes/Hierarchy.ts"
import * as Orchestrator from "./shapes/Orchestrator.ts"
import * as Pipeline from "./shapes/Pipeline.ts"
import * as PlanExecute from "./shapes/PlanExecute.ts"
import * as ReActLoop from "./shapes/ReActLoop.ts"
import * as Shape from "./shapes/Shape.ts"

/** Deciders by the kind of their topology. */
export const all: { readonly [K in Topology.TopologyKind]: Shape.Any } = {
  debate: Debate.shape,
  hierarchical: Hierarchy.shape,
  orchestrator: Orchestrator.shape,
  pipeline: Pipeline.shape,
  plan_execute: PlanExecute.shape,
  react: ReActLoop.shape
}

/** The detector of a declared topology: the crack that it looks for first, and the limit that switches it on. */
export interface Detector {
  readonly kind: Topology.TopologyKind
  readonly crack: Crack.CrackName
  readonly needs: Shape.Needed
  readonly isOn: boolean
}

/**
 * Tells whether the detector of a declared topology is on.
 *
 * **Example** (A loop without a cap)
 *
 * ```ts import.meta.vitest
 * import { Shapes } from "@backstitch/topology"
 *
 * const declared = { kind: "react", agents: {}, order: [] } as const
 * Shapes.detector(declared).isOn // => false
 * Shapes.detector({ ...declared, stepsMax: 40 }).isOn // => true
 * ```
 */
export const detector = (declared: Topology.Topology): Detector => {
  const { kind } = declared
  const shape = all[kind]
  return { kind, crack: Crack.signatures[kind], needs: shape.needs, isOn: Shape.isOn(shape, declared) }
}
