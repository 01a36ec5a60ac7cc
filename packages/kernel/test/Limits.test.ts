import * as ContractLimits from "@backstitch/contracts/Limits"
import * as ReconciliationLimits from "@backstitch/reconciliation/Limits"
import { assert, describe, it } from "@effect/vitest"
import { BudgetUse, DecisionRules, Limits } from "../src/index.ts"

const deciding = {
  contracts: ContractLimits.deciding,
  kernel: Limits.deciding,
  reconciliation: ReconciliationLimits.deciding
}

/** The limits of the first rules. */
const first: typeof deciding = {
  contracts: {
    amountDigitsMax: 12,
    asynchronousPollMillisMax: 10_000,
    asynchronousReadbackMillis: 60_000,
    forwardStepMillis: 600_000,
    moderatePollMillisMax: 2000,
    moderateReadbackMillis: 5000,
    pollFactor: 2,
    pollFirstMillis: 250,
    pollMillisMax: 30_000,
    synchronousPollMillisMax: 1000,
    webhookToleranceMillis: 300_000
  },
  kernel: {
    evidenceCharactersMax: 500,
    guardActsMax: 6,
    lessonsMax: 50,
    sendWithinMillis: 30_000,
    sendsMax: 8,
    settleAfterMillis: 6000,
    settleTimesMax: 10
  },
  reconciliation: { criticalSourcesMin: 2 }
}

/** Limits that decide, by the version of the rules that has them. A record is never edited. */
const recorded: Readonly<Record<number, typeof deciding>> = { 1: first, 2: first }

describe("Limits", () => {
  it("decide by the numbers that are recorded for the rules in force", () => {
    const advice =
      "the limits that decide are not those that are recorded for the rules in force: name the change in " +
      "DecisionRules.standard.changes with a new version, and record the limits of that version here (decision 0021)"
    assert.deepStrictEqual(deciding, recorded[DecisionRules.standard.version], advice)
  })

  it("fold amounts by the digits that are recorded for the version of the part", () => {
    const digits: Readonly<Record<number, number>> = { 1: 12 }
    const advice =
      "the digits of an amount are not those that are recorded for the part of the fold that adds amounts: give the part " +
      "a new version, and record the digits of that version here (decision 0015)"
    assert.strictEqual(ContractLimits.deciding.amountDigitsMax, digits[BudgetUse.part.version], advice)
  })
})
