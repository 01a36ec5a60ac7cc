import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { charge, pack, refund, Shop, ship } from "./shop.ts"
import { first, looks, proposing, second } from "./twins.ts"

const tagOf = ({ _tag }: { readonly _tag: string }) => _tag

const told = (action: string) => ({
  type: "message.sent",
  data: { content: "It is paid.", reports: [{ action, standing: "success" }] }
})

const standingOf = (run: typeof first) =>
  Effect.map(StrictReplay.of(run), ({ state }) => SettledActions.inOrder(state).map(([, { undo }]) => undo))

describe("an act that a planner takes back by itself", () => {
  it.effect("is told as reversed, in no message as done, and may be done again under another key (L8)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = lab.as(lab.process(yield* lab.shared, { executor: shop.executor }))
      const outcomes = yield* within(proposing(first, pack, charge, told("a2"), refund, told("a2")))
      assert.deepStrictEqual(outcomes.map(tagOf), ["Done", "Done", "Done", "Refused"])
      const { redecided, report, world } = yield* within(looks(first))
      assert.deepStrictEqual(
        report.actions.map(({ standing }) => standing),
        ["compensated", "success"]
      )
      assert.deepStrictEqual([report.standing, world["paid"], redecided.differs], ["compensated", 0, []])
      assert.deepStrictEqual(yield* within(standingOf(first)), ["undone", "standing"])
      // A failure that comes later takes nothing back once more.
      shop.refusals = 1
      yield* lab.elapsing(within(proposing(first, pack, ship)))
      assert.deepStrictEqual(shop.effects, ["charge A1", "refund charge A1"])
    })
  )

  it.effect("is refused to another run of the goal, with the facts (L6)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = lab.as(lab.process(yield* lab.shared, { executor: shop.executor }))
      yield* within(proposing(first, pack, charge, refund))
      const [refused] = yield* within(proposing(second, pack, charge))
      assert.strictEqual(refused?._tag, "Refused")
      const { all } = yield* within(looks(second))
      const checks = (all.at(-1)?.body.data?.["checks"] ?? []) as ReadonlyArray<JsonObject>
      assert.deepInclude(checks[0]?.["why"], { code: "act.reversed" })
      assert.deepStrictEqual((yield* within(looks(second))).report.actions, [])
    })
  )

  it.effect("is not taken back if another run relies on it, nor by the run that took it over (L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = lab.as(lab.process(yield* lab.shared, { executor: shop.executor }))
      yield* within(proposing(first, pack, charge))
      yield* within(proposing(second, pack, charge))
      for (const [run, other] of [
        [first, "second"],
        [second, "first"]
      ] as const) {
        const [refused] = yield* within(proposing(run, pack, refund))
        assert.strictEqual(refused?._tag, "Refused")
        const { all, redecided, report } = yield* within(looks(run))
        const checks = (all.at(-1)?.body.data?.["checks"] ?? []) as ReadonlyArray<JsonObject>
        assert.deepInclude(checks[0]?.["why"], { code: "act.relied" })
        assert.strictEqual(checks[0]?.["step"], "policy")
        assert.deepInclude(all.at(-1)?.body.data?.["holder"], { run: other })
        assert.deepStrictEqual([report.actions[0]?.standing, redecided.differs], ["success", []])
      }
      assert.deepStrictEqual(shop.effects, ["charge A1"])
    })
  )

  it.effect("is not taken back by a fork whose parent relies on the shared act (L10)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = lab.as(lab.process(yield* lab.shared, { executor: shop.executor }))
      yield* within(proposing(first, pack, charge))
      const { head } = yield* within(Effect.flatMap(History.History, (history) => history.info(first)))
      const fork = (parent: typeof first, child: string, at: number) =>
        within(Forking.fork({ parent, at, child: Run.make(child), behindUndone: true }))
      const { run } = yield* fork(first, "fork", head.tick)
      const { run: deeper } = yield* fork(run, "deeper", head.tick + 1)
      for (const each of [run, deeper]) {
        const part = { ...refund, params: { charge: "charge A1", percent: 50 } }
        const outcomes = yield* within(proposing(each, pack, refund, part))
        assert.deepStrictEqual(outcomes.map(tagOf), ["Refused", "Refused"])
        const { all, redecided, report } = yield* within(looks(each))
        const checks = (all.at(-1)?.body.data?.["checks"] ?? []) as ReadonlyArray<JsonObject>
        assert.deepInclude(checks[0]?.["why"], { code: "act.relied" })
        assert.strictEqual(checks[0]?.["step"], "policy")
        assert.deepInclude(all.at(-1)?.body.data?.["holder"], { action: "a2", run: "first" })
        assert.deepStrictEqual([report.actions[0]?.standing, redecided.differs], ["success", []])
      }
      assert.deepStrictEqual(shop.effects, ["charge A1"])
      // Its parent may, and tells it so.
      const outcomes = yield* within(proposing(first, pack, refund))
      assert.deepStrictEqual(outcomes.map(tagOf), ["Done"])
      const { report } = yield* within(looks(first))
      assert.strictEqual(report.actions[0]?.standing, "compensated")
    })
  )

  it.effect("stands if the tool refuses to take it back", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      shop.isFinal = true
      const within = lab.as(lab.process(yield* lab.shared, { executor: shop.executor }))
      const outcomes = yield* within(proposing(first, pack, charge, refund, told("a2")))
      assert.deepStrictEqual(outcomes.map(tagOf), ["Done", "Failed", "Done"])
      const { redecided, report } = yield* within(looks(first))
      assert.deepStrictEqual(
        [report.actions.map(({ standing }) => standing), redecided.differs],
        [["success", "failure"], []]
      )
      assert.deepStrictEqual(yield* within(standingOf(first)), ["standing"])
      const [done] = yield* within(proposing(second, pack, charge))
      assert.deepInclude(done, { _tag: "Done", basis: "readback" })
    })
  )

  it.effect("is told neither as done nor as reversed if a part of it may be left (L8)", () =>
    Effect.gen(function* () {
      const shop = new Shop()
      const within = lab.as(lab.process(yield* lab.shared, { executor: shop.executor }))
      const part = { ...refund, params: { charge: "charge A1", percent: 50 } }
      const outcomes = yield* within(proposing(first, pack, charge, told("a2"), part, told("a2")))
      assert.deepStrictEqual(outcomes.map(tagOf), ["Done", "Done", "Done", "Refused"])
      const { redecided, report } = yield* within(looks(first))
      assert.deepStrictEqual(
        [report.actions.map(({ standing }) => standing), redecided.differs],
        [["partial", "success"], []]
      )
      assert.include(report.residue.join(), "charge (a2)")
      // Another run is told so, and nothing sends it once more without a person's own word.
      const [refused] = yield* within(proposing(second, pack, charge))
      assert.strictEqual(refused?._tag, "Refused")
      const { all } = yield* within(looks(second))
      const checks = (all.at(-1)?.body.data?.["checks"] ?? []) as ReadonlyArray<JsonObject>
      assert.deepInclude(checks[0]?.["why"], { code: "act.doubtful" })
      const { next } = yield* within(Explanation.explain(second, all.length))
      assert.deepStrictEqual(next, [
        { run: "first", verb: "report", words: "let a person find out what is left of it" }
      ])
      const [again] = yield* within(proposing(first, pack, charge))
      assert.strictEqual(again?._tag, "Failed")
    })
  )
})
