import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Agent from "../src/agent/Agent.ts"
import * as LiveRun from "../src/LiveRun.ts"
import * as AlarmHold from "../src/run/AlarmHold.ts"
import * as lab from "./lab.ts"
import { declared, opened, processOf, recorded, run } from "./searching.ts"

describe("AlarmHold", () => {
  it.effect("holds a run at an alarm, also after a crash, until a person has written to it (T11)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const acts = (turns: number) => lab.as(processOf(store, turns))
      const hold = { ...declared, on_alarm: "hold" }
      const outcome = yield* acts(30)(Effect.scoped(Effect.flatMap(opened(hold), (handle) => Agent.run(handle))))
      assert.deepInclude(outcome, { _tag: "Held", action: "topology.runaway" })
      const [alarm] = yield* acts(0)(recorded)
      const again = yield* acts(30)(LiveRun.resume(run))
      assert.strictEqual(again.receipt.status, "held")
      assert.match(again.receipt.why ?? "", /topology\.runaway holds since tick \d+, and no person has written/)
      assert.deepInclude(again.receipt.next[1], { past: "topology.runaway", verb: "resume" })
      assert.strictEqual(again.committed.length, 0)
      const other = { alarm: "topology.oscillation", by: "Ada", reason: "it is new" }
      const wrong = yield* Effect.flip(acts(30)(LiveRun.resume(run, { past: other })))
      assert.match(wrong.message, /not held at topology\.oscillation\. The alarm that holds it is topology\.runaway/)
      const past = { ...other, alarm: "topology.runaway" }
      const on = yield* acts(3)(LiveRun.resume(run, { past }))
      assert.notStrictEqual(on.receipt.status, "held")
      assert.isAbove(on.committed.length, 3)
      assert.deepStrictEqual((yield* acts(0)(recorded)).slice(0, 1), [alarm!])
      const worked = yield* acts(1)(LiveRun.work(run))
      assert.deepInclude(worked.alarms[0], { predicate: "topology.runaway", tick: alarm!.at })
      const gone = yield* Effect.flip(acts(1)(LiveRun.resume(run, { past })))
      assert.instanceOf(gone, AlarmHold.AlarmNotStanding)
    })
  )
})
