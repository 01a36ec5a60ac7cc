/** Revisions of the goal of a run: what the user wants otherwise, and what becomes of the acts of the run. */
import type { Json } from "../values/Json.ts"
import type { Outcome } from "../values/Outcome.ts"

/** One change of the clauses of a goal. */
export type RevisionChange =
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
  readonly changes: ReadonlyArray<RevisionChange>
  /** The person who wants it, and their words. */
  readonly by?: string | undefined
  readonly said?: string | undefined
  /** Acts that fit, by the word of the person. They are asked only about acts that no contract decides. */
  readonly keeps?: ReadonlyArray<string> | undefined
  /** Gives up as lost the acts that would block the revision. */
  readonly widens?: boolean | undefined
}

/** An act in a plan. */
export interface PlannedAct {
  readonly action: string
  readonly tool: string
  /** The class of its undoing: I, R, K or X. */
  readonly class: string
}

/** An act that no longer fits, or that stays although it is given up: the clauses concerned, and the reason. */
export interface JudgedAct extends PlannedAct {
  readonly clauses: ReadonlyArray<string>
  readonly says: string
}

/** The plan of a revision: the acts that it would keep, undo and lose, its price, and what forbids it. */
export interface RevisionPlan {
  /** `true` if nothing forbids it. */
  readonly possible: boolean
  /** `true` if it waits for acts under way, and nothing else forbids it. */
  readonly waits: boolean
  /** Acts that are undone, acts that were done in vain, and the sum of both. */
  readonly price: { readonly compensation: number; readonly waste: number; readonly total: number }
  readonly kept: { readonly acts: number; readonly to: number }
  /** Acts that no longer fit; `answered` if no contract decides, so that a person may keep the act. */
  readonly conflicts: ReadonlyArray<JudgedAct & { readonly answered: boolean }>
  /** The calls that would undo acts, in their order. */
  readonly undo: ReadonlyArray<PlannedAct & { readonly by: string; readonly params: Json; readonly residue: boolean }>
  /** Acts that the run does not build on any more. */
  readonly discarded: ReadonlyArray<PlannedAct>
  readonly lost: ReadonlyArray<JudgedAct>
  readonly obstacles: ReadonlyArray<{ readonly action: string; readonly code: string; readonly says: string }>
}

/** A revision that was injected: what became of it, and the plan by which it was absorbed. */
export interface InjectedRevision {
  readonly outcome: Outcome
  readonly plan: RevisionPlan | undefined
  /** The run that follows, if the goal was reached before: `bs.run(next)` opens it. */
  readonly next: string | undefined
}
