import * as Goal from "@backstitch/kernel/Goal"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Report from "../src/reporting/Report.ts"
import * as FollowUp from "../src/revisions/FollowUp.ts"
import * as Revising from "../src/revisions/Revising.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"
import { book, Desk, hire, opened, opening, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

const toBasel = { changes: [{ change: "set", clause: "city", value: "Basel" }] } as const

/** A store with a run that has reached its goal, and has absorbed a revision since. */
const reached = Effect.gen(function* () {
  const store = yield* lab.shared
  const revised = Effect.gen(function* () {
    const handle = yield* opened()
    yield* proposes(handle, hire("Casino"), { type: "goal.complete" })
    yield* Revising.inject(handle, toBasel)
    yield* Revising.absorb(handle)
  })
  yield* lab.elapsing(lab.as(processOf(store, new Desk()))(revised))
  return store
})

const follows = Effect.map(FollowUp.begin(lab.trip), ({ run }) => run.id)

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
            assert.isUndefined(yield* FollowUp.successor(lab.trip))
            yield* FollowUp.begin(lab.trip, "ada")
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
      assert.strictEqual((yield* lab.as(process)(FollowUp.successor(lab.trip)))?.id, "trip-2")
    })
  )

  it.effect("is begun once, under the revised clauses, wherever it is killed meanwhile (L14)", () =>
    Effect.gen(function* () {
      let isWhole = false
      for (let place = 1; !isWhole; place++) {
        const process = processOf(yield* lab.shared, new Desk())
        const begin = FollowUp.begin(lab.trip)
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
        const left = yield* lab.as(process)(Effect.result(lab.transitions(Run.make("trip-2"))))
        const types = left._tag === "Success" ? lab.types(left.success) : []
        assert.notDeepEqual(types, ["run.started"], `no run begins without its revision, at place ${place}`)
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

  it.effect("does an act again that the finished run has undone, and so does the run that follows that (L6)", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      const moved = (handle: RunHandle.RunHandle, city: string) =>
        Effect.gen(function* () {
          const changes = [{ change: "set", clause: "city", value: city }] as const
          const { next } = yield* FollowUp.revise(handle, { changes })
          const coordinator = yield* Coordinator.Coordinator
          return yield* coordinator.reopen(next ?? handle.run)
        })
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const first = yield* opened()
            yield* proposes(first, hire("Casino"), { type: "goal.complete" })
            const second = yield* moved(first, "Basel")
            yield* proposes(second, hire("Messe", "Basel"), { type: "goal.complete" })
            const third = yield* moved(second, "Bern")
            yield* proposes(third, hire("Casino"), { type: "goal.complete" })
            const fourth = yield* moved(third, "Basel")
            yield* proposes(fourth, hire("Messe", "Basel"))
            assert.deepStrictEqual(
              Goal.of((yield* fourth.position).state).follows?.map(({ run }) => run),
              ["trip-3", "trip-2", "trip"]
            )
          })
        )
      )
      assert.deepStrictEqual(desk.effects, [
        "hire Casino",
        "cancel Casino",
        "hire Messe",
        "cancel Messe",
        "hire Casino",
        "cancel Casino",
        "hire Messe"
      ])
    })
  )

  it.effect("names the acts of the finished run that a revision of it no longer fits", () =>
    Effect.gen(function* () {
      const process = processOf(yield* lab.shared, new Desk())
      const next = yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* proposes(handle, hire("Casino"), book("Trio"), { type: "goal.complete" })
            return (yield* FollowUp.revise(handle, toBasel)).next!
          })
        )
      )
      const found = yield* lab.as(process)(Revising.stored(next, [{ change: "withdraw", clause: "music" }]))
      assert(found._tag === "Planned")
      assert.deepStrictEqual(found.planned.absorption.discarded, [])
      assert.deepStrictEqual(
        found.elsewhere.map(({ clauses, run, tool }) => [run, tool, ...clauses]),
        [["trip", "book", "music"]]
      )
      // What the finished run has undone is not there any more.
      const moved = yield* lab.as(process)(Revising.stored(next, [{ change: "set", clause: "city", value: "Genf" }]))
      assert.deepStrictEqual(moved._tag === "Planned" && moved.elsewhere, [])
    })
  )

  it.effect("is named by the receipt of the finished run", () =>
    Effect.gen(function* () {
      const process = processOf(yield* reached, new Desk())
      const told = Receipt.make(lab.trip, undefined)
      const due = yield* lab.as(process)(told)
      assert.strictEqual(due.status, "stopped")
      assert.match(due.why ?? "", /was reached, and revised at tick/)
      assert.deepStrictEqual(due.next, [{ run: "trip", verb: "absorb" }])
      yield* lab.elapsing(lab.as(process)(follows))
      assert.deepStrictEqual((yield* lab.as(process)(told)).next, [{ run: "trip-2", verb: "resume" }])
    })
  )

  it.effect("is the only one, and the one to be revised from then on", () =>
    Effect.gen(function* () {
      const desk = new Desk()
      const process = processOf(yield* lab.shared, desk)
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* proposes(handle, hire("Casino"), book("Trio"), { type: "goal.complete" })
            assert.strictEqual((yield* FollowUp.revise(handle, toBasel)).next?.id, "trip-2")
            const withdrawn = { changes: [{ change: "withdraw", clause: "music" }] } as const
            const refused = yield* Effect.flip(FollowUp.revise(handle, withdrawn))
            assert.match(refused.message, /run trip-2 follows it. Revise run trip-2/)
            assert.strictEqual((yield* FollowUp.revise(handle, undefined)).next?.id, "trip-2")
          })
        )
      )
      assert.deepStrictEqual(desk.effects, ["hire Casino", "book Trio", "cancel Casino"])
      assert.isUndefined(yield* lab.as(process)(FollowUp.successor(Run.make("trip-2"))))
    })
  )

  it.effect("is one run where two processes begin it at once", () =>
    Effect.gen(function* () {
      let isReached = true
      for (let place = 1; isReached; place++) {
        const store = yield* reached
        isReached = false
        const other = Effect.suspend(() => {
          isReached = true
          return Effect.asVoid(lab.as(processOf(store, new Desk()))(follows))
        })
        const process = processOf(store, new Desk())
        const begun = yield* lab.elapsing(lab.as(process)(lab.atPlace(place, () => Effect.orDie(other))(follows)))
        assert.strictEqual(begun, "trip-2", `place ${place}`)
        const trace = yield* lab.as(process)(lab.transitions(Run.make("trip-2")))
        assert.deepStrictEqual(lab.types(trace), ["run.started", "revision.injected", "revision.absorbed"])
        assert.isBelow(place, 40)
      }
    })
  )

  it.effect("changes no other run that takes its name while it begins", () =>
    Effect.gen(function* () {
      const store = yield* reached
      const taking = Effect.asVoid(
        Effect.flatMap(Coordinator.Coordinator, (each) => each.open(Run.make("trip-2"), opening()))
      )
      const [process, other] = [processOf(store, new Desk()), processOf(store, new Desk())]
      const meanwhile = lab.atPlace(1, () => Effect.orDie(lab.as(other)(taking)))
      assert.strictEqual(yield* lab.elapsing(lab.as(process)(meanwhile(follows))), "trip-3")
      const trace = yield* lab.as(process)(lab.transitions(Run.make("trip-2")))
      assert.deepStrictEqual(lab.types(trace), ["run.started", "intent.refused"])
    })
  )
})
