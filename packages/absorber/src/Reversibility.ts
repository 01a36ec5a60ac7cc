/**
 * The reversibility ratio of a task: the share of its tools that change nothing, or that can be undone exactly.
 *
 * The ratio is known before a run begins, and bounds how cheaply a run can be revised: each use of another tool is one
 * that a revision may have to pay for, or to give up.
 *
 * @source Revisable by Design, definition 4, equation 1 and corollary 2
 */
import type * as ToolContract from "@backstitch/contracts/ToolContract"

/** The share of the classes I and R; 1 if there are no classes. */
export const ratio = (classes: ReadonlyArray<ToolContract.Reversibility>): number =>
  classes.length === 0 ? 1 : classes.filter((each) => each === "I" || each === "R").length / classes.length

/**
 * The expected number of acts with an unavoidable cost among `length` acts, if each tool is equally likely: at least
 * this many are of class K or X.
 */
export const bound = (classes: ReadonlyArray<ToolContract.Reversibility>, length: number): number =>
  (1 - ratio(classes)) * length

/** A tool with the class of its contract. If it `narrows`, a call may have another class by its record. */
export interface Classified {
  readonly tool: string
  readonly class: ToolContract.Reversibility
  readonly narrows: boolean
}

/** A tool that lowers the ratio, and what would raise it: an exact inverse, for which the ratio is given. */
export interface Lowering extends Classified {
  readonly class: "K" | "X"
  /** The ratio if this tool alone had an exact inverse. */
  readonly ratioIfInverted: number
  /** `true` if the tool has no compensation either: with one, it could be undone at a price. */
  readonly lacksCompensation: boolean
}

/** The reversibility of a pack's tools. */
export interface Reversibility {
  readonly ratio: number
  readonly counts: Readonly<Record<ToolContract.Reversibility, number>>
  /** The tools that are counted. */
  readonly tools: ReadonlyArray<Classified>
  readonly lowering: ReadonlyArray<Lowering>
  /** Tools that are not counted: they undo others, nothing undoes them, and a plan to undo calls them. */
  readonly reversals: ReadonlyArray<string>
}

/** The reversibility of tools, by their contracts. */
export const of = (tools: ReadonlyArray<Pick<ToolContract.ToolContract, "name" | "undo">>): Reversibility => {
  const undoing = new Set(
    tools.flatMap(({ name, undo }) => (undo.by === undefined || undo.by === name ? [] : [undo.by]))
  )
  const isReversal = ({ name, undo }: (typeof tools)[number]) => undoing.has(name) && undo.class === "X"
  const counted = tools.filter((tool) => !isReversal(tool))
  const classified = counted.map(
    ({ name, undo }): Classified => ({ tool: name, class: undo.class, narrows: undo.narrows !== undefined })
  )
  const counts = { I: 0, R: 0, K: 0, X: 0 }
  for (const each of classified) counts[each.class] += 1
  const ratioIfInverted = (counts.I + counts.R + 1) / counted.length
  return {
    ratio: ratio(classified.map((each) => each.class)),
    counts,
    tools: classified,
    lowering: classified.flatMap(({ class: reversibility, ...tool }) =>
      reversibility === "K" || reversibility === "X"
        ? [{ ...tool, class: reversibility, ratioIfInverted, lacksCompensation: reversibility === "X" }]
        : []
    ),
    reversals: tools.filter(isReversal).map(({ name }) => name)
  }
}
