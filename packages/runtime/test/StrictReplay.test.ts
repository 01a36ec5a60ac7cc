import * as HashChain from "@backstitch/trace/HashChain"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as lab from "./lab.ts"

const flipped = (text: string): string => `${text.slice(0, -2)}${text.at(-2) === "x" ? "y" : "x"}${text.slice(-1)}`

describe("StrictReplay", () => {
  it.effect("compares the chain, the fold and every digest that was committed", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      const verified = yield* lab.as(lab.process(store))(StrictReplay.of(lab.trip))
      assert.deepStrictEqual(verified.divergences, [])
      assert.strictEqual(verified.head.tick, 31)
      assert.strictEqual(verified.compared, 1 + 5 + 5 + 1)
    })
  )

  it.effect("names the first tick at which a stored byte was changed (L3)", () =>
    Effect.gen(function* () {
      const store = yield* lab.recorded
      for (const part of ["body", "stamp", "envelope"] as const) {
        for (const tick of [1, 7, 31]) {
          const changed = Layer.effect(
            TraceStore.TraceStore,
            Effect.map(TraceStore.TraceStore, (each) => ({
              ...each,
              nearestSnapshot: () => Effect.succeed(undefined),
              read: (...asked: Parameters<typeof each.read>) =>
                Effect.map(each.read(...asked), (page) =>
                  page.map((sealed, index) =>
                    (asked[1]?.from ?? 1) + index === tick ? { ...sealed, [part]: flipped(sealed[part]) } : sealed
                  )
                )
            }))
          ).pipe(Layer.provide(store))
          const error = yield* Effect.flip(lab.as(lab.process(changed, { lawless: true }))(StrictReplay.of(lab.trip)))
          assert.instanceOf(error, HashChain.ChainBroken)
          assert.strictEqual((error as HashChain.ChainBroken).tick, tick, part)
        }
      }
    })
  )
})
