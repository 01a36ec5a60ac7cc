/** Revisions of the goal of a run: what the user wants otherwise, and what becomes of the acts of the run. */
import type { Json } from "../values/Json.ts"
import type { Outcome } from "../values/Outcome.ts"

/** One change of the clauses of a goal. */
export type Change =
  | {
      readonly change: "add"
      readonly clause: string
      /** The condition of the clause, over the state. */
      readonly holds: string
      readonly value?: Json | undefined
      readonly description?: string | undefined
    }
  | { readonly change: "prioritise"; readonly clauses: ReadonlyArray<string> }
  | { readonly change: "set"; readonly clause: string; readonly value: Json }
  | { readonly change: "withdraw"; readonly clause: string }

/** A revision: its changes, and what is known about it. */
export interface Revision {
  readonly changes: ReadonlyArray<Change>
  /** The person who wants it, and their words. */
  readonly by?: string | undefined
  readonly said?: string | undefined
}

/** An act in a plan. */
export interface PlannedAct {
  readonly action: string
  readonly tool: string
  /** The class of its undoing: I, R, K or X. */
  readonly class: string
}

/** The plan of a revision: the acts that it would keep, undo and lose, and what forbids it. */
export interface Plan {
  /** `true` if nothing forbids it. */
  readonly possible: boolean
  readonly kept: { readonly acts: number; readonly to: number }
  readonly conflicts: ReadonlyArray<PlannedAct & { readonly clauses: ReadonlyArray<string> }>
  /** The calls that would undo acts, in their order. */
  readonly undo: ReadonlyArray<PlannedAct & { readonly by: string; readonly params: Json; readonly residue: boolean }>
  readonly lost: ReadonlyArray<PlannedAct & { readonly clauses: ReadonlyArray<string> }>
  readonly obstacles: ReadonlyArray<{ readonly action: string; readonly code: string; readonly says: string }>
}

/** A revision that was injected: what became of it, and the plan by which it was absorbed. */
export interface Revised {
  readonly outcome: Outcome
  readonly plan: Plan | undefined
}
