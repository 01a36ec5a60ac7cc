/** The record of an open run, and what is read from the store for it. */
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Revising from "../src/revisions/Revising.ts"
import * as lab from "./lab.ts"
import { book, Desk, hire, look, opened, processOf } from "./party.ts"
import { proposes } from "./slots.ts"

/** A store that several processes share, and the ticks that are read from it. */
const reading = Effect.gen(function* () {
  const ticks: Array<number> = []
  const store = yield* TraceStore.makeMemory
  const layer = Layer.succeed(TraceStore.TraceStore, {
    ...store,
    read: (...asked: Parameters<typeof store.read>) =>
      Effect.tap(store.read(...asked), (page) => Effect.sync(() => ticks.push(...page.map(({ tick }) => tick))))
  })
  return { layer, ticks }
})

const toBasel = { changes: [{ change: "set", clause: "city", value: "Basel" }] } as const

describe("an open record", () => {
  it.effect("plans a revision of the run that a handle has begun without reading it again", () =>
    Effect.gen(function* () {
      const { layer, ticks } = yield* reading
      yield* lab.elapsing(
        lab.as(processOf(layer, new Desk()))(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* proposes(handle, look("Bern"), hire("Casino"), book("Trio"))
            yield* handle.flush
            ticks.splice(0)
            const found = yield* Revising.preview(handle, toBasel)
            assert.deepStrictEqual(found?.absorption.discarded, ["a4"])
            assert.deepStrictEqual(ticks, [])
          })
        )
      )
    })
  )

  it.effect("reads what another process has committed, and nothing before it", () =>
    Effect.gen(function* () {
      const { layer, ticks } = yield* reading
      const desk = new Desk()
      const process = processOf(layer, desk)
      yield* lab.elapsing(
        lab.as(process)(
          Effect.gen(function* () {
            const handle = yield* opened()
            yield* proposes(handle, look("Bern"), hire("Casino"))
            const { tick } = (yield* handle.position).head
            const other = Effect.flatMap(opened(), (theirs) => proposes(theirs, book("Trio")))
            yield* lab.as(processOf(layer, desk))(other)
            ticks.splice(0)
            yield* proposes(handle, look("Basel"))
            const { acts } = (yield* handle.judging)!
            assert.deepStrictEqual(
              [...acts.calls.values()].map(({ contract }) => contract.name),
              ["look", "hire", "book", "look"]
            )
            assert.isAbove(Math.min(...ticks), tick)
          })
        )
      )
    })
  )
})
