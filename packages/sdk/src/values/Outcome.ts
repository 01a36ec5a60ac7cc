/**
 * The outcome of a call, as one value that a program or a model can read.
 *
 * An outcome is a value and not thrown: frameworks repeat what throws, and a refusal or a hold must not be repeated
 * blindly.
 */
import type { Json } from "./Json.ts"
import type { NextStep } from "./NextStep.ts"

/** Fields that every outcome has. `why` is empty and `next` is short where nothing has to be said. */
interface Told {
  /** The run that records it. */
  readonly run: string
  /** The tick of the run at which it was settled, refused or held. */
  readonly tick?: number
  /** The name of the action in its run. */
  readonly action?: string
  readonly why: string
  readonly next: ReadonlyArray<NextStep>
}

/** The evidence that a call is done. `answer` is the tool's own word, `attested` that of a person. */
export type Basis = "committed" | "answer" | "readback" | "status" | "attested"

/** Done: `output` may be used. */
export interface Done extends Told {
  readonly status: "done"
  /** The answer of the tool; of its status or its record, if its own answer was lost. */
  readonly output: Json
  /** The record that was read back, if one was. */
  readonly record?: Json
  readonly basis: Basis
  /** `true` if the record of the system shows it. A status, too, is only somebody's word. */
  readonly verified: boolean
  /** `true` if it was done before and the record answered: nothing was sent. */
  readonly before: boolean
}

/** Not permitted: nothing was sent. */
export interface Refused extends Told {
  readonly status: "refused"
}

/** Begun, and its outcome is not known: nothing may be sent again before it is settled. */
export interface Held extends Told {
  readonly status: "held"
  readonly action: string
  /** The last word of the tool, such as the message of its error; absent if it said nothing. */
  readonly said?: Json
}

/** Waits for a person: nothing was sent. */
export interface Parked extends Told {
  readonly status: "parked"
  readonly review: string
  readonly needs: ReadonlyArray<string>
}

/**
 * The effect of a call that is no success: it had `none`, it was done and is `undone` since, or it is `unknown` whether
 * it stands, because a person gave up the call, or its undoing.
 */
export type Effect = "none" | "undone" | "unknown"

/** Ended without success. `error` is what the tool said, or a person. */
export interface Failed extends Told {
  readonly status: "failed"
  readonly error: Json
  readonly effect: Effect
}

/** The outcome of a call. */
export type Outcome = Done | Refused | Held | Parked | Failed
