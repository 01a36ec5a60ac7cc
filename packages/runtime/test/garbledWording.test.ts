import * as Finding from "@backstitch/kernel/Finding"
import * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import * as English from "@backstitch/wording/English"
import * as PseudoWords from "@backstitch/wording/PseudoWords"
import * as Wording from "@backstitch/wording/Wording"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import { recorded } from "./excursion.ts"
import * as goldens from "./goldens.ts"
import * as lab from "./lab.ts"

/** Puts babble for every sentence of ours, where the tables of them are, and answers what puts them back. */
const garble = (): (() => void) => {
  const put: Array<() => void> = []
  const set = (table: object, name: string, value: unknown) => {
    const before: unknown = Reflect.get(table, name)
    assert.isTrue(Reflect.set(table, name, value))
    put.push(() => Reflect.set(table, name, before))
  }
  const marks = PseudoWords.of(English.words)
  for (const [room, table] of Object.entries<object>({ ...marks })) {
    const leaves: object = Reflect.get(English.words, room)
    for (const [name, each] of Object.entries(table)) set(leaves, name, each)
  }
  return () => {
    for (const back of put) back()
  }
}

const garbled = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(garble),
    () => effect,
    (back) => Effect.sync(back)
  )

/**
 * Tells the bodies of runs, tick by tick, and their folded states. The duration of a call is in no body: the link of
 * another run, which covers that, too, is left out.
 */
const told = Effect.map(Effect.provide(recorded, TestClock.layer(), { local: true }), (traces) =>
  traces.map(([, text]) => {
    const { head, transitions } = Result.getOrThrow(Export.decode(text))
    const bodies = transitions.map(({ body }) => body.replaceAll(/"link":"[0-9a-f]{64}"/g, ""))
    const states = transitions.map((sealed) => Transition.open(sealed).stamp.state)
    return { bodies, states, story: head.story }
  })
)

describe("other words for every sentence of ours (decision 0027)", () => {
  it.effect("are the words of the fiber that uses them, and of no other", () =>
    Effect.gen(function* () {
      const finding = Finding.make("sending.exhausted", { attempts: 8 })
      const { what } = Wording.of(finding)
      const other = yield* garbled(Effect.sync(() => Wording.of(finding).what))
      assert.isTrue(PseudoWords.isMarked(other))
      assert.strictEqual(Wording.of(finding).what, what)
    })
  )

  it.effect("change no digest of runs in which every type is written", () =>
    Effect.gen(function* () {
      const plain = yield* told
      const other = yield* garbled(told)
      assert.deepStrictEqual(
        other.map(({ bodies }) => bodies),
        plain.map(({ bodies }) => bodies)
      )
      // The first two begin with no other run.
      assert.deepStrictEqual(other.slice(0, 2), plain.slice(0, 2))
    })
  )

  it.effect("change no answer of a decision that is made again", () =>
    Effect.gen(function* () {
      const again = Effect.forEach(goldens.names(), (name) =>
        Effect.gen(function* () {
          const exported = goldens.read(name)
          const process = lab.process(yield* lab.shared, { lawless: true, secret: "golden" })
          return yield* lab.as(process)(
            Effect.andThen(RunExport.importRun(exported), DecisionReplay.redecide(exported.run, { secret: "golden" }))
          )
        })
      )
      const plain = yield* again
      assert.deepStrictEqual(yield* garbled(again), plain)
    })
  )
})
