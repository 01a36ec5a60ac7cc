/** The story of an order that must not travel, and the fifty imports. */

import * as State from "@backstitch/reducer/State"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as History from "@backstitch/runtime/History"
import * as Run from "@backstitch/trace/Run"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import * as Commitment from "./Commitment.ts"
import * as Desk from "./Desk.ts"

const tell = (text = "") => console.log(text)

const booksOf = (name: string) =>
  Effect.gen(function* () {
    const history = yield* History.History
    const run = Run.make(name)
    const { head } = yield* history.info(run)
    return JSON.stringify(State.sectionToJson((yield* history.at(run, head.tick)).state.world))
  })

const carry = Effect.fnUntraced(function* (from: string, onto: string) {
  const picked = yield* CherryPicking.pick({ from: Run.make(from), tick: 3, onto: Run.make(onto) })
  const { adopted, outcome, tick, verdict } = picked
  tell(`cherry-pick ${from}@3 onto ${onto}`)
  for (const { match, path, problem, source, target } of verdict.fields) {
    const sides = `${JSON.stringify(source)} there, ${JSON.stringify(target)} here`
    tell(`  ${problem === undefined ? "ok" : "no"}  ${path}: ${sides}${match ? " (has to match)" : ""}`)
  }
  for (const warning of verdict.warnings) tell(`  warning: ${Wording.tell(warning)}`)
  for (const { code, remedy, text } of verdict.reasons) {
    tell(`  REFUSED (${code}): ${text}`)
    tell(`  next: ${remedy}`)
  }
  if (outcome?._tag === "Done") {
    tell(
      adopted === undefined
        ? `  imported at tick ${tick}, and the broker bought`
        : `  imported at tick ${tick}: ${adopted.run} had bought already, so the broker was asked and nothing was sent`
    )
  }
})

const profile = (name: keyof typeof Desk.thresholds) =>
  Desk.observed({ risk_threshold: Desk.thresholds[name], risk_limit: 0.85, volatility: 0.2 })

const story = Effect.fnUntraced(function* (broker: Desk.Broker, pack = Desk.pack) {
  const bold = yield* Desk.open({ name: "bold", cash: 100_000, shares: 5000, goal: "grow", pack })
  yield* bold.propose(profile("MAX"))
  yield* bold.propose(Desk.order("o-1", { shares: 1000, cost: 48_000 }))
  const careful = yield* Desk.open({ name: "careful", cash: 500, shares: 200, pack })
  yield* careful.propose(profile("MIN"))
  yield* carry("bold", "careful")
  tell(`  careful: ${yield* booksOf("careful")}; orders at the broker: ${broker.orders.size}`)
  tell()
  return yield* Desk.open({ name: "twin", cash: 90_000, shares: 10, goal: "grow", pack })
})

const during = <A, E>(broker: Desk.Broker, effect: Effect.Effect<A, E, Effect.Services<ReturnType<typeof story>>>) =>
  effect.pipe(Effect.scoped, Effect.provide(Desk.layer(broker), { local: true }))

const main = Effect.gen(function* () {
  tell("Under the contract")
  const broker = new Desk.Broker()
  yield* during(
    broker,
    Effect.gen(function* () {
      const twin = yield* story(broker)
      yield* twin.propose(profile("MAX"))
      yield* carry("bold", "twin")
      tell(`  twin: ${yield* booksOf("twin")}; orders at the broker: ${broker.orders.size}`)
      tell()
    })
  )
  tell("The same with a contract that says nothing of context")
  const other = new Desk.Broker()
  yield* during(other, story(other, Desk.packWithoutContext))
  const seed = 48
  const withContracts = yield* Commitment.run({ seed, cases: 50, contracts: true })
  const without = yield* Commitment.run({ seed, cases: 50, contracts: false })
  tell(`Fifty imports, seed ${seed}`)
  tell(Commitment.table(withContracts, without))
  const silent = withContracts.filter(Commitment.isSilent).length
  tell()
  tell(`silent with contracts: ${silent}; without: ${without.filter(Commitment.isSilent).length}`)
  if (silent > 0) process.exitCode = 1
})

await Effect.runPromise(main)
