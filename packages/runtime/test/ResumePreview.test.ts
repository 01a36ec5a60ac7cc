import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as ResumePreview from "../src/reporting/ResumePreview.ts"
import * as lab from "./lab.ts"

describe("ResumePreview", () => {
  it.effect("plans the actions that a crash left open, and nothing once they are settled (L14)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const process = lab.process(store, { world, steps: lab.script, snapshotEvery: 3 })
      const dying = Effect.provideService(lab.work, FaultPoint.FaultPoint, (place) =>
        place === "effect/answered" && world.effects.size > 0 ? Effect.die("killed") : Effect.void
      )
      yield* Effect.exit(lab.as(process)(dying))
      const before = yield* lab.as(process)(ResumePreview.plan(lab.trip))
      assert.isAbove(before.snapshot, 2)
      assert.isFalse(before.restart)
      assert.deepStrictEqual(before.budget, [])
      assert.deepStrictEqual(
        before.steps.map(({ phase, property, recovery, tool }) => [tool, phase, property, recovery]),
        [["book", "in_flight", "asked", "ask_then_resume"]]
      )
      yield* lab.as(process)(lab.elapsing(lab.work))
      const after = yield* lab.as(process)(
        Effect.all([ResumePreview.plan(lab.trip), Receipt.make(lab.trip, undefined)])
      )
      assert.deepStrictEqual(after[0].steps, [])
      assert.strictEqual(after[1].status, "done")
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("says why an action is held, once its key is forgotten", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const process = lab.process(store, { world, steps: lab.script.filter(({ id }) => id === "tell") })
      const dying = Effect.provideService(lab.work, FaultPoint.FaultPoint, (place) =>
        place === "effect/answered" && world.effects.size > 0 ? Effect.die("killed") : Effect.void
      )
      yield* Effect.exit(lab.as(process)(dying))
      const planned = Effect.map(lab.as(process)(ResumePreview.plan(lab.trip)), ({ steps }) =>
        steps.map(({ because, recovery }) => [recovery, because])
      )
      assert.deepStrictEqual(yield* planned, [
        ["resume_with_key", "its key is honoured: sent again, it is the same act"]
      ])
      yield* TestClock.adjust("1 hour")
      const [[recovery, because] = []] = yield* planned
      assert.strictEqual(recovery, "hold")
      assert.match(because ?? "", /^the outcome of tell is unknown: .*key/)
    })
  )
})
