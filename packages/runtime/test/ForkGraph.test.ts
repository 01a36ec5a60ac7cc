import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as History from "../src/history/History.ts"
import * as ForkGraph from "../src/versioning/ForkGraph.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const forked = Effect.gen(function* () {
  const { process } = yield* journey.travelled()
  yield* lab.as(process)(Forking.fork({ parent: lab.trip, at: 7, child: journey.other }))
  return process
})

describe("ForkGraph", () => {
  it.effect("shows a run and its fork once each, newest first, with the transition of each tick", () =>
    Effect.gen(function* () {
      const process = yield* forked
      yield* lab.as(process)(
        Effect.gen(function* () {
          const { lines, omitted } = yield* ForkGraph.read(lab.trip.tenant, { run: journey.other, limit: 1000 })
          const history = yield* History.History
          const { head } = yield* history.info(lab.trip)
          assert.strictEqual(omitted, 0)
          assert.strictEqual(lines.filter(({ step }) => step !== undefined).length, head.tick + 1)
          const own = lines.findIndex(({ run, step }) => run === "other" && step !== undefined)
          assert.deepStrictEqual(
            lines.slice(own, own + 3).map(({ lanes, run, step }) => [lanes, run, step?.transition.tick]),
            [
              ["| *", "other", 8],
              ["|/", "other", undefined],
              ["*", "trip", 7]
            ]
          )
          assert.isTrue(lines[0]!.isHead)
          assert.strictEqual(lines[0]!.step?.transition.body.type, "goal.complete")
        })
      )
    })
  )

  it.effect("shows at most as many ticks as asked for, and counts the others", () =>
    Effect.gen(function* () {
      const process = yield* forked
      const { lines, omitted } = yield* lab.as(process)(ForkGraph.read(lab.trip.tenant, { limit: 3 }))
      assert.strictEqual(lines.length, 3)
      assert.isAbove(omitted, 3)
    })
  )

  it.effect("refuses a run that is not there", () =>
    Effect.gen(function* () {
      const process = yield* forked
      const error = yield* lab.as(process)(
        Effect.flip(ForkGraph.read(lab.trip.tenant, { run: { ...lab.trip, id: "nobody" as never }, limit: 3 }))
      )
      assert.strictEqual(error._tag, "RunUnknown")
    })
  )
})
