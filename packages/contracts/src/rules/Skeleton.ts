/**
 * Subtask skeletons: the reviewed shape of a piece of work that can be rolled back by itself.
 *
 * A skeleton says how an instance is told apart (`entity`), when its output
 * counts (`commit`), when it is over (`exit`), what it takes and hands over,
 * whether its effects may be rolled back across, whose final failure aborts it,
 * after which tool there is no way back, and what is completed then.
 *
 * @source DART, definitions 3 and 4
 */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Limits from "../Limits.ts"
import type * as Condition from "../state/Condition.ts"
import type { DataKey } from "../state/DataKey.ts"
import type * as Operation from "../state/Operation.ts"
import * as Polling from "../tool/Polling.ts"

/** One reviewed template of a subtask. */
export interface Skeleton {
  readonly id: string
  readonly entity?: Expression.Expression
  readonly states: ReadonlyArray<string>
  readonly entry: ReadonlyArray<string>
  readonly commit?: Condition.Condition
  readonly exit?: Condition.Condition
  readonly inputs: ReadonlyArray<DataKey>
  readonly outputs: ReadonlyArray<DataKey>
  readonly tools: ReadonlyArray<string>
  readonly effects: Effects
  /** Tools after whose success there is no way back, besides those that cannot be undone. */
  readonly pivot: ReadonlyArray<string>
  /** Tools whose final failure aborts the instance: what it did is undone, or, behind the pivot, completed. */
  readonly aborts: ReadonlyArray<string>
  /** Steps that are completed behind the pivot, in this order. */
  readonly forward: ReadonlyArray<Forward>
  /** Tools that an agent may call behind the pivot although they undo what was done before it. */
  readonly undoBehindPivot: ReadonlyArray<string>
  /** Skeletons that have to be committed before this one begins. */
  readonly after: ReadonlyArray<string>
}

/**
 * A step that is completed behind the pivot.
 *
 * **Details**
 *
 * `with` gives its arguments from the state and from `steps`, in which the pivot and every step that was completed
 * since stands under the name of its tool with its `args`, `observed` and `actual`. Without `with` its arguments are
 * asked of the planner. It is tried again by `poll` until `withinMillis` after its first failure, and then a person is
 * asked.
 */
export interface Forward {
  readonly tool: string
  readonly with?: Readonly<Record<string, Operation.Template>>
  readonly withinMillis: number
  readonly poll: Polling.Polling
}

/** Time for which a step behind the pivot is tried where a contract does not say, and the schedule. */
export const patience = { withinMillis: Limits.deciding.forwardStepMillis, poll: Polling.standard } as const

/** Names of the ways to treat effects when an instance is rolled back. */
export const effects = ["rollback", "compensate", "forbid"] as const

/** Ways to treat effects when an instance is rolled back. */
export type Effects = (typeof effects)[number]

/** Finds cycles in a relation between names; each is listed once, from its smallest name. */
export const cycles = (
  edges: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const walk = (name: string, path: ReadonlyArray<string>): void => {
    const at = path.indexOf(name)
    if (at >= 0) {
      found.push(rotate(path.slice(at)))
      return
    }
    if (done.has(name)) return
    for (const next of edges[name] ?? []) walk(next, [...path, name])
    done.add(name)
  }
  for (const name of Object.keys(edges)) walk(name, [])
  return found
}

const rotate = (cycle: ReadonlyArray<string>): ReadonlyArray<string> => {
  const smallest = [...cycle].sort()[0] as string
  const at = cycle.indexOf(smallest)
  return [...cycle.slice(at), ...cycle.slice(0, at)]
}
