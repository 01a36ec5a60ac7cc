/**
 * The expectations of a contract, evaluated over the record that was read.
 *
 * A missing record is checked as `null`, so that a contract can name that failure, too (`actual != null`). An
 * expectation that fails to evaluate does not hold.
 *
 * @source Action Verification, "Post-Action Check Pattern Library"
 */
import * as Condition from "@backstitch/contracts/Condition"
import type * as Expectation from "@backstitch/contracts/Expectation"
import type * as Expression from "@backstitch/expressions/Expression"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import type { Json } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Result from "effect/Result"
import type { ActionInFlight } from "../action/ActionInFlight.ts"
import type { Evidence } from "../decision/Evidence.ts"
import { recordOf } from "../decision/Evidence.ts"
import * as Limits from "../Limits.ts"
import * as Finding from "../payload/Finding.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"

/** An expectation with its result, and the finding if it is not met. */
export interface ExpectationVerdict extends Discrepancy.Predicate {
  readonly says: Finding.Finding
}

/** Checks expectations against a record, with names in scope. A record that could not be read meets none of them. */
export const against = (
  expect: ReadonlyArray<Expectation.Expectation>,
  scope: Expression.Bindings,
  evidence: Evidence
): ReadonlyArray<ExpectationVerdict> => {
  if (evidence._tag !== "Ok" && evidence._tag !== "NotFound") return []
  const actual = recordOf(evidence)
  return expect.map((expectation) => {
    const { indicator, otherwise } = expectation
    const source = Condition.source(expectation)
    const held = Condition.holds(expectation, scope)
    const about = indicator === undefined ? {} : { indicator, otherwise, shown: shown(expectation, actual) }
    const named = { ...(indicator === undefined ? {} : { indicator }), source }
    return Result.isFailure(held)
      ? { ...about, source, held: null, says: Finding.make("expectation.unanswered", named) }
      : { ...about, source, held: held.success, says: Finding.make("expectation.unmet", named) }
  })
}

/**
 * Tells which parts of an effect the record shows, by name. A part whose condition fails to evaluate counts as
 * missing.
 */
export const parts = ({ contract, open, state }: ActionInFlight, actual: Json): Readonly<Record<string, boolean>> => {
  const scope = ExpressionScope.actionBindings(state, open, actual)
  return Object.fromEntries(
    Object.entries(contract.readback?.parts ?? {}).map(([name, condition]) => {
      const held = Condition.holds(condition, scope)
      return [name, Result.isSuccess(held) && held.success]
    })
  )
}

/** Shows the fields of a record that an expectation reads. */
const shown = (expectation: Condition.Condition, actual: Json): Json | undefined => {
  const reads = Condition.reads(expectation)
  if (reads === "any" || !Canonical.isObject(actual)) return actual === null ? null : undefined
  const fields = reads.flatMap((path) => {
    const [name, field] = path.split(".")
    const value = name === "actual" && field !== undefined ? actual[field] : undefined
    return field === undefined ||
      value === undefined ||
      Canonical.encode(value).length > Limits.deciding.evidenceCharactersMax
      ? []
      : [[field, value] as const]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}
