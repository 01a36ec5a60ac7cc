import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RecordedAppend from "../src/exchange/RecordedAppend.ts"
import * as Limits from "../src/Limits.ts"

const run = Run.make("recorded")

/** A chain of notes. */
const chain = (length: number) => {
  let head = HashChain.genesis(run)
  return Array.from({ length }, (_, index) => {
    const tick = index + 1
    const sealed = HashChain.seal(head, {
      body: { type: "memory.write", author: "agent", data: { note: tick } },
      stamp: { asOf: 0 },
      envelope: { ts: 0 }
    })
    head = HashChain.headOf(sealed)
    return sealed
  })
}

describe("RecordedAppend", () => {
  it.effect("appends in commits of bounded size, as it is, and goes on behind what stands", () =>
    Effect.gen(function* () {
      const { commitTransitionsMax } = Limits.pacing
      const sealed = chain(2 * commitTransitionsMax + 3)
      const store = yield* TraceStore.makeMemory
      const sizes: Array<number> = []
      const counted = TraceStore.TraceStore.of({
        ...store,
        append: (asked) => {
          sizes.push(asked.transitions.length)
          return store.append(asked)
        }
      })
      const append = (from: number, to: number) =>
        Effect.provideService(
          RecordedAppend.append({
            run,
            expected: from === 0 ? HashChain.genesis(run) : HashChain.headOf(sealed[from - 1]!),
            transitions: sealed.slice(from, to)
          }),
          TraceStore.TraceStore,
          counted
        )
      assert.strictEqual((yield* append(0, 2)).tick, 2)
      assert.deepStrictEqual(yield* append(2, sealed.length), HashChain.headOf(sealed.at(-1)!))
      assert.deepStrictEqual(sizes, [2, commitTransitionsMax, commitTransitionsMax, 1])
      assert.deepStrictEqual(
        (yield* store.read(run)).map(({ link }) => link),
        sealed.map(({ link }) => link)
      )
      assert.strictEqual((yield* append(2, 2)).tick, 2)
    })
  )
})
