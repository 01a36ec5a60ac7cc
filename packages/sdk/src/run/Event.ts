/** A committed transition of a run, as one flat event for programs. */
import type { Json, JsonObject } from "../values/Json.ts"

/** A transition. A field that does not apply is `null`. */
export interface Event {
  readonly tick: number
  /** ISO time at which it was written. */
  readonly ts: string
  readonly run_id: string
  readonly goal_id: string
  /** The name of what happened, such as `action.started`. */
  readonly transition_type: string
  readonly author: string
  readonly agent_id: string | null
  readonly intent: JsonObject | null
  /** The tool, its arguments and the name of the action. */
  readonly action: JsonObject | null
  readonly result: JsonObject | null
  readonly policy: JsonObject | null
  readonly data: Json
  /** The effect in one line. */
  readonly effect: string
  readonly key: string | null
  /** The digest over every byte up to this tick. */
  readonly link: string
  /** The states around the transition, if they were asked for. */
  readonly state_before?: JsonObject
  readonly state_after?: JsonObject
  readonly [field: string]: Json | undefined
}

/** A part of a run, and how it is followed. */
export interface EventOptions {
  /** The first tick; by default the first of the run. */
  readonly from?: number | undefined
  /** `false` to end at the present head. By default what is committed later comes, too, and the loop has no end. */
  readonly follow?: boolean | undefined
  /** `true` to have the states around each transition. */
  readonly states?: boolean | undefined
}
