import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as RunList from "../src/projections/RunList.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

describe("RunList", () => {
  it.effect("lists runs with their goals and where forks left", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          yield* TestClock.adjust("1 second")
          yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
          const listed = yield* RunList.runs(lab.trip.tenant)
          assert.deepStrictEqual(
            listed.map(({ goal, last, parent, run }) => [run, goal, last, parent]),
            [
              ["other", "See the lakes", "run.fork", { run: "trip", tick: 8 }],
              ["trip", "See the lakes", "goal.complete", null]
            ]
          )
          const [fork, trip] = listed
          const since = Date.parse(fork!.ended)
          assert.strictEqual(trip?.ended, "")
          const names = (found: ReadonlyArray<RunList.Listed>) => found.map(({ run }) => run)
          assert.deepStrictEqual(names(yield* RunList.runs(lab.trip.tenant, { since })), ["other"])
          // The limit counts the runs that are selected.
          assert.deepStrictEqual(names(yield* RunList.runs(lab.trip.tenant, { limit: 1, since })), ["other"])
          assert.deepStrictEqual(names(yield* RunList.runs(lab.trip.tenant, { limit: 1 })), ["other"])
          assert.deepStrictEqual(names(yield* RunList.runs(lab.trip.tenant, { since: since + 1 })), [])
        })
      )
    })
  )
})
