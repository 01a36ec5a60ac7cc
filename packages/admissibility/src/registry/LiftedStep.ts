/**
 * Steps of a run in lifted form: the base step with its instance, the keys that it read and wrote, and its effect.
 *
 * Reads and writes are collected conservatively from contracts and from recorded reads and writes. A superfluous key
 * may block a safe rollback; a missing key may admit an unsafe one.
 *
 * @source DART, equations 2, 12 and 13
 */
import type { Json } from "@backstitch/trace/Canonical"
import type * as Effect from "../instance/Effect.ts"

/** A step of an agent within a subtask, in the form that recovery needs. */
export interface LiftedStep {
  readonly tick: number
  readonly skeleton: string
  readonly entity: Json
  /** The state of the agent before the step; `to` is the state after it. */
  readonly from: string
  readonly to: string
  readonly tool: string
  readonly reads: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
  /** The outputs of the skeleton for this entity, if they differ from those of every entity. */
  readonly outputs?: ReadonlyArray<string> | undefined
  /** The change of a system of record by the step, if there is one. */
  readonly effect?: Effect.Effect | undefined
  /** `true` if the reviewed predicates of the skeleton hold after the step. */
  readonly commit: boolean
  readonly exit: boolean
}
