/** Runs that were left in the midst of something, kept for ever or left now: this version goes on with each. */

import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as History from "../src/history/History.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as SecretFingerprint from "../src/sealing/SecretFingerprint.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"
import { Desk } from "./rows.ts"
import * as unfinished from "./unfinished.ts"

const secret = "secret"

/** Takes a run that was left into another store, goes on with it in the world as it is by then, to its end. */
const goOn = (left: unfinished.Unfinished, exported: Export.Export) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Transition.open(exported.transitions.at(-1)!).envelope.ts)
    const executor = ToolExecutor.fromTools(left.met(new Desk()))
    yield* lab.as(lab.process(yield* lab.shared, { executor }))(
      Effect.gen(function* () {
        yield* RunExport.importRun(exported)
        yield* SecretFingerprint.accept(secret, exported.run.tenant)
        const coordinator = yield* Coordinator.Coordinator
        const history = yield* History.History
        const before = yield* history.at(exported.run, exported.head.tick)
        const states = Object.values(OpenActions.of(before.state)).map((open) => open?.state)
        assert.deepStrictEqual(states, [...left.open])
        const handle = yield* coordinator.reopen(exported.run)
        yield* lab.elapsing(
          Effect.gen(function* () {
            yield* handle.resume
            yield* left.on?.(handle) ?? Effect.void
            yield* handle.resume
            yield* handle.complete
          })
        )
        const { divergences, misfit, state } = yield* StrictReplay.of(exported.run)
        const { differs } = yield* DecisionReplay.redecide(exported.run, { secret })
        assert.deepStrictEqual([divergences, misfit, differs], [[], undefined, []])
        const report = yield* Report.of(exported.run)
        assert.deepStrictEqual(
          [report.actions.find(({ tool }) => tool === "act")?.standing, Object.keys(OpenActions.of(state))],
          [left.ends, []]
        )
        assert.deepStrictEqual([UndoPlan.open(state), Obligations.all(state)], [undefined, []])
      })
    )
  })

describe("a run that was left", () => {
  for (const left of unfinished.all) {
    const name = left.name.replaceAll("-", " ")
    it.effect(`${name} is gone on with to its end (L14, decision 0015)`, () =>
      goOn(left, goldens.read(`${left.name}/trip.jsonl`))
    )

    it.effect(`${name} by this version is gone on with to its end (L14)`, () =>
      Effect.flatMap(unfinished.leave(left), (exported) => goOn(left, exported))
    )
  }
})
