/**
 * Subtask skeletons: the reviewed template of a piece of work that can be rolled back by itself.
 *
 * A skeleton says what identifies an instance (`entity`), when its output counts (`commit`), when it is over
 * (`exit`), its inputs and outputs, and whether a rollback may cross its effects. It also names the tools whose final
 * failure aborts it, its pivot, and the steps that are completed behind the pivot.
 *
 * @source DART, definitions 3 and 4
 */

import type * as Expression from "@backstitch/expressions/Expression"
import * as Limits from "../Limits.ts"
import type * as Condition from "../state/Condition.ts"
import type { DataKey } from "../state/DataKey.ts"
import type * as Operation from "../state/Operation.ts"
import * as Backoff from "../time/Backoff.ts"

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
  /** Tools that are a pivot once they have succeeded, in addition to those that cannot be undone. */
  readonly pivot: ReadonlyArray<string>
  /**
   * Tools whose final failure aborts the instance. Its effects are then undone or, behind the pivot, its steps are
   * completed.
   */
  readonly aborts: ReadonlyArray<string>
  /** Steps that are completed behind the pivot, in this order. */
  readonly forward: ReadonlyArray<Forward>
  /** Tools that an agent may call behind the pivot although they undo earlier actions. */
  readonly undoBehindPivot: ReadonlyArray<string>
  /** Skeletons that have to be committed before this one begins. */
  readonly after: ReadonlyArray<string>
}

/**
 * A step that is completed behind the pivot.
 *
 * **Details**
 *
 * `with` derives its arguments from the state and from `steps`. In `steps`, the pivot and every later completed step
 * is found under the name of its tool, with its `args`, `observed` and `actual`. Without `with`, the planner has to
 * give the arguments. The step is tried again by `poll` until `withinMillis` after its first failure, and then a
 * person is asked.
 */
export interface Forward {
  readonly tool: string
  readonly with?: Readonly<Record<string, Operation.Template>>
  readonly withinMillis: number
  readonly poll: Backoff.Backoff
}

/**
 * The time for which a step behind the pivot is attempted if a pack declares none, and the schedule of the
 * attempts.
 */
export const patience = { withinMillis: Limits.deciding.forwardStepMillis, poll: Backoff.standard } as const

/** Names of the ways to treat effects when an instance is rolled back. */
export const effects = ["rollback", "compensate", "forbid"] as const

/** Ways to treat effects when an instance is rolled back. */
export type Effects = (typeof effects)[number]

/** Finds circles in a relation between names. Each is listed once, from its smallest name. */
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
