/** Facts that a command brings beside its request: about other runs, refused names, and traces that were read. */

import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import type { Digest } from "@backstitch/trace/Digest"
import type * as KeylessAct from "../identity/KeylessAct.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import type { AnsweredQuery } from "./StoreQuery.ts"

/** The action of another run that did the act already. */
export interface Adopted extends JsonObject {
  readonly run: string
  readonly action: string
  readonly tick: number
  /** Epoch milliseconds of the first attempt. */
  readonly startedAt?: number | undefined
  /** The turn of the act to ask for, if earlier turns are taken. */
  readonly turn?: number | undefined
  /** The last output known to its own run. It counts if no system can be asked. */
  readonly output?: Json | undefined
  /** The run was seeded with the effect of this act: the act is answered, and not folded again. */
  readonly believed?: true | undefined
}

/** Facts that a command has learnt since it was first decided. */
export interface Lessons {
  /** The number of times that the same act failed for good in other runs. */
  readonly generation: number
  /** The hash of the context in which the command was first decided. */
  readonly context?: Digest | undefined
  /** The act that another run did already, under its key. */
  readonly adopted?: Adopted | undefined
  /** The turn to ask for, of an act of another run, if earlier turns are taken. */
  readonly turn?: number | undefined
  /** The turns of the acts to be undone, and the runs that rely on them. */
  readonly turns?: DecisionTerms.MetReliance | undefined
  /** The acts that made the same request before, where it has no key. */
  readonly met?: KeylessAct.ActsBefore | undefined
  /** Epoch milliseconds at which the command first met a name that another run holds for an action under way. */
  readonly since?: number | undefined
  /** The number of lessons. */
  readonly lessons?: number | undefined
}

/** A name that was refused, and its holder. */
export type RefusedName = Pick<Claims.ClaimRefused, "claim" | "holder" | "namespace">

/** Facts that a command brings beside the state in which it is decided. */
export interface CommandFacts {
  /** The facts that it has learnt since it was first decided. */
  readonly learnt?: Lessons | undefined
  /** The answers to the store queries of the command, in the state in which it is decided. */
  readonly found?: ReadonlyArray<AnsweredQuery> | undefined
}
