/**
 * The deterministic planner: it proposes the first step that the goal in force and the facts of the run leave undone.
 *
 * It reads what any planner of the runtime is shown. A question is asked again if it was asked for another theme. A
 * text, or anything else that can be undone exactly, is written again if it does not carry the terms in force. What
 * was sent, booked or paid is never done a second time while it stands, whatever it says: to take it back is the
 * matter of an absorption, and of no plan. At the end it declares what it takes to be done.
 */
import type { Proposal } from "@backstitch/kernel/Proposal"
import type { State } from "@backstitch/reducer/State"
import * as StateJson from "@backstitch/reducer/State"
import * as Schema from "effect/Schema"
import type * as Setting from "../scenario/Setting.ts"
import * as ScenarioPack from "./ScenarioPack.ts"
import type * as Wanted from "./Wanted.ts"
import type * as World from "./World.ts"

/** A row of the world as the run believes it. */
export interface Believed extends World.Terms {
  readonly version: number
  readonly status: string
}

/** The facts of a run: answers by item, and what stands outside and among the texts. */
export interface Facts {
  readonly answers: Readonly<Record<string, { readonly about: string; readonly full: number; readonly short: number }>>
  readonly things: Readonly<Record<string, Believed>>
}

/** The declared outcome of an agent: the terms of each thing that the goal wants. */
export type Declared = Readonly<Record<string, World.Terms>>

const Answer = Schema.Struct({ about: Schema.String, full: Schema.Int, short: Schema.Int })
const Row = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Int]))
const Content = Schema.Struct({
  working: Schema.Struct({ facts: Schema.Record(Schema.String, Answer) }),
  world: Schema.Struct({
    records: Schema.Record(Schema.String, Row),
    texts: Schema.Record(Schema.String, Row)
  })
})

/** Reads the facts in a state of a run. */
export const factsOf = ({ scenario: { words } }: Pick<Setting.Setting, "scenario">, state: State): Facts => {
  const { working, world } = Schema.decodeUnknownSync(Content)({
    working: StateJson.sectionToJson(state.working),
    world: StateJson.sectionToJson(state.world)
  })
  const things = Object.entries({ ...world.texts, ...world.records }).map(([item, row]): [string, Believed] => [
    item,
    {
      version: Number(row["version"]),
      status: String(row["status"]),
      theme: String(row[words.theme.argument]),
      total: Number(row[words.total.argument]),
      people: String(row[words.people.argument])
    }
  ])
  return { answers: working.facts, things: Object.fromEntries(things) }
}

/** The next step with the terms that it has to carry; `undefined` if none is left. */
export const next = (
  setting: Setting.Setting,
  wanted: Wanted.Wanted,
  facts: Facts
): { readonly step: Setting.PlannedStep; readonly terms: World.Terms } | undefined => {
  for (const step of inOrder(setting, wanted)) {
    const terms = termsOf(setting, wanted, facts, step)
    if (!isDone(facts, step, terms)) return { step, terms }
  }
  return undefined
}

/** The proposal of a step. */
export const proposalOf = (
  { scenario: { words } }: Setting.Setting,
  { things }: Facts,
  { step, terms }: { readonly step: Setting.PlannedStep; readonly terms: World.Terms }
): Proposal => {
  const theme = { [words.theme.argument]: terms.theme }
  if (step.kind === "answer") return { tool: step.by, params: { item: step.id, ...theme } }
  const others = { [words.total.argument]: terms.total, [words.people.argument]: terms.people }
  const version = (things[step.id]?.version ?? 0) + 1
  return { tool: step.by, params: { item: step.id, version, ...theme, ...others } }
}

/** The declared outcome: each wanted thing under the terms in force, except what it knows to be lost. */
export const declare = (
  setting: Setting.Setting,
  wanted: Wanted.Wanted,
  facts: Facts,
  lost: ReadonlySet<string>
): Declared =>
  Object.fromEntries(
    setting.steps
      .filter(({ id }) => wanted.items.includes(id) && facts.things[id]?.status === "standing" && !lost.has(id))
      .map((step) => [step.id, termsOf(setting, wanted, facts, step)])
  )

/** The steps of the plan without those that are not wanted. An item that has to wait comes right after the other. */
const inOrder = (setting: Setting.Setting, wanted: Wanted.Wanted): ReadonlyArray<Setting.PlannedStep> => {
  const steps = setting.steps.filter((step) => ScenarioPack.tableOf(step) === "texts" || wanted.items.includes(step.id))
  return wanted.order.reduce((sofar, [first, second]) => {
    const waiting = sofar.find(({ id }) => id === second)
    return sofar.flatMap((step) => {
      if (step.id === second) return []
      return step.id === first && waiting !== undefined ? [step, waiting] : [step]
    })
  }, steps)
}

/** The terms in force that a step carries. Its part is planned in full form where the ceiling allows that. */
const termsOf = (
  { steps }: Setting.Setting,
  { ceiling, people, theme }: Wanted.Wanted,
  { answers }: Facts,
  { carries, part }: Pick<Setting.PlannedStep, "carries" | "part">
): World.Terms => {
  const priced = steps.filter((step) => step.priced === true && step.part === part)
  const sum = (form: "full" | "short") => priced.reduce((total, { id }) => total + (answers[id]?.[form] ?? 0), 0)
  const full = sum("full")
  return {
    theme: carries.includes("theme") ? theme : "",
    total: carries.includes("total") ? (full <= ceiling ? full : sum("short")) : 0,
    people: carries.includes("people") ? people.join(", ") : ""
  }
}

const isDone = ({ answers, things }: Facts, step: Setting.PlannedStep, terms: World.Terms): boolean => {
  if (step.kind === "answer") return answers[step.id]?.about === terms.theme
  const thing = things[step.id]
  if (thing?.status !== "standing") return false
  if (step.class !== "R") return true
  return thing.theme === terms.theme && thing.total === terms.total && thing.people === terms.people
}
