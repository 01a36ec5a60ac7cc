import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as BudgetCheck from "@backstitch/kernel/BudgetCheck"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Diffing from "../src/versioning/Diffing.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const forked = (request: Partial<Forking.ForkRequest> = {}) =>
  Forking.fork({ parent: lab.trip, at: 8, child: journey.other, ...request })

describe("Forking", () => {
  it.effect("shares history up to a tick, with the state that the parent had there (L2)", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const fork = yield* forked({ reason: "to look again" })
          assert.strictEqual(fork.head.tick, 9)
          assert.isAbove(fork.compared, 3)
          const history = yield* History.History
          const [own, parent] = [yield* history.at(fork.run, 9), yield* history.at(lab.trip, 8)]
          assert.strictEqual(State.sectionDigest(own.state.world), State.sectionDigest(parent.state.world))
          assert.strictEqual(State.sectionDigest(own.state.working), State.sectionDigest(parent.state.working))
          const [first] = yield* history.transitions(fork.run, { from: 9 })
          assert.strictEqual(first?.body.type, "run.fork")
          assert.strictEqual(first?.body.data?.["reason"], "to look again")
          assert.isTrue((yield* RunVerification.verify(fork.run)).consistent)
        })
      )
    })
  )

  it.effect("names a fork by itself when it is not named, and another after it otherwise", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          assert.strictEqual((yield* forked({ child: undefined })).run.id, "trip-fork-8")
          assert.strictEqual((yield* forked({ child: undefined })).run.id, "trip-fork-8-2")
        })
      )
    })
  )

  it.effect("goes on under a tool policy, which the parent does not have", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const { run } = yield* forked({ toolPolicy: ["book=deny"] })
          const coordinator = yield* Coordinator.Coordinator
          const outcome = yield* Agent.run(yield* coordinator.reopen(run))
          assert.strictEqual(outcome?._tag, "Refused")
          const diff = yield* Diffing.diff(lab.trip, run)
          assert.strictEqual(diff.shared, 8)
          assert.include(
            diff.differences.flatMap((difference) => ("right" in difference ? [difference.right?.type] : [])),
            "intent.refused"
          )
        })
      )
    })
  )

  it.effect("has a share of the parent's rest, which the parent then lacks (L13)", () =>
    Effect.gen(function* () {
      const limited = Result.getOrThrow(
        TaskPack.make({ ...(journey.pack.definition as object), version: "3.0.0", budgets: { steps: 20 } })
      )
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const parent = (yield* forked({ pack: limited })).run
          const history = yield* History.History
          const leftOf = Effect.fnUntraced(function* (run: Run.Run) {
            const { head } = yield* history.info(run)
            return BudgetCheck.usage(limited.budget, (yield* history.at(run, head.tick)).state).map(BudgetCheck.left)
          })
          const [before] = yield* leftOf(parent)
          const fork = (name: string, budget: ReadonlyArray<string> = []) =>
            Forking.fork({ parent, at: 9, child: Run.make(name), budget })
          // Together they have what one run had, however they meet.
          const forks = yield* Effect.all([fork("one", ["steps=2"]), fork("two", ["steps=3"]), fork("three")], {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(yield* leftOf(parent), [Number(before) - 5])
          assert.deepStrictEqual(yield* leftOf(forks[0].run), [2])
          assert.deepStrictEqual(yield* leftOf(forks[1].run), [3])
          assert.deepStrictEqual(forks[2].budget.taken, {})
          const refused = yield* Effect.flip(fork("four", ["steps=20"]))
          assert.match(refused.message, /budget steps=20.*of steps left/)
          for (const run of [parent, forks[0].run]) assert.isTrue((yield* RunVerification.verify(run)).consistent)
        })
      )
    })
  )

  it.effect("goes on under another pack from there on", () =>
    Effect.gen(function* () {
      const stricter = Result.getOrThrow(TaskPack.make({ ...(journey.pack.definition as object), version: "2.0.0" }))
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const { run } = yield* forked({ pack: stricter })
          const history = yield* History.History
          assert.strictEqual(PackInForce.of((yield* history.at(run, 9)).state).pack, stricter.digest)
          assert.strictEqual(PackInForce.of((yield* history.at(run, 8)).state).pack, journey.pack.digest)
        })
      )
    })
  )

  it.effect("refuses a tick that does not exist, a name that is taken, and a rule that cannot be followed", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          assert.include((yield* Effect.flip(forked({ at: 0 }))).message, "from 1 to")
          assert.include((yield* Effect.flip(forked({ at: 999 }))).message, "no tick 999")
          assert.strictEqual((yield* Effect.flip(forked({ child: lab.trip })))._tag, "ForkOfItself")
          assert.include((yield* Effect.flip(forked({ toolPolicy: ["bok=deny"] }))).message, "The tools are")
          assert.include((yield* Effect.flip(forked({ toolPolicy: ["book"] }))).message, "TOOL=deny")
          assert.strictEqual((yield* Effect.flip(forked({ policy: ["args.price >"] })))._tag, "ForkRuleInvalid")
          yield* forked()
          assert.strictEqual((yield* Effect.flip(forked()))._tag, "RunExists")
        })
      )
    })
  )
})
