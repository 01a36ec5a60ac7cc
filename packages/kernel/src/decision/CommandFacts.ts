/** Facts that a command brings beside what it asks: of other runs, of refused names, of traces that were looked at. */
import type { VerificationCheck } from "@backstitch/contracts/VerificationCheck"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import type { Digest } from "@backstitch/trace/Digest"
import type * as Act from "../names/Act.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import type { Found } from "./StoreQuery.ts"

/** The action of another run that did the act already. */
export interface Adopted extends JsonObject {
  readonly run: string
  readonly action: string
  readonly tick: number
  /** The moment at which it was sent first, in epoch milliseconds. */
  readonly startedAt?: number | undefined
  /** The turn of the act to ask for, where others are taken. */
  readonly turn?: number | undefined
  /** The last output that its own run knew, which counts where nobody can be asked. */
  readonly output?: Json | undefined
  /** The run was seeded with what the act did: it is answered, and folds nothing. */
  readonly believed?: true | undefined
}

/** The outcome of an act that must not happen again, as its own run verified it. */
export interface Recorded extends JsonObject {
  readonly status: "ok" | "error"
  readonly output: Json
  /** The record that was read then. */
  readonly actual?: Json | undefined
  readonly trust: 0 | 1 | 2 | 3 | 4
  /** Checks of its class that its contract left out there. */
  readonly unchecked?: ReadonlyArray<VerificationCheck> | undefined
}

/** Facts that a command has learnt since it was first decided. */
export interface Lessons {
  /** The number of times that the same act failed for good elsewhere. */
  readonly generation: number
  /** The context that it was decided in first. */
  readonly context?: Digest | undefined
  /** The act that another run did already, under its key. */
  readonly adopted?: Adopted | undefined
  /** The turn to ask for of what another run did, where others are taken. */
  readonly turn?: number | undefined
  /** The turns of the acts to be undone, and the runs that rely on them. */
  readonly turns?: DecisionTerms.Met | undefined
  /** The acts that made the same request before, where it has no key. */
  readonly met?: Act.Met | undefined
  /** When it first met a name that is held by what another run has under way. */
  readonly since?: number | undefined
  /** The number of lessons. */
  readonly lessons?: number | undefined
}

/** A name that was refused, and who holds it. */
export type Named = Pick<Claims.ClaimRefused, "claim" | "holder" | "namespace">

/** Facts that a command brings beside the state in which it is decided. */
export interface CommandFacts {
  /** The facts that it has learnt since it was first decided. */
  readonly learnt?: Lessons | undefined
  /** The answers to the looks that were taken for it, in the state in which it is decided. */
  readonly found?: ReadonlyArray<Found> | undefined
}
