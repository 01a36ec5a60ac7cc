import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as Check from "@backstitch/kernel/Check"
import * as Latch from "@backstitch/reducer/Latch"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as History from "@backstitch/runtime/History"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Desk from "../Desk.ts"

const main = join(import.meta.dirname, "../main.ts")

/** A bold account that has bought, and a careful one with little money. */
const accounts = Effect.fnUntraced(function* (pack = Desk.pack) {
  const bold = yield* Desk.open({ name: "bold", cash: 100_000, shares: 5000, pack })
  yield* bold.propose(Desk.observed({ risk_threshold: Desk.thresholds.MAX, risk_limit: 0.85 }))
  yield* bold.propose(Desk.order("o-1", { shares: 1000, cost: 48_000 }))
  const careful = yield* Desk.open({ name: "careful", cash: 500, shares: 200, pack })
  yield* careful.propose(Desk.observed({ risk_threshold: Desk.thresholds.MIN, risk_limit: 0.6 }))
  return { bold, careful }
})

const within = <A, E, R>(broker: Desk.Broker, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.scoped, Effect.provide(Desk.layer(broker), { local: true }))

describe("The desk", () => {
  it.effect("does not let a bold order into a careful account, which stays as it was", () =>
    Effect.gen(function* () {
      const broker = new Desk.Broker()
      yield* within(
        broker,
        Effect.gen(function* () {
          const { bold, careful } = yield* accounts()
          const before = yield* careful.position
          const { verdict } = yield* CherryPicking.pick({ from: bold.run, tick: 3, onto: careful.run })
          assert.deepStrictEqual(
            verdict.reasons.map(({ code, path }) => [code, path]),
            [["context_violation", "working.risk_threshold"]]
          )
          // The balance and the position differ, too: they are bound to the order, and need not match.
          assert.deepStrictEqual(
            verdict.fields.filter(({ problem }) => problem === undefined).map(({ path }) => path),
            [
              "working.policy_decision",
              "working.risk_limit",
              "working.tool_allowlist",
              "world.cash_balance",
              "world.position_size"
            ]
          )
          assert.deepStrictEqual((yield* careful.position).head, before.head)
        })
      )
      assert.strictEqual(broker.orders.size, 1)
    })
  )

  it.effect("buys for the careful account without that contract, and only the balance shows it afterwards", () =>
    Effect.gen(function* () {
      const broker = new Desk.Broker()
      yield* within(
        broker,
        Effect.gen(function* () {
          const { bold, careful } = yield* accounts(Desk.packWithoutContext)
          yield* CherryPicking.pick({ from: bold.run, tick: 3, onto: careful.run })
          const history = yield* History.History
          const { head } = yield* history.info(careful.run)
          const { state } = yield* history.at(careful.run, head.tick)
          assert.strictEqual(state.world["cash_balance"], "-47500.00")
          assert.isNumber(Latch.of(state)["negative_balance"])
        })
      )
      assert.strictEqual(broker.orders.size, 2)
    })
  )

  it.effect("latches a balance below zero as a violation", () =>
    within(
      new Desk.Broker(),
      Effect.gen(function* () {
        const poor = yield* Desk.open({ name: "poor", cash: 500, shares: 0 })
        yield* poor.propose(Desk.observed({ risk_threshold: Desk.thresholds.MAX, risk_limit: 0.85 }))
        yield* poor.propose(Desk.order("o-2", { shares: 100, cost: 4_800 }))
        const { state } = yield* poor.position
        assert.strictEqual(state.world["cash_balance"], "-4300.00")
        assert.isNumber(Latch.of(state)["negative_balance"])
      })
    )
  )

  it.effect("refuses an order that no policy has allowed, and latches a risk beyond the profile", () => {
    const broker = new Desk.Broker()
    return within(
      broker,
      Effect.gen(function* () {
        const order = Desk.order("o-3", { shares: 1, cost: 48 })
        const silent = yield* Desk.open({ name: "silent", cash: 500, shares: 0 })
        const profile = { risk_threshold: Desk.thresholds.MIN, risk_limit: 0.85 }
        yield* silent.propose({ type: "observation.add", data: { ...profile, allows: "execute_transaction" } })
        const denied = yield* Desk.open({ name: "denied", cash: 500, shares: 0 })
        yield* denied.propose(Desk.observed({ ...profile, policy_decision: "deny" }))
        for (const [account, step] of [
          [silent, "required_state working.policy_decision"],
          [denied, "guard allowed_tool"]
        ] as const) {
          const outcome = yield* account.propose(order)
          if (outcome._tag !== "Refused") throw new Error(outcome._tag)
          assert.include(
            Check.failing(outcome.checks).map((check) => `${check.step} ${check.id}`),
            step
          )
        }
        yield* denied.propose(Desk.observed({ risk_score: 0.3001, exposure: 0.12 }))
        assert.isNumber(Latch.of((yield* denied.position).state)["risk_exceeded"])
        assert.strictEqual(broker.sent, 0)
      })
    )
  })

  it("refuses the bold buy under the careful policy, and sends no order twice", () => {
    const { status, stdout } = spawnSync(process.execPath, [main], { encoding: "utf8" })
    assert.strictEqual(status, 0)
    assert.include(stdout, "REFUSED (context_violation): bold decided it with working.risk_threshold")
    assert.include(stdout, "bold had bought already, so the broker was asked and nothing was sent")
    assert.include(stdout, 'careful: {"cash_balance":"-47500.00","position_size":1200}; orders at the broker: 2')
    assert.include(stdout, "silent with contracts: 0; without: 30")
  })
})
