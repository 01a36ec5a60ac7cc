/**
 * Compatibility of an act with one changed clause: compatible, in conflict, or undecided by the contract.
 *
 * | the change of the clause | in conflict if | undecided if |
 * | --- | --- | --- |
 * | set, and assumed under a condition | the condition is false | |
 * | set, and assumed by its name | the act made it false, or the new value did | it is false otherwise |
 * | withdrawn | the act serves it | |
 * | added | the act turned it from true to false | the act wrote a field that it reads, and it stays false |
 * | moved in the order of priorities | it changed places with another clause that the act needs | |
 *
 * **Details**
 *
 * Conditions and clauses are evaluated under the new values. A clause that is assumed by its name is judged in the
 * state right after the act. If it is false there, the new value made it so if it was true under the old one; the act
 * made it so if it was true right before the act, and the act wrote a field that it reads. An act needs the clauses
 * that its contract assumes or serves. Every other case is compatible, except that a contract which is silent about its
 * assumptions leaves it undecided. Evidence that is unknown leaves an act undecided, unless it makes no difference.
 *
 * @source Revisable by Design, algorithm 1 (IsCompatible) and section 4.2 (types of revision)
 */
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type * as Act from "./Act.ts"

/** The changes of a clause by a revision. */
export const changes = ["set", "add", "withdraw", "prioritise"] as const

/** A change of a clause by a revision. */
export type ChangeKind = (typeof changes)[number]

/**
 * The assumptions of a contract about a clause. `silent` is the contract of a tool that changes the world and declares
 * no assumptions at all; a read without them is `none`.
 */
export const assumptions = ["condition", "name", "none", "silent"] as const

/** An assumption of a contract about a clause. */
export type Assumption = (typeof assumptions)[number]

/** The relation of a contract to a clause. */
export interface Relation {
  readonly assumes: Assumption
  readonly serves: boolean
}

/** The relation of a contract to a clause. A clause that a revision adds is one that no contract can name. */
export const relationOf = (tool: ToolContract.ToolContract, clause: string): Relation => {
  const serves = tool.serves.includes(clause)
  if (tool.assumes === undefined) return { assumes: ToolContract.isMutating(tool) ? "silent" : "none", serves }
  const assumption = tool.assumes.find((each) => each.clause === clause)
  if (assumption === undefined) return { assumes: "none", serves }
  return { assumes: assumption.holds === undefined ? "name" : "condition", serves }
}

/** A piece of evidence; a condition without an answer is unknown. */
export type Evident = boolean | "unknown"

/** Evidence about an act and a clause. A missing piece is unknown. */
export interface ClauseEvidence {
  /** The condition under which the contract assumes the clause, under the new clauses. */
  readonly fits?: Evident
  /** The clause under the new values, in the state right before the act. */
  readonly before?: Evident
  /** The clause under the new values, in the state right after the act. */
  readonly after?: Evident
  /** The clause under the old values, in the state right after the act. */
  readonly afterAsItWas?: Evident
  /** The act wrote a field that the clause reads. */
  readonly wrote?: Evident
  /** The order between the clause and another one that the act assumes or serves has changed. */
  readonly reordered?: Evident
}

/** The verdict on one act and one clause. */
export type CompatibilityVerdict = "compatible" | "conflict" | "undecided"

/**
 * Judges an act against one changed clause.
 *
 * **Example** (A budget that was cut below what is spent)
 *
 * ```ts import.meta.vitest
 * import { Compatibility } from "@backstitch/absorber"
 *
 * const relation = { assumes: "name", serves: false } as const
 * Compatibility.verdict("set", relation, { after: false, afterAsItWas: true }) // => "conflict"
 * Compatibility.verdict("set", relation, { after: false }) // => "undecided"
 * ```
 */
export const verdict = (change: ChangeKind, relation: Relation, evidence: ClauseEvidence): CompatibilityVerdict => {
  switch (change) {
    case "add":
      return added(evidence)
    case "withdraw":
      return relation.serves ? "conflict" : unlessSilent(relation)
    case "prioritise":
      return moved(relation, evidence)
    case "set":
      if (relation.assumes === "condition") return fitting(evidence)
      return relation.assumes === "name" ? named(evidence) : unlessSilent(relation)
  }
}

const unlessSilent = ({ assumes }: Relation): CompatibilityVerdict =>
  assumes === "silent" ? "undecided" : "compatible"

const fitting = ({ fits }: ClauseEvidence): CompatibilityVerdict => {
  if (fits === true) return "compatible"
  return fits === false ? "conflict" : "undecided"
}

const named = ({ after, afterAsItWas, before, wrote }: ClauseEvidence): CompatibilityVerdict => {
  if (after === true) return "compatible"
  const isTurned = afterAsItWas === true || (before === true && wrote === true)
  return after === false && isTurned ? "conflict" : "undecided"
}

const added = ({ after, before, wrote }: ClauseEvidence): CompatibilityVerdict => {
  if (after === true || (before === false && wrote === false)) return "compatible"
  return after === false && before === true ? "conflict" : "undecided"
}

const moved = (relation: Relation, { reordered }: ClauseEvidence): CompatibilityVerdict => {
  const isTheirs = relation.serves || relation.assumes === "condition" || relation.assumes === "name"
  if (isTheirs && reordered === true) return "conflict"
  return isTheirs && reordered !== false ? "undecided" : unlessSilent(relation)
}

/** The verdict on an act and one clause, with the relation of its contract to the clause. */
export interface ClauseVerdict {
  readonly clause: string
  readonly verdict: CompatibilityVerdict
  readonly assumes: Assumption
}

/** The verdict on an act from those on each changed clause: one conflict decides. */
export const join = (judged: ReadonlyArray<ClauseVerdict>): Act.ActVerdict => {
  const named = (verdict: CompatibilityVerdict) => judged.filter((each) => each.verdict === verdict)
  const clausesOf = (found: ReadonlyArray<ClauseVerdict>) => found.map(({ clause }) => clause)
  const conflicts = named("conflict")
  if (conflicts.length > 0) return { _tag: "Conflict", clauses: clausesOf(conflicts) }
  const undecided = named("undecided")
  if (undecided.length === 0) return { _tag: "Compatible" }
  const assumed = undecided.filter(({ assumes }) => assumes === "condition" || assumes === "name")
  return { _tag: "Undecided", clauses: clausesOf(undecided), assumed: clausesOf(assumed) }
}
