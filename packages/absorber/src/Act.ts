/**
 * One act of a run in the form that a revision needs: the class of its call, its effect, its data and its verdict.
 *
 * The reversal of an act is part of the act, and no act of its own. Acts are listed in the order of their ticks.
 *
 * @source Revisable by Design, definition 1 (`act`) and definition 3 (I, R, K, X)
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"

/**
 * The compatibility of an act with a revised specification. `assumed` lists the undecided clauses that the contract
 * names; the others are undecided because the contract is silent, or because no contract can name an added clause.
 */
export type ActVerdict =
  | { readonly _tag: "Compatible" }
  | { readonly _tag: "Conflict"; readonly clauses: ReadonlyArray<string> }
  | {
      readonly _tag: "Undecided"
      readonly clauses: ReadonlyArray<string>
      readonly assumed: ReadonlyArray<string>
    }

/** The call that undoes an act. With `residue`, something of the effect remains. */
export interface ActReversal {
  readonly tool: string
  readonly params: Json
  readonly residue: boolean
}

/** One call of a run. */
export interface Act {
  readonly action: string
  readonly tool: string
  /** The tick of the request. */
  readonly tick: number
  /** The tick of the settlement, or of the answer of a read. */
  readonly settledAt: number
  /** The class of undoing, narrowed for this call. */
  readonly class: ToolContract.Reversibility
  /** `true` if the effect stands; of a read, if it was answered. */
  readonly stands: boolean
  /** The call that undoes the act. An act of class R or K without one cannot be undone, like one of class X. */
  readonly reversal?: ActReversal | undefined
  /** Data keys. */
  readonly reads: ReadonlyArray<string>
  /** Data keys. */
  readonly writes: ReadonlyArray<string>
  readonly verdict: ActVerdict
  /** `true` if an earlier absorption discarded the act: it is not discarded again, and no other act with it. */
  readonly isDiscarded?: boolean | undefined
}

/** The class that counts for a plan: an act that changes the world, and has no reversal, counts as X. */
export const classOf = ({ class: declared, reversal }: Act): ToolContract.Reversibility =>
  declared === "I" || reversal !== undefined ? declared : "X"
