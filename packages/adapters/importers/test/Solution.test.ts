import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Solution from "../src/run/Solution.ts"
import { pack } from "./fixture.ts"

/** Turning a dial: adding can be made up for, setting cannot be taken back. */
const solution = Solution.make<number>(0, [(at) => at + 1, (at) => at + 2, (at) => at * 10], String)

describe("Solution", () => {
  it("finds every selection of its calls, in any order", () => {
    assert.strictEqual(solution.solved, 30)
    for (const reached of [0, 1, 2, 3, 10, 12, 20, 21, 30])
      assert.isFalse(Solution.hasDeviated(solution, reached), `${reached}`)
    for (const wrong of [4, 7, 27]) assert.isTrue(Solution.hasDeviated(solution, wrong), `${wrong}`)
  })

  it("tells missing calls from wrong ones, and runs that can still reach the solution from those that cannot", () => {
    assert.strictEqual(Solution.verdict(solution, 30), "match")
    assert.strictEqual(Solution.verdict(solution, 1), "missing_commit")
    assert.strictEqual(Solution.verdict(solution, 7), "wrong_commit")
    assert.isFalse(Solution.isPastReturn(solution, 27))
    assert.isTrue(Solution.isPastReturn(solution, 31))
  })

  it("takes the mutating calls of a list of actions, as the pack's models carry them out", () => {
    const accounts = Table.from([
      ["ada", { balance: 10 }],
      ["bob", { balance: 0 }]
    ])
    const given = Solution.ofActions(pack, { tables: { accounts } }, [
      { name: "balance", kwargs: { of: "ada" } },
      { name: "transfer", kwargs: { from: "ada", to: "bob", amount: 4 } }
    ])
    assert.strictEqual(given.calls.length, 1)
    const moved = { ...given.initial, accounts: accounts.set("ada", { balance: 6 }).set("bob", { balance: 4 }) }
    assert.strictEqual(Solution.verdict(given, moved), "match")
    assert.strictEqual(Solution.verdict(given, given.initial), "missing_commit")
  })
})
