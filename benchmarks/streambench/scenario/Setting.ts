/**
 * A scenario at one reversibility ratio and one seed: its enabled tools, its plan, its goal, and its revisions.
 *
 * The seed decides prices, themes, the order of independent steps of preparation, which messages are read before they
 * are corrected, and the fee of a cancellation. It decides nothing about policies. A plan of several parts repeats
 * each step for each part: first all preparation, then all that acts on the world outside.
 */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as PairedStatistics from "../../src/PairedStatistics.ts"
import * as Scenario from "./Scenario.ts"

/** Shares of the enabled tools that change nothing or can be undone exactly. */
export const ratios = [1, 0.75, 0.5, 0.25] as const

/** A reversibility ratio of a task. */
export type Ratio = (typeof ratios)[number]

/** Kinds of revisions, in the order in which they are reported. */
export const kinds = ["additive", "restrictive", "substitutive", "cancellation", "priority_shift"] as const

/** A revision: the words of the user, and what they change. */
export interface Revision {
  readonly kind: RevisedSpecification.RevisionKind
  readonly said: string
  readonly changes: ReadonlyArray<RevisedSpecification.RevisionChange>
}

/** A step of one part of the plan, with the enabled tool that takes it, and the class of its undoing. */
export interface PlannedStep extends Scenario.Step {
  readonly part: number
  readonly by: string
  readonly class: ReturnType<typeof Scenario.classOf>
}

/** An enabled tool: the kind of thing that it makes, and the steps that it takes. */
export interface EnabledTool {
  readonly name: string
  readonly kind: Scenario.Kind
  readonly class: ReturnType<typeof Scenario.classOf>
  readonly steps: ReadonlyArray<PlannedStep>
}

/** One setting. */
export interface Setting {
  readonly scenario: Scenario.Scenario
  readonly ratio: Ratio
  readonly seed: number
  readonly parts: number
  readonly steps: ReadonlyArray<PlannedStep>
  readonly tools: ReadonlyArray<EnabledTool>
  readonly clauses: { readonly [clause: string]: string | number }
  /** The order of all clauses: the steps outside as the plan has them, and the terms. */
  readonly priority: ReadonlyArray<string>
  readonly revisions: Readonly<Record<RevisedSpecification.RevisionKind, Revision>>
  /** A number from 0 up to 1, the same for the same name. */
  readonly chance: (name: string) => number
}

/** Makes a setting. */
export const make = (
  scenario: Scenario.Scenario,
  { parts = 1, ratio, seed }: { readonly parts?: number; readonly ratio: Ratio; readonly seed: number }
): Setting => {
  const chance = (name: string) => PairedStatistics.randomOf(`${scenario.name} ${seed} ${name}`)()
  const steps = repeated(ordered(scenario.steps, chance), parts).map((step): PlannedStep => {
    const { by, kind } = takenBy(scenario, ratio, step)
    return { ...step, by, class: Scenario.classOf(kind) }
  })
  const [theme = "", other = ""] = shuffled(scenario.themes, chance, "theme")
  const priced = scenario.steps.filter(({ priced }) => priced === true).length
  const ceiling = Math.round(scenario.price * priced * fullCeiling)
  const { people, theme: about, total } = scenario.words
  const acting = steps.filter(Scenario.isActing).map(({ id }) => id)
  const priority = [...acting, about.clause, total.clause, people.clause]
  const tight = Math.round(scenario.price * priced * tightCeiling)
  return {
    scenario,
    ratio,
    seed,
    parts,
    steps,
    tools: toolsOf(scenario, ratio, steps),
    clauses: { [about.clause]: theme, [total.clause]: ceiling, [people.clause]: scenario.people },
    priority,
    revisions: revisionsOf(scenario, { ceiling: tight, chance, priority, theme: other }),
    chance
  }
}

/** The clause that an added person is named by. */
export const alsoClause = "also"

/** The name of the step of a part: the first part has the names of the scenario. */
export const partOf = (id: string, part: number): string => (part === 0 ? id : `${id}_${part + 1}`)

/** The price of an answer in a form, moved by the seed and the theme by a tenth at most. */
export const priceOf = (
  { chance, scenario }: Pick<Setting, "chance" | "scenario">,
  { form, item, theme }: { readonly form: "full" | "short"; readonly item: string; readonly theme: string }
): number => {
  const moved = 0.9 + 0.2 * chance(`price ${item} ${theme}`)
  return Math.round(scenario.price * moved * (form === "full" ? 1 : shortForm))
}

/** The ceilings as shares of the full price before it moves: the full form fits the first, the short form fits both. */
const fullCeiling = 1.2
const tightCeiling = 0.8
const shortForm = 0.5

const takenBy = (
  { committing }: Scenario.Scenario,
  ratio: Ratio,
  { kind, tool, twin }: Pick<Scenario.Step, "kind" | "tool" | "twin">
): { readonly by: string; readonly kind: Scenario.Kind } => {
  if (twin !== undefined) {
    const isCommitting = ratio <= 0.5 || (ratio === 0.75 && committing.includes(tool))
    return isCommitting ? { by: tool, kind } : { by: twin, kind: "text" }
  }
  if (ratio !== 0.25) return { by: tool, kind }
  return { by: kind === "answer" ? Scenario.general.look : Scenario.general.write, kind }
}

const toolsOf = (
  scenario: Scenario.Scenario,
  ratio: Ratio,
  steps: ReadonlyArray<PlannedStep>
): ReadonlyArray<EnabledTool> => {
  const found = new Map<string, Scenario.Kind>()
  for (const each of [...scenario.steps, ...scenario.spare]) {
    const { by, kind } = takenBy(scenario, ratio, each)
    found.set(by, kind)
  }
  return [...found].map(([name, kind]) => ({
    name,
    kind,
    class: Scenario.classOf(kind),
    steps: steps.filter(({ by }) => by === name)
  }))
}

/** The plan of several parts: all preparation before the first step that acts on the world outside. */
const repeated = (
  steps: ReadonlyArray<Scenario.Step>,
  parts: number
): ReadonlyArray<Scenario.Step & Pick<PlannedStep, "part">> => {
  const every = Array.from({ length: parts }, (_, part) =>
    steps.map((step) => ({ ...step, part, id: partOf(step.id, part), needs: step.needs.map((id) => partOf(id, part)) }))
  ).flat()
  return [...every.filter((step) => !Scenario.isActing(step)), ...every.filter(Scenario.isActing)]
}

/** Shuffles the questions among themselves; texts and acts keep their order, which follows from what they need. */
const ordered = (steps: ReadonlyArray<Scenario.Step>, chance: Setting["chance"]): ReadonlyArray<Scenario.Step> => {
  const asking = steps.filter(({ kind }) => kind === "answer")
  return [...shuffled(asking, chance, "order"), ...steps.filter(({ kind }) => kind !== "answer")]
}

const shuffled = <A>(items: ReadonlyArray<A>, chance: Setting["chance"], name: string): ReadonlyArray<A> =>
  items
    .map((item, index) => [chance(`${name} ${index}`), item] as const)
    .sort(([left], [right]) => left - right)
    .map(([, item]) => item)

const revisionsOf = (
  scenario: Scenario.Scenario,
  {
    ceiling,
    chance,
    priority,
    theme
  }: Pick<Setting, "chance" | "priority"> & { readonly ceiling: number; readonly theme: string }
): Setting["revisions"] => {
  const { says, words } = scenario
  const [other = ""] = shuffled(scenario.others, chance, "other")
  const [first, second, ...rest] = priority
  if (first === undefined || second === undefined) throw new Error(`${scenario.name} has no two acting steps`)
  const make = (kind: RevisedSpecification.RevisionKind, change: RevisedSpecification.RevisionChange): Revision => ({
    kind,
    said: says[kind].replace("{other}", other).replace("{theme}", theme).replace("{ceiling}", String(ceiling)),
    changes: [change]
  })
  return {
    additive: make("additive", {
      change: "add",
      clause: alsoClause,
      holds: overRecords(words.people.argument, `clause.${alsoClause}`, "names"),
      value: other
    }),
    restrictive: make("restrictive", { change: "set", clause: words.total.clause, value: ceiling }),
    substitutive: make("substitutive", { change: "set", clause: words.theme.clause, value: theme }),
    cancellation: make("cancellation", { change: "withdraw", clause: first }),
    priority_shift: make("priority_shift", { change: "prioritise", clauses: [second, first, ...rest] })
  }
}

/** The condition that every standing thing which carries a term agrees with a value. */
export const overRecords = (argument: string, value: string, relation: "at most" | "equals" | "names"): string => {
  const field = `world.records[item].${argument}`
  const agrees = {
    "at most": `${field} <= ${value}`,
    equals: `${field} == '' || ${field} == ${value}`,
    names: `${field} == '' || ${field}.contains(${value})`
  }[relation]
  return `world.records.all(item, world.records[item].status != 'standing' || ${agrees})`
}
