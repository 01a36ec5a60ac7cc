import * as Solution from "@backstitch/importers/Solution"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { World } from "../World.ts"
import { models, nameOf, world } from "./fixture.ts"

const setting = Effect.map(models, (call) => {
  const apply =
    (tool: string, args: object) =>
    (at: World): World =>
      call(tool, args, at).world
  const bags = apply("update_reservation_baggages", {
    reservation_id: "LATE",
    total_baggages: 1,
    nonfree_baggages: 0,
    payment_id: "none"
  })
  const give = apply("send_certificate", { user_id: "gil", amount: 50 })
  const cancel = (reservation_id: string) => apply("cancel_reservation", { reservation_id })
  return { bags, cancel, give, solution: Solution.make(world, [give, cancel("LATE"), bags], nameOf) }
})

describe("Solution of an airline task", () => {
  it.effect("follows the solution's calls in any order", () =>
    Effect.map(setting, ({ cancel, give, solution }) => {
      const other = give(cancel("LATE")(world))
      assert.isFalse(Solution.hasDeviated(solution, cancel("LATE")(world)))
      assert.isFalse(Solution.isPastReturn(solution, cancel("LATE")(world)))
      assert.strictEqual(Solution.verdict(solution, other), "match")
    })
  )

  it.effect("says that something is missing while the solution can still be reached", () =>
    Effect.map(setting, ({ give, solution }) => {
      assert.strictEqual(Solution.verdict(solution, world), "missing_commit")
      assert.strictEqual(Solution.verdict(solution, give(world)), "missing_commit")
    })
  )

  it.effect("says that something is wrong once no selection of the calls leads there", () =>
    Effect.map(setting, ({ cancel, give, solution }) => {
      for (const wrong of [cancel("OLD")(world), give(give(world)), cancel("LATE")(cancel("LATE")(world))]) {
        assert.isTrue(Solution.hasDeviated(solution, wrong))
        assert.isTrue(Solution.isPastReturn(solution, wrong))
        assert.strictEqual(Solution.verdict(solution, wrong), "wrong_commit")
        assert.isTrue(Solution.isPastReturn(solution, cancel("LATE")(wrong)), "it stays past the point of no return")
      }
    })
  )
})
