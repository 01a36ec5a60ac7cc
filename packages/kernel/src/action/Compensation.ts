/**
 * The call that would undo an action: registered when the action starts, completed when it is reconciled.
 *
 * The contract says which tool undoes a call, and with which arguments. Arguments that follow from the call itself
 * are durable before the call is sent (L5). Arguments that only the system of record knows, such as the number of a
 * booking, are filled in after the record was read. An instance may be harder to undo than its tool says: a condition
 * that narrows the class counts, and so does one that cannot be evaluated.
 *
 * @source docs/decisions/0040 and law L5; Revisable by Design, reversibility
 */

import * as Operation from "@backstitch/contracts/Operation"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Decimal from "@backstitch/expressions/Decimal"
import * as Expression from "@backstitch/expressions/Expression"
import type * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import type * as Payload from "../payload/Payload.ts"
import type * as DecisionTerms from "../state/DecisionTerms.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import type { ActionInFlight } from "./ActionInFlight.ts"

/**
 * Lists the data that are registered as an action starts: its class, the tool that undoes it, the arguments that are
 * known by then, and its subtasks, each with its entity.
 */
export const registered = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { contract, params }: { readonly contract: ToolContract.ToolContract; readonly params: Json }
): NonNullable<Payload.Of<"action.started">["undo"]> => {
  const { by, class: reversibility } = contract.undo
  const derived =
    by === undefined
      ? {}
      : Object.fromEntries(
          Object.entries(contract.undo.with)
            .filter(([, template]) => !readsAnswer(template))
            .flatMap(([name, template]) => {
              const filled = Operation.fill(template, ExpressionScope.bindings(state, { args: params }))
              return Result.isSuccess(filled) ? [[name, filled.success] as const] : []
            })
        )
  const within = withinOf(terms, state, { contract, params })
  return {
    class: reversibility,
    ...(by === undefined ? {} : { by }),
    ...(Object.keys(derived).length === 0 ? {} : { with: derived }),
    ...(Object.keys(within).length === 0 ? {} : { within })
  }
}

/** The subtasks that a call belongs to, each with its entity. */
export const withinOf = (
  terms: DecisionTerms.DecisionTerms,
  state: State,
  { contract, params }: { readonly contract: ToolContract.ToolContract; readonly params: Json }
): JsonObject =>
  Object.fromEntries(
    Object.values(terms.pack?.skeletons ?? {})
      .filter(({ tools }) => tools.includes(contract.name))
      .map(({ entity, id }) => {
        const found = entity && Expression.evaluate(entity, ExpressionScope.bindings(state, { args: params }))
        return [id, found !== undefined && Result.isSuccess(found) ? found.success : null]
      })
  )

/**
 * Derives the call that undoes this instance from its record. Without `by` no call undoes it; without `with` its
 * arguments are not known.
 */
export const resolved = (
  { contract: { undo }, open, state }: ActionInFlight,
  actual: Json
): { readonly class: ToolContract.Reversibility; readonly by?: string; readonly with?: JsonObject } => {
  if (undo.by === undefined) return { class: undo.class }
  const scope = ExpressionScope.actionBindings(state, open, actual)
  const reversibility = undo.narrows === undefined ? undo.class : narrowed(undo.narrows, scope)
  if (reversibility !== "R" && reversibility !== "K") return { class: reversibility }
  const filled = Object.entries(undo.with).map(([name, template]) => [name, Operation.fill(template, scope)] as const)
  const answered = filled.flatMap(([name, value]) => (Result.isSuccess(value) ? [[name, value.success] as const] : []))
  return {
    class: reversibility,
    by: undo.by,
    ...(answered.length === filled.length ? { with: Object.fromEntries(answered) } : {})
  }
}

/**
 * Tells whether an instance can be reversed: its contract declares a reversal, and every argument of the reversal is
 * known.
 */
export const isReversible = (subject: ActionInFlight, actual: Json): boolean =>
  resolved(subject, actual).with !== undefined

/**
 * Tells whether the reversal that follows from the record is the one that was registered, as far as the record
 * determines it.
 */
export const isStill = (
  subject: ActionInFlight,
  { actual, registered }: { readonly actual: Json; readonly registered: Pick<SettledActions.Settled, "by" | "with"> }
): boolean => {
  if (registered.by === undefined || registered.with === undefined) return true
  const { by, with: params } = resolved(subject, actual)
  const derived = Object.entries(subject.contract.undo.with).filter(([, template]) => readsAnswer(template))
  return (
    by === registered.by &&
    derived.every(([name]) => Canonical.equals(params?.[name] ?? null, registered.with?.[name] ?? null))
  )
}

/** Reads the fee that a reversal kept from its record, as an amount in decimal notation and its currency. */
export const kept = (
  { contract: { keeps }, open, state }: ActionInFlight,
  actual: Json
): { readonly amount: string; readonly currency: string } | undefined => {
  if (keeps === undefined) return undefined
  const found = Expression.evaluate(keeps.amount, ExpressionScope.actionBindings(state, open, actual))
  const amount = Result.isSuccess(found) ? Decimal.from(found.success) : undefined
  if (amount === undefined || amount.units === 0n) return undefined
  const shown = keeps.decimal === 0 ? amount : new Decimal.Decimal(amount.units, amount.scale + keeps.decimal)
  return { amount: Decimal.format(shown), currency: keeps.currency }
}

const narrowed = (narrows: Expression.Expression, scope: Expression.Bindings): ToolContract.Reversibility => {
  const found = Expression.evaluate(narrows, scope)
  if (Result.isFailure(found)) return "X"
  return found.success === "R" || found.success === "K" || found.success === "I" ? found.success : "X"
}

/** Tells whether a template reads the answer or the record, which are unknown at the start. */
const readsAnswer = (template: Operation.Template): boolean => {
  switch (template._tag) {
    case "Expression":
      return template.expression.reads.some((path) => /^(?:actual|observed|key)(?:\.|$)/.test(path))
    case "Array":
      return template.items.some(readsAnswer)
    case "Object":
      return Object.values(template.fields).some(readsAnswer)
  }
}
