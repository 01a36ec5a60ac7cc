/**
 * Policies after a revision: each chooses the acts of a run that are discarded, and the runtime carries that out.
 *
 * | policy | discards |
 * | --- | --- |
 * | absorber | from the first act of class K or X in conflict on |
 * | closure | the acts in conflict, and those that read their writes |
 * | full restart | everything |
 * | checkpoint-5 | what came after the last fifth act before the first conflict |
 * | LangGraph-interrupt | from the first act of class K or X on, in conflict or not |
 * | naive, ignore, oracle | nothing |
 *
 * @source Revisable by Design, section 7 and appendix I
 */
import * as Absorption from "@backstitch/absorber/Absorption"
import * as Act from "@backstitch/absorber/Act"
import type * as RunAbsorption from "@backstitch/kernel/RunAbsorption"
import * as ScenarioPack from "./ScenarioPack.ts"

/**
 * A policy. The agent is told of a revision when it comes, before its first step, or never. Without a planner of its
 * own, the absorber plans by the rules of the contract.
 */
export interface Policy {
  readonly tells: "before" | "never" | "then"
  readonly rules: ScenarioPack.Rules
  readonly by?: RunAbsorption.Planner | undefined
}

const { asPublished } = ScenarioPack

/** The policies by name, in the order of the report. */
export const all = {
  oracle: { tells: "before", rules: asPublished },
  absorber: { tells: "then", rules: asPublished },
  closure: { tells: "then", rules: { rule: "dependency_closure", reversible: "leave" } },
  "absorber, inverting": { tells: "then", rules: { rule: "earliest_conflict", reversible: "invert" } },
  "closure, inverting": { tells: "then", rules: { rule: "dependency_closure", reversible: "invert" } },
  "full restart": { tells: "then", rules: asPublished, by: (acts, options) => from(acts, options, 0) },
  "checkpoint-5": {
    tells: "then",
    rules: asPublished,
    by: (acts, options) => from(acts, options, Math.floor(firstConflict(acts) / 5) * 5)
  },
  "LangGraph-interrupt": {
    tells: "then",
    rules: asPublished,
    by: (acts, options) => from(acts, options, placeOf(acts, isCommitted))
  },
  naive: { tells: "then", rules: asPublished, by: (acts, options) => from(acts, options, acts.length) },
  ignore: { tells: "never", rules: asPublished }
} as const satisfies Readonly<Record<string, Policy>>

/** Name of a policy. */
export type Name = keyof typeof all

/** Names of the policies, in the order of the report. */
export const names = Object.keys(all) as ReadonlyArray<Name>

/** Plans by one rule over the same acts, whatever the contract says. */
export const byRule =
  (rules: ScenarioPack.Rules): RunAbsorption.Planner =>
  (acts, options) =>
    Absorption.plan(acts, { ...options, ...rules })

/** Discards every act from a place on; what cannot be undone is lost. */
const from = (
  acts: ReadonlyArray<Act.Act>,
  { reversible, rule }: Pick<Absorption.Options, "reversible" | "rule">,
  place: number
): Absorption.Absorption => {
  const gone = acts.slice(place).filter(({ isDiscarded, stands }) => stands && isDiscarded !== true)
  const isLost = (act: Act.Act) => Act.classOf(act) === "X"
  return {
    rule,
    reversible,
    keptTo: acts[place - 1]?.tick ?? 0,
    conflicts: acts.flatMap((act) =>
      isInConflict(act)
        ? [{ action: act.action, tool: act.tool, class: Act.classOf(act), clauses: clausesOf(act) }]
        : []
    ),
    discarded: gone.map(({ action }) => action),
    undo: gone
      .flatMap((act) => (act.reversal === undefined || isLost(act) ? [] : [{ undoes: act.action, ...act.reversal }]))
      .toReversed(),
    lost: gone.filter(isLost).map((act) => ({ action: act.action, tool: act.tool, clauses: clausesOf(act) })),
    stale: [],
    questions: [],
    blocks: []
  }
}

const clausesOf = ({ verdict }: Act.Act): ReadonlyArray<string> => (verdict._tag === "Conflict" ? verdict.clauses : [])

const isInConflict = (act: Act.Act): boolean =>
  act.stands && act.isDiscarded !== true && Act.classOf(act) !== "I" && act.verdict._tag === "Conflict"

const isCommitted = (act: Act.Act): boolean =>
  act.stands && act.isDiscarded !== true && (Act.classOf(act) === "K" || Act.classOf(act) === "X")

/** The place of the first act that fits, or the end. A conflict of class R commits nobody, as in the source. */
const placeOf = (acts: ReadonlyArray<Act.Act>, fits: (act: Act.Act) => boolean): number => {
  const place = acts.findIndex(fits)
  return place === -1 ? acts.length : place
}

/** The first conflict of class K or X. Without one the end counts as a checkpoint, so nothing is discarded. */
const firstConflict = (acts: ReadonlyArray<Act.Act>): number => {
  const place = placeOf(acts, (act) => isCommitted(act) && isInConflict(act))
  return place === acts.length ? Math.ceil(place / 5) * 5 : place
}
