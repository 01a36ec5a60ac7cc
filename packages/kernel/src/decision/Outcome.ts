/**
 * The outcome of a proposal, as a value that a program or a model can read.
 *
 * An outcome is never thrown: frameworks retry what is thrown, and a refusal
 * or a hold must not be retried blindly.
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Check } from "../payload/Check.ts"
import type { Finding } from "../payload/Finding.ts"

/**
 * Settled: `output` may be believed. With `adopted` the record answered and not the world: a state keeps no answers, so
 * `output` is `null`, and `ActionFate.of` reads it from the trace of that run.
 */
export interface Done {
  readonly _tag: "Done"
  readonly tick: number
  readonly output: Json
  readonly basis: "committed" | "answer" | "readback" | "status" | "attested" | "recorded"
  readonly adopted?: { readonly action?: string; readonly run: string; readonly tick: number } | undefined
}

/** Not permitted. Nothing was done. `checks` holds every conjunct that was evaluated, the failing ones included. */
export interface Refused {
  readonly _tag: "Refused"
  readonly tick: number | undefined
  readonly checks: ReadonlyArray<Check>
}

/**
 * Begun and not settled: its outcome is not known, or waits for a person. The target stays claimed meanwhile; `why`
 * says what has to happen. `run` names the run of the action, where that is another one.
 */
export interface Held {
  readonly _tag: "Held"
  readonly tick: number
  readonly action: string
  readonly run?: string | undefined
  readonly why: Finding
}

/** Waiting for a person. `review` names what is to be decided. */
export interface Parked {
  readonly _tag: "Parked"
  readonly tick: number
  readonly needs: ReadonlyArray<string>
  readonly why: Finding
  readonly review: string
}

/**
 * Done with, without success: the tool refused or failed for good, and the system of record does not show the effect.
 * `error` is what the tool said, or a finding where it has said nothing.
 */
export interface Failed {
  readonly _tag: "Failed"
  readonly tick: number
  readonly error: Json
}

/** The outcome of a proposal. */
export type Outcome = Done | Refused | Held | Parked | Failed
