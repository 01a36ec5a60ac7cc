import * as Goal from "@backstitch/kernel/Goal"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Revising from "../src/run/Revising.ts"
import * as FollowUp from "../src/versioning/FollowUp.ts"
import * as lab from "./lab.ts"
import { book, Desk, hire, opened, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

describe("FollowUp", () => {
  it.effect("begins another run for a goal that was reached: the first undoes its acts, the next goes on", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      const changes = [
        { change: "set", clause: "city", value: "Basel" },
        { change: "withdraw", clause: "budget" }
      ] as const
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* proposes(handle, hire("Casino"), book("Trio"), { type: "goal.complete" })
            yield* Revising.inject(handle, { changes })
            assert.strictEqual((yield* Revising.absorb(handle))?.outcome._tag, "Done")
            const { state } = yield* handle.position
            assert.deepStrictEqual([Goal.isRevisedSince(state), Goal.isReached(state)], [true, false])
            const { standing, unfinished } = yield* Report.of(lab.trip)
            assert.notStrictEqual(standing, "success")
            assert.match(unfinished ?? "", /was reached, and revised at tick \d+/)
            yield* FollowUp.begin(lab.trip, yield* FollowUp.name(lab.trip), "ada")
          })
        )
      )
      assert.deepStrictEqual(desk.effects.slice(2), ["cancel Casino"])
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const coordinator = yield* Coordinator.Coordinator
            const next = yield* coordinator.reopen(Run.make("trip-2"))
            const { state } = yield* next.position
            const { clauses, completedAt, pending, withdrawn } = Goal.of(state)
            assert.deepStrictEqual(
              [clauses["city"], withdrawn, pending, completedAt],
              ["Basel", ["budget"], undefined, undefined]
            )
            assert.deepStrictEqual([state.world["spent"], clauses["budget"]], [0, 500])
            // The band of the first run stands, and is not booked twice.
            yield* proposes(next, book("Trio"), hire("Messe", "Basel"))
          })
        )
      )
      assert.deepStrictEqual(desk.effects.slice(3), ["hire Messe"])
      const injected = (yield* lab.as(process)(lab.transitions(Run.make("trip-2")))).find(
        ({ body }) => body.type === "revision.injected"
      )
      assert.deepInclude(injected?.body.data, { by: "ada", followUp: "trip" })
      assert.strictEqual((yield* lab.as(process)(FollowUp.name(lab.trip))).id, "trip-2")
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Genf" }] })
            yield* Revising.absorb(handle)
          })
        )
      )
      assert.strictEqual((yield* lab.as(process)(FollowUp.name(lab.trip))).id, "trip-3")
    })
  )

  it.effect("is begun once, under the revised clauses, wherever it is killed meanwhile (L14)", () =>
    Effect.gen(function* () {
      let isWhole = false
      for (let place = 1; !isWhole; place++) {
        const process = processOf(yield* lab.shared, new Desk())
        const begin = Effect.flatMap(FollowUp.name(lab.trip), (run) => FollowUp.begin(lab.trip, run))
        yield* lab.elapsing(
          lab.as(process)(
            Effect.gen(function* () {
              const handle = yield* opened()
              yield* proposes(handle, hire("Casino"), { type: "goal.complete" })
              yield* Revising.inject(handle, { changes: [{ change: "set", clause: "city", value: "Basel" }] })
              yield* Revising.absorb(handle)
            })
          )
        )
        let isKilled = false
        const dying = lab.atPlace(place, () => {
          isKilled = true
          return Effect.die("killed")
        })
        yield* lab.elapsing(Effect.exit(lab.as(process)(dying(begin))))
        const goal = yield* lab.elapsing(
          lab.as(process)(
            Effect.map(
              Effect.flatMap(begin, ({ position }) => position),
              ({ state }) => Goal.of(state)
            )
          )
        )
        assert.deepStrictEqual([goal.clauses["city"], goal.pending], ["Basel", undefined], `place ${place}`)
        const trace = yield* lab.as(process)(lab.transitions(Run.make("trip-2")))
        assert.deepStrictEqual(lab.types(trace), ["run.started", "revision.injected", "revision.absorbed"])
        isWhole = !isKilled
        assert.isBelow(place, 40)
      }
    })
  )
})
