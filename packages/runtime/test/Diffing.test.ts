import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Diffing from "../src/versioning/Diffing.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

/** The journey, and a fork of it in which something else was noted. */
const parted = Effect.gen(function* () {
  const { process } = yield* journey.travelled()
  yield* lab.as(process)(
    Effect.gen(function* () {
      yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
      const coordinator = yield* Coordinator.Coordinator
      const handle = yield* coordinator.reopen(journey.other)
      yield* handle.propose({ type: "observation.add", data: { text: "rain", mood: 3 } })
    })
  )
  return process
})

describe("Diffing", () => {
  it.effect("finds nothing between a run and itself", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const diff = yield* lab.as(process)(Diffing.diff(lab.trip, lab.trip))
      assert.deepStrictEqual(diff.differences, [])
      assert.strictEqual(diff.shared, diff.left.length)
    })
  )

  it.effect("finds nothing between two runs with the same acts, whoever ran them", () =>
    Effect.gen(function* () {
      const { store } = yield* journey.travelled()
      // Another world and another key scope: only what was done is compared.
      const again = lab.process(store, { steps: journey.steps.slice(0, 1) })
      yield* lab.as(again)(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          yield* Agent.run(yield* coordinator.open(journey.other, journey.opening))
          const diff = yield* Diffing.diff(lab.trip, journey.other, { to: 2 })
          assert.deepStrictEqual(diff.differences, [])
          assert.strictEqual(diff.shared, 2)
        })
      )
    })
  )

  it.effect("asks for no transition that both runs share", () =>
    Effect.gen(function* () {
      const process = yield* parted
      yield* lab.as(process)(
        Effect.gen(function* () {
          const history = yield* History.History
          const asked: Array<number> = []
          const counting = History.History.of({
            ...history,
            transitions: (run, range) => {
              asked.push(range?.from ?? 1)
              return history.transitions(run, range)
            }
          })
          yield* Effect.provideService(Diffing.diff(lab.trip, journey.other), History.History, counting)
          assert.isAbove(asked.length, 1)
          assert.isTrue(
            asked.every((from) => from === 9),
            String(asked)
          )
        })
      )
    })
  )

  it.effect("reads only the transitions after the place where two runs parted", () =>
    Effect.gen(function* () {
      const process = yield* parted
      const diff = yield* lab.as(process)(Diffing.diff(lab.trip, journey.other))
      assert.strictEqual(diff.shared, 8)
      assert.isTrue(
        diff.differences.every(
          (difference) =>
            difference.kind === "outcome" || (difference.left?.tick ?? 9) > 8 || (difference.right?.tick ?? 9) > 8
        )
      )
      assert.strictEqual(diff.counts.outcome, 1)
    })
  )

  it.effect("keeps the kinds and the ticks that were asked for", () =>
    Effect.gen(function* () {
      const process = yield* parted
      const only = yield* lab.as(process)(Diffing.diff(lab.trip, journey.other, { kinds: ["outcome"] }))
      assert.deepStrictEqual(
        only.differences.map(({ kind }) => kind),
        ["outcome"]
      )
      const before = yield* lab.as(process)(Diffing.diff(lab.trip, journey.other, { to: 8 }))
      assert.deepStrictEqual(before.differences, [])
    })
  )

  it.effect("refuses ticks in which nothing can be compared, and says how many differences a filter left out", () =>
    Effect.gen(function* () {
      const process = yield* parted
      const ask = (options: Diffing.Options) => lab.as(process)(Diffing.diff(lab.trip, journey.other, options))
      for (const [from, to] of [
        [9, 8],
        [-3, 9],
        [0, 9],
        [100, 200],
        [1, 100]
      ] as const) {
        const refused = yield* Effect.flip(ask({ from, to }))
        assert.strictEqual(refused._tag, "RangeInvalid")
      }
      const all = yield* ask({})
      const some = yield* ask({ kinds: ["confidence"] })
      assert.deepStrictEqual([some.differences.length + some.omitted, all.omitted], [all.differences.length, 0])
      assert.isAbove(some.omitted, 0)
    })
  )

  it.effect("takes either run to end if it is told, and compares a run with itself at another tick", () =>
    Effect.gen(function* () {
      const process = yield* parted
      const self = yield* lab.as(process)(Diffing.diff(lab.trip, lab.trip, { ends: { left: 6, right: 8 } }))
      assert.deepStrictEqual([self.shared, self.left.length, self.right.length], [6, 6, 8])
      assert.isNotEmpty(self.differences)
      const shared = yield* lab.as(process)(Diffing.diff(lab.trip, journey.other, { ends: { left: 8, right: 8 } }))
      assert.deepStrictEqual(shared.differences, [])
    })
  )
})
