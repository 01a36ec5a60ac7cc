import * as Expression from "@backstitch/expressions/Expression"
import * as ExpressionLimits from "@backstitch/expressions/Limits"
import * as FunctionLimits from "@backstitch/functions/Limits"
import { assert, describe, it } from "@effect/vitest"

const deciding = { expressions: ExpressionLimits.deciding, functions: FunctionLimits.deciding }

/** Limits that decide, by the engine that has them. A record is never edited. */
const recorded: Readonly<Record<string, typeof deciding>> = {
  "cel-js@8.0.0/profile.1": {
    expressions: {
      decimalDigitsMax: 400,
      evaluationStepsMax: 1_000_000,
      expressionLevelsMax: 100,
      expressionNodesMax: 5000,
      quotedCharactersMax: 60
    },
    functions: { functionStepsMax: 10_000_000, openCallsMax: 1000, spreadValuesMax: 10_000 }
  }
}

describe("Limits", () => {
  it("decide by the numbers that are recorded for the engine of a run", () => {
    const advice =
      "the limits that decide are not those that are recorded for the engine: give the engine a new name, keep the " +
      "older one in Expression.engines with its limits, and record those of the new one here (docs/LIMITS.md)"
    assert.deepStrictEqual(deciding, recorded[Expression.engine], advice)
  })
})
