/**
 * Absorption: what a revision keeps, undoes and loses of a run, as a plan before anything is done.
 *
 * | rule | discarded |
 * | --- | --- |
 * | `earliest_conflict` | the first act of class K or X in conflict, and every act after it, reads too |
 * | `dependency_closure` | the acts in conflict, and each later act that read a key which a discarded act wrote |
 *
 * A discarded act of class R or K is undone, the last first. One of class X stays and is lost: the clauses with which
 * it is in conflict remain unsatisfied.
 *
 * | treatment | an act of class R in conflict |
 * | --- | --- |
 * | `invert` | is undone wherever it is, with the acts that read its writes |
 * | `leave` | stays, and is named as stale: with `earliest_conflict`, this is the algorithm of the source |
 *
 * A plan with open questions is provisional: it is valid only if each is answered with "compatible". Once they are
 * answered, no more are asked. A plan with blocks is refused, since an act that cannot be undone has read what would be
 * undone. Widened, the same plan gives such acts up as lost.
 *
 * @source Revisable by Design, algorithm 1, theorem 3 and definition 5; DART, definition 6 (committed consumers)
 */
import type * as RevisionPolicy from "@backstitch/contracts/RevisionPolicy"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import * as Act from "./Act.ts"
import * as RemovedKeys from "./RemovedKeys.ts"

/** A rule by which acts are discarded. */
export type Rule = RevisionPolicy.RevisionPolicy["rule"]

/** A way of treating acts of class R in conflict. */
export type Treatment = RevisionPolicy.RevisionPolicy["reversible"]

/** The answers to a question about an undecided act. */
export const answersOf = ["compatible", "conflict"] as const

/** The answer to a question about an undecided act. */
export type ActAnswer = (typeof answersOf)[number]

/** Options of a plan. With `widen`, an act that would block the plan is given up as lost. */
export interface Options {
  readonly rule: Rule
  readonly reversible: Treatment
  /** Answers by action. Only undecided acts are looked up. */
  readonly answers?: ReadonlyMap<string, ActAnswer> | undefined
  readonly widen?: boolean | undefined
}

/** An act in conflict, with the clauses. With `answered`, an answer decided, and no contract. */
export interface Conflict {
  readonly action: string
  readonly tool: string
  readonly class: ToolContract.Reversibility
  readonly clauses: ReadonlyArray<string>
  readonly answered?: true
}

/** A step of the compensation. */
export interface CompensationStep {
  readonly undoes: string
  readonly tool: string
  readonly params: Json
  readonly residue: boolean
}

/** An act with the clauses that it concerns. */
export interface Concerned {
  readonly action: string
  readonly tool: string
  readonly clauses: ReadonlyArray<string>
}

/**
 * An act to be undone, and an act that nothing undoes and that read these keys. The undone act wrote them, or a read
 * that depends on it.
 */
export interface Blocker {
  readonly action: string
  readonly by: string
  readonly keys: ReadonlyArray<string>
}

/** A plan for a revision: the conflicts, the acts that it discards, those that nothing undoes, and its price. */
export interface Absorption {
  readonly rule: Rule
  readonly reversible: Treatment
  /**
   * Under `earliest_conflict`, if there is a conflict: the tick of the last act before it. Otherwise that of the last
   * act. 0 if there is none.
   */
  readonly keptTo: number
  readonly conflicts: ReadonlyArray<Conflict>
  /** Acts that the continuation does not build on any more, reads too. */
  readonly discarded: ReadonlyArray<string>
  /** The compensation, the last act first. */
  readonly undo: ReadonlyArray<CompensationStep>
  /** Acts that nothing undoes. Their clauses remain unsatisfied. */
  readonly lost: ReadonlyArray<Concerned>
  /** Acts of class R in conflict that stay. */
  readonly stale: ReadonlyArray<string>
  /** Undecided acts whose answer may change the plan. */
  readonly questions: ReadonlyArray<Concerned>
  readonly blocks: ReadonlyArray<Blocker>
}

/**
 * Plans the absorption of a revision by a run, in one pass over its acts. Acts have to be in the order of their ticks.
 *
 * **Example** (A booking that no longer fits, and a draft that does not depend on it)
 *
 * ```ts import.meta.vitest
 * import { Absorption, type Act } from "@backstitch/absorber"
 *
 * const act = (tick: number, tool: string, more: Partial<Act.Act>): Act.Act => ({
 *   action: `${tool}-${tick}`, tool, tick, settledAt: tick, stands: true, class: "I",
 *   reads: [], writes: [], verdict: { _tag: "Compatible" }, ...more
 * })
 * const cancel = { tool: "cancel", params: {}, residue: true }
 * const acts = [
 *   act(1, "search", { writes: ["working.halls"] }),
 *   act(2, "book", { class: "K", reversal: cancel, verdict: { _tag: "Conflict", clauses: ["venue"] } }),
 *   act(3, "draft", { class: "R", reversal: { ...cancel, tool: "discard", residue: false } })
 * ]
 * const discardedBy = (rule: Absorption.Rule) => Absorption.plan(acts, { rule, reversible: "invert" }).discarded
 * discardedBy("earliest_conflict") // => ["book-2", "draft-3"]
 * discardedBy("dependency_closure") // => ["book-2"]
 * ```
 */
export const plan = (acts: ReadonlyArray<Act.Act>, options: Options): Absorption => {
  const judged = acts.map((act) => judge(act, options))
  const first = options.rule === "earliest_conflict" ? judged.findIndex(isCut) : -1
  const draft = drafted(judged, first === -1 ? judged.length : first, options)
  const { rule, reversible } = options
  return {
    rule,
    reversible,
    keptTo: acts[(first === -1 ? acts.length : first) - 1]?.tick ?? 0,
    conflicts: judged.flatMap(conflictOf),
    ...draft,
    undo: draft.undo.toReversed()
  }
}

/** An act with what decides about it: the clauses in conflict, or those about which the contract does not decide. */
interface Judged {
  readonly act: Act.Act
  readonly class: ToolContract.Reversibility
  readonly conflict?: { readonly clauses: ReadonlyArray<string>; readonly answered?: true }
  readonly open?: ReadonlyArray<string>
}

/**
 * An act of class I changes nothing, and is in conflict with nothing. An undecided act of class R is never asked about:
 * with `invert` it counts as in conflict if its contract assumes an undecided clause.
 */
const judge = (act: Act.Act, { answers, reversible }: Options): Judged => {
  const { action, stands, verdict } = act
  const self = { act, class: Act.classOf(act) }
  if (!stands || self.class === "I" || verdict._tag === "Compatible") return self
  if (verdict._tag === "Conflict") return { ...self, conflict: { clauses: verdict.clauses } }
  const answer = answers?.get(action)
  if (answer === "conflict") return { ...self, conflict: { clauses: verdict.clauses, answered: true } }
  if (answer === "compatible") return self
  if (self.class !== "R") return { ...self, open: verdict.clauses }
  return reversible === "invert" && verdict.assumed.length > 0
    ? { ...self, conflict: { clauses: verdict.assumed } }
    : self
}

/** Tells whether the kept prefix ends before an act. */
const isCut = ({ act, class: reversibility, conflict }: Judged): boolean =>
  conflict !== undefined && reversibility !== "R" && act.isDiscarded !== true

const conflictOf = ({ act: { action, tool }, class: reversibility, conflict }: Judged): ReadonlyArray<Conflict> =>
  conflict === undefined ? [] : [{ action, tool, class: reversibility, ...conflict }]

const concerned = ({ act: { action, tool } }: Judged, clauses: ReadonlyArray<string> = []): Concerned => ({
  action,
  tool,
  clauses
})

/** Follows the acts in their order. Each act from the place `cut` on is discarded. */
const drafted = (
  judged: ReadonlyArray<Judged>,
  cut: number,
  { reversible, rule, widen }: Options
): Pick<Absorption, "blocks" | "discarded" | "lost" | "questions" | "stale" | "undo"> => {
  const removed = RemovedKeys.make()
  const discarded: Array<string> = []
  const undo: Array<CompensationStep> = []
  const lost: Array<Concerned> = []
  const stale: Array<string> = []
  const questions: Array<Concerned> = []
  const blocks: Array<Blocker> = []
  judged.forEach((each, index) => {
    const { act, class: reversibility, conflict, open } = each
    const isStaying = reversibility === "X"
    if (act.isDiscarded === true && isStaying && conflict !== undefined) lost.push(concerned(each, conflict.clauses))
    if (!act.stands || act.isDiscarded === true) return
    const isTail = index >= cut
    const isSeed = conflict !== undefined && (reversibility !== "R" || reversible === "invert")
    const reached = RemovedKeys.reach(removed, act.reads)
    const isGone = isTail || isSeed || reached !== undefined
    const mayBlock = isStaying && !isTail && !isSeed && widen !== true
    if (open !== undefined && !isTail && (rule === "earliest_conflict" || !isGone || mayBlock)) {
      questions.push(concerned(each, open))
    }
    if (mayBlock && reached !== undefined) blocks.push(...blockersBy(act.action, reached))
    if (!isGone) {
      if (conflict !== undefined) stale.push(act.action)
      return
    }
    discarded.push(act.action)
    if (isStaying) lost.push(concerned(each, conflict?.clauses))
    else if (reversibility !== "I" && act.reversal !== undefined) undo.push({ undoes: act.action, ...act.reversal })
    RemovedKeys.add(removed, act.writes, removerOf(each, reached))
  })
  return { discarded, undo, lost, stale, questions, blocks }
}

const blockersBy = (by: string, { undone }: RemovedKeys.Reach): ReadonlyArray<Blocker> =>
  [...undone].map(([action, keys]) => ({ action, by, keys }))

/**
 * The act whose undoing takes away what a discarded act wrote: the act itself, or the one on which a read depends. An
 * act of class X takes nothing away.
 */
const removerOf = (
  { act, class: reversibility }: Judged,
  reached: RemovedKeys.Reach | undefined
): string | undefined => {
  if (reversibility === "X") return undefined
  return reversibility === "I" ? reached?.undone.keys().next().value : act.action
}
