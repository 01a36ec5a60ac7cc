/**
 * The judge: quality from 1 to 5 of what a run left in the world, against the revised goal.
 *
 * | rule | takes away |
 * | --- | --- |
 * | 1. unmet | 1 for each wanted thing of which nothing stands |
 * | 2. contradicting | 1 for each thing that stands against the goal: with other terms, unwanted, twice, or too early |
 * | 3. declared | 1 if the agent declared what the world does not show |
 * | 4. residue | a half for each compensation that left something behind, at most 1 |
 * | 5. range | nothing below 1 is given |
 *
 * It looks at the world, and at nothing that a run believes.
 *
 * @source Revisable by Design, section 7 and appendix A (agent and judge)
 */
import type * as DeterministicPlanner from "../harness/DeterministicPlanner.ts"
import type * as Wanted from "../harness/Wanted.ts"
import type * as World from "../harness/World.ts"
import * as Scenario from "../scenario/Scenario.ts"
import type * as Setting from "../scenario/Setting.ts"

/** The verdict, with what each rule found. */
export interface Verdict {
  readonly quality: number
  readonly unmet: ReadonlyArray<string>
  readonly contradicting: ReadonlyArray<string>
  readonly falselyDeclared: ReadonlyArray<string>
  readonly residue: ReadonlyArray<string>
}

/** The evidence that the judge is shown. */
export interface Evidence {
  readonly steps: ReadonlyArray<Setting.PlannedStep>
  readonly things: ReadonlyArray<World.Thing>
  readonly wanted: Wanted.Wanted
  readonly declared: DeterministicPlanner.Declared
}

/** The deduction for each finding. */
export const weights = { unmet: 1, contradicting: 1, falselyDeclared: 1, residue: 0.5, residueMax: 1 } as const

/** Judges what a run left. */
export const judge = (evidence: Evidence): Verdict => {
  const { declared, steps, things, wanted } = evidence
  const stands = standing(steps, things)
  const unmet = wanted.items.filter((id) => !stands.some(({ item }) => item === id))
  const early = tooEarly(wanted, stands)
  const seen = new Set<string>()
  const contradicting = stands.flatMap((thing) => {
    const step = steps.find(({ id }) => id === thing.item)
    const isTwice = seen.has(thing.item)
    seen.add(thing.item)
    const isUnwanted = step === undefined || (Scenario.isActing(step) && !wanted.items.includes(thing.item))
    const isWrong = isUnwanted || isTwice || early.has(thing.item) || !agrees(wanted, step, thing)
    return isWrong ? [thing.item] : []
  })
  const falselyDeclared = Object.entries(declared).flatMap(([item, terms]) =>
    stands.some((thing) => thing.item === item && isSame(thing, terms)) ? [] : [item]
  )
  const residue = things.filter(({ residue }) => residue > 0).map(({ item }) => item)
  const taken =
    unmet.length * weights.unmet +
    contradicting.length * weights.contradicting +
    (falselyDeclared.length > 0 ? weights.falselyDeclared : 0) +
    Math.min(weights.residueMax, residue.length * weights.residue)
  return { quality: Math.max(1, 5 - taken), unmet, contradicting, falselyDeclared, residue }
}

/** The things that stand, and of those that can be written again only the latest version. */
const standing = (
  steps: ReadonlyArray<Setting.PlannedStep>,
  things: ReadonlyArray<World.Thing>
): ReadonlyArray<World.Thing> => {
  const there = things.filter(({ status }) => status === "standing")
  const isRewritten = ({ item }: World.Thing) => steps.find(({ id }) => id === item)?.class === "R"
  return there.filter(
    (thing, index) => !isRewritten(thing) || !there.slice(index + 1).some((each) => each.item === thing.item)
  )
}

/** Items that stand before another one that the user wanted first. */
const tooEarly = ({ order }: Wanted.Wanted, stands: ReadonlyArray<World.Thing>): ReadonlySet<string> => {
  const timeOf = (id: string) => stands.find(({ item }) => item === id)?.at ?? Number.NaN
  return new Set(order.flatMap(([first, second]) => (timeOf(second) < timeOf(first) ? [second] : [])))
}

/** Tells whether a thing carries the terms of the goal. A person is named as often as wanted, and nobody else is. */
const agrees = (
  { ceiling, people, theme }: Wanted.Wanted,
  { carries }: Pick<Scenario.Step, "carries">,
  thing: World.Terms
): boolean =>
  (!carries.includes("theme") || thing.theme === theme) &&
  (!carries.includes("total") || (thing.total > 0 && thing.total <= ceiling)) &&
  (!carries.includes("people") || thing.people === people.join(", "))

const isSame = (left: World.Terms, right: World.Terms): boolean =>
  left.theme === right.theme && left.total === right.total && left.people === right.people
