import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as State from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Seeding from "../src/versioning/Seeding.ts"
import * as lab from "./lab.ts"

const left = Run.make("left")
const right = Run.make("right")
const merged = Run.make("merged")

const branches = Effect.gen(function* () {
  const store = yield* lab.shared
  const world = new lab.World()
  const within = lab.as(lab.process(store, { world }))
  yield* within(
    Effect.gen(function* () {
      const one = yield* lab.open(left)
      yield* one.propose(lab.book("LX1"))
      yield* one.propose(lab.note("by plane"))
      const other = yield* lab.open(right)
      yield* other.propose(lab.book("LX2", 50))
      yield* other.propose(lab.note("by train"))
    })
  )
  return { within, world }
})

const seed = (request: Partial<Seeding.SeedRequest> = {}) =>
  Effect.flatMap(
    Seeding.prepare({
      run: merged,
      from: [
        { run: left, tick: 6, field: "world.bookings" },
        { run: right, tick: 6, field: "world.bookings" },
        { run: right, tick: 7, field: "working.notes" },
        { run: left, tick: 7 }
      ],
      ...request
    }),
    Seeding.begin
  )

describe("Seeding", () => {
  it.effect("begins a run with fields of both branches, pins where they come from, and carries an intent over", () =>
    Effect.gen(function* () {
      const { within, world } = yield* branches
      const effects = [...world.effects]
      yield* within(
        Effect.gen(function* () {
          const history = yield* History.History
          const { imports } = yield* seed()
          assert.deepStrictEqual(
            imports.map(({ tick }) => tick),
            [2]
          )
          const transitions = yield* lab.transitions(merged)
          assert.deepStrictEqual(lab.types(transitions), ["run.started", "run.cherrypick", "observation.add"])
          const seeds = transitions[0]?.body.data?.["seeds"] as ReadonlyArray<{
            run: string
            link: string
            tick: number
          }>
          assert.deepStrictEqual(
            seeds.map(({ run, tick }) => [run, tick]),
            [
              ["left", 6],
              ["right", 6],
              ["right", 7]
            ]
          )
          assert.strictEqual(seeds[0]?.link, (yield* history.at(left, 6)).head.link)
          const { state } = yield* history.at(merged, 3)
          assert.deepStrictEqual(State.sectionToJson(state.world), {
            bookings: { "book LX1": { price: 80 }, "book LX2": { price: 50 } },
            spent: 0,
            told: []
          })
          assert.deepStrictEqual(State.sectionToJson(state.working), { notes: ["by train", "by plane"] })
          assert.isTrue((yield* RunVerification.verify(merged)).consistent)
          assert.deepStrictEqual((yield* DecisionReplay.redecide(merged, { secret: "secret" })).differs, [])
        })
      )
      // It is no history of theirs: nothing was done for it, and it has one beginning.
      assert.deepStrictEqual([...world.effects], effects)
    })
  )

  it.effect("recognises by the key the acts of a branch, although it has only the branch's beliefs (L6)", () =>
    Effect.gen(function* () {
      const { within, world } = yield* branches
      yield* within(
        Effect.gen(function* () {
          yield* seed()
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.reopen(merged)
          const outcome = yield* handle.propose(lab.book("LX1"))
          assert.deepInclude(outcome, { _tag: "Done", basis: "recorded" })
          assert.deepStrictEqual(world.doubled, [])
        })
      )
    })
  )

  it.effect("refuses branches that differ, several contracts without a choice, and a name that is taken", () =>
    Effect.gen(function* () {
      const { within } = yield* branches
      const other = Result.getOrThrow(TaskPack.make({ ...(lab.pack.definition as object), version: "2.0.0" }))
      yield* within(
        Effect.gen(function* () {
          const history = yield* History.History
          const spent = [left, right].map((run) => ({ run, tick: 6, field: "world.spent" }))
          assert.strictEqual((yield* Effect.flip(seed({ from: spent })))._tag, "SeedConflict")
          assert.strictEqual((yield* Effect.flip(seed({ run: left })))._tag, "RunExists")
          assert.strictEqual((yield* Effect.flip(seed({ from: [{ run: left, tick: 0 }] })))._tag, "TickOutOfRange")
          const coordinator = yield* Coordinator.Coordinator
          const third = Run.make("third")
          yield* coordinator.begin(third, { pack: other, goal: "goal" })
          const mixed = [
            { run: left, tick: 6, field: "world.bookings" },
            { run: third, tick: 1, field: "world.told" }
          ]
          const error = yield* Effect.flip(seed({ from: mixed }))
          assert.include(error.message, "acme.trips@1.0.0")
          assert.include(error.message, "Name the pack of the new run")
          yield* seed({ from: mixed, pack: other, goal: "both" })
          assert.strictEqual((yield* history.transitions(merged))[0]?.body.goal, "both")
        })
      )
    })
  )
})
