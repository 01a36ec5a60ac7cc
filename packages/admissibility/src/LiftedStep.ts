/**
 * Steps of a run, lifted: the base step with the instance it belongs to, the keys it read and wrote, and its effect.
 *
 * Reads and writes are assembled conservatively from contracts and from recorded reads and writes: a key too many may
 * block a rollback that would have been safe, a key too few may admit one that is not.
 *
 * @source DART, equations 2, 12 and 13
 */
import type { Json } from "@backstitch/trace/Canonical"
import type * as Effect from "./Effect.ts"

/** A step of an agent within a subtask, as recovery sees it. */
export interface LiftedStep {
  readonly tick: number
  readonly skeleton: string
  readonly entity: Json
  /** The state of the agent before the step, and after it. */
  readonly from: string
  readonly to: string
  readonly tool: string
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  /** The outputs of the skeleton for this entity, where they are not those of every entity. */
  readonly outputs?: ReadonlyArray<string> | undefined
  /** The change of a system of record that the step made, if it made one. */
  readonly effect?: Effect.Effect | undefined
  /** The reviewed predicates of the skeleton hold after the step. */
  readonly commit: boolean
  readonly exit: boolean
}
