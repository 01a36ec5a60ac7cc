/**
 * A remaining step behind a pivot, as the contract declares it: its arguments, its schedule, and until when it is
 * tried.
 */

import * as Backoff from "@backstitch/contracts/Backoff"
import * as Operation from "@backstitch/contracts/Operation"
import * as Skeleton from "@backstitch/contracts/Skeleton"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Field from "@backstitch/expressions/Field"
import type * as Obligations from "@backstitch/ledger/Obligations"
import type { State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import * as Finding from "../payload/Finding.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"

/** The arguments of a step (default: the next one), or the reason why they are not known. */
export const argumentsOf = (
  pack: TaskPack.TaskPack | undefined,
  state: State,
  obligation: Obligations.Obligation,
  tool = obligation.steps[0] ?? ""
): Result.Result<Json, Finding.Finding> => {
  const { with: templates } = stepOf(pack, obligation, tool)
  if (templates === undefined) {
    const needs = Object.entries(TaskPack.tool(pack, tool).input)
    const needed = needs.flatMap(([name, field]) => (field.optional === true ? [] : [name]))
    return needed.length === 0 ? Result.succeed({}) : Result.fail(Finding.make("forward.unsaid", { arguments: needed }))
  }
  const scope = ExpressionScope.bindings(state, { entity: obligation.entity, steps: obligation.seen })
  const filled: { [name: string]: Json } = {}
  for (const [name, template] of Object.entries(templates)) {
    const value = Operation.fill(template, scope)
    if (Result.isFailure(value)) return Result.fail(Finding.make("forward.unanswered", { argument: name }))
    filled[name] = value.success
  }
  const [issue] =
    pack === undefined ? [] : Field.check(Field.object(TaskPack.tool(pack, tool).input), filled, { closed: true })
  return issue === undefined
    ? Result.succeed(filled)
    : Result.fail(Finding.make("forward.mismatch", { argument: issue.path, has: issue.has, wants: issue.wants }))
}

/** The declaration of a step behind a pivot; the usual patience if the pack declares none. */
export const stepOf = (
  pack: TaskPack.TaskPack | undefined,
  { skeleton }: Obligations.Obligation,
  tool: string
): Skeleton.Forward =>
  pack?.skeletons[skeleton]?.forward.find((each) => each.tool === tool) ?? { tool, ...Skeleton.patience }

/** The time until which a step is tried, in epoch milliseconds. */
export const untilOf = (terms: DecisionTerms.DecisionTerms, obligation: Obligations.Obligation, tool: string): number =>
  (obligation.failedAt ?? terms.now) + stepOf(terms.pack, obligation, tool).withinMillis

/** Finds the moment at which a step is sent again: the n-th failure is followed by the n-th wait of the schedule. */
export const dueOf = (
  terms: Pick<DecisionTerms.DecisionTerms, "now" | "pack">,
  obligation: Obligations.Obligation,
  tool: string
): number => {
  const { at, count } = obligation.failed ?? { at: terms.now, count: 1 }
  return at + Backoff.wait(stepOf(terms.pack, obligation, tool).poll, count)
}
