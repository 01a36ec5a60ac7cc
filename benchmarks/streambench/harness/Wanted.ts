/**
 * The goal in force as an agent and a judge read it: the terms, the wanted things, and the order asked for.
 */
import * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Scenario from "../scenario/Scenario.ts"
import type * as Setting from "../scenario/Setting.ts"

/** The goal in force. */
export interface Wanted {
  readonly theme: string
  readonly ceiling: number
  readonly people: ReadonlyArray<string>
  /** The acting steps whose clauses are in force, in the order of the plan. */
  readonly items: ReadonlyArray<string>
  /** Pairs of items that a revision put in the other order, the first one first. */
  readonly order: ReadonlyArray<readonly [string, string]>
}

/** Reads the goal of a run. */
export const of = (
  { scenario: { words }, steps }: Pick<Setting.Setting, "scenario" | "steps">,
  pack: TaskPack.TaskPack,
  goal: RevisedSpecification.RevisedClauses
): Wanted => {
  const values = RevisedSpecification.values(pack, goal)
  const inForce = RevisedSpecification.inForce(pack, goal)
  const items = steps.filter(({ id, ...step }) => Scenario.isActing(step) && Object.hasOwn(inForce, id))
  const added = Object.keys(goal.added ?? {}).sort()
  return {
    theme: String(values[words.theme.clause]),
    ceiling: Number(values[words.total.clause]),
    people: [words.people.clause, ...added].map((clause) => String(values[clause])),
    items: items.map(({ id }) => id),
    order: swapped(
      pack.revisions?.priority ?? [],
      (goal.priority ?? []).filter((clause) => items.some(({ id }) => id === clause))
    )
  }
}

/** The pairs of an order that stood the other way round before. */
const swapped = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): Wanted["order"] =>
  after.flatMap((first, place) =>
    after
      .slice(place + 1)
      .flatMap((second) => (before.indexOf(second) < before.indexOf(first) ? [[first, second] as const] : []))
  )

/** The goal with which a setting begins, and what a list of revisions makes of it. */
export const revised = (
  { clauses }: Pick<Setting.Setting, "clauses">,
  revisions: ReadonlyArray<Setting.Revision>
): RevisedSpecification.RevisedClauses =>
  revisions.reduce<RevisedSpecification.RevisedClauses>(
    (goal, { changes }) => RevisedSpecification.revise(goal, changes),
    {
      clauses
    }
  )
