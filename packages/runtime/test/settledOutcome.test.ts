import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { settledOutcome } from "../src/engine/settledOutcome.ts"

const run = Run.make("trip")

/** The ranges of the trace that are read for an act that was settled at tick 6. */
const readFor = Effect.fnUntraced(function* (settled: number | undefined, action?: string) {
  const ranges: Array<ReadonlyArray<number | undefined>> = []
  const transitions = (from: number, to?: number) =>
    Effect.sync(() => {
      ranges.push([from, to])
      return []
    })
  const recorded = { run, transitions, settledAt: () => settled }
  const adopted = { run: run.id, tick: 6, ...(action === undefined ? {} : { action }) }
  yield* settledOutcome(recorded, { _tag: "Done", tick: 9, output: null, basis: "recorded", adopted })
  return ranges
})

describe("the outcome of an act that was done before", () => {
  it.effect("is read up to its settlement while its effect stands, however long the run is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readFor(6, "a2"), [[2, 6]])
      assert.deepStrictEqual(yield* readFor(undefined), [[6, 6]])
    })
  )

  it.effect("is read to the head where something has touched its effect since", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readFor(undefined, "a2"), [[2, undefined]])
    })
  )
})
