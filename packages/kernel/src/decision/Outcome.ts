/**
 * The outcome of a proposal, as a value that a program or a model can read.
 *
 * An outcome is a value and never thrown: frameworks retry on an exception, and a refusal or a hold must not be
 * retried blindly.
 */
import type { Json } from "@backstitch/trace/Canonical"
import type { Check } from "../payload/Check.ts"
import type { Finding } from "../payload/Finding.ts"

/**
 * Settled: `output` may be believed. With `adopted`, the record answered and not the world. A state keeps no answers,
 * so `output` is then `null`, and `ActionFate.of` reads it from the trace of the named run. `differs` means that the
 * fact on record has another content than the one that was proposed under its command: what was proposed is not kept.
 */
export interface Done {
  readonly _tag: "Done"
  readonly tick: number
  readonly output: Json
  readonly basis: "committed" | "answer" | "readback" | "status" | "attested" | "recorded"
  readonly adopted?:
    | { readonly action?: string; readonly run: string; readonly tick: number; readonly differs?: true }
    | undefined
}

/** Not permitted. Nothing was done. `checks` holds every condition that was evaluated, including those that failed. */
export interface Refused {
  readonly _tag: "Refused"
  readonly tick: number | undefined
  readonly checks: ReadonlyArray<Check>
}

/**
 * Begun and not settled: its outcome is unknown, or waits for a person. Its target stays claimed. `why` says what has
 * to happen. `run` names the run of the action, if that is another one.
 */
export interface Held {
  readonly _tag: "Held"
  readonly tick: number
  readonly action: string
  readonly run?: string | undefined
  readonly why: Finding
}

/** Waiting for a person. `review` names the review to be decided. */
export interface Parked {
  readonly _tag: "Parked"
  readonly tick: number
  readonly needs: ReadonlyArray<string>
  readonly why: Finding
  readonly review: string
}

/**
 * Ended without success: the tool refused or failed for good, and the system of record does not show the effect.
 * `error` is the tool's message, or a finding if the tool gave none.
 */
export interface Failed {
  readonly _tag: "Failed"
  readonly tick: number
  readonly error: Json
  /** `true` if a person gave the act up: nobody knows whether it happened. */
  readonly mayStand?: true
  /** The action that has undone the act since, in full or not, or that was to undo it: the act itself was done. */
  readonly lost?: { readonly how: "undone" | "doubtful" | "given_up"; readonly by: string }
}

/** The outcome of a proposal. */
export type Outcome = Done | Refused | Held | Parked | Failed

/** Tells whether a command was refused because it was planned at another head than that of the run. */
export const isOutdated = (outcome: Outcome): boolean =>
  outcome._tag === "Refused" && outcome.checks.some(({ why }) => why?.code === "context.changed")
