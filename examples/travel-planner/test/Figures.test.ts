import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Figures from "../Figures.ts"
import * as Pack from "../Pack.ts"
import * as Plans from "../Plans.ts"

const layers = PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

const day = (number: number, more: object) => ({ day: number, breakfast: "-", lunch: "-", dinner: "-", ...more })
const plans = [
  { idx: 1, query: "two days", plan: [day(1, { lunch: "Inn" }), day(2, { dinner: "Inn", attraction: "Park; Zoo" })] },
  { idx: 2, query: "one day", plan: [day(1, { lunch: "Inn", attraction: "Zoo; Zoo" })] },
  { idx: 3, query: "nothing", plan: null }
]

describe("Figures of travel plans", () => {
  it.effect("names the slot in which a place is named twice, or none", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-plans-"))),
      (folder) =>
        Effect.gen(function* () {
          const file = join(folder, "plans.jsonl")
          writeFileSync(file, plans.map((line) => JSON.stringify(line)).join("\n"))
          const pack = yield* Pack.load
          const dinner = Plans.slots.length + Plans.slots.indexOf("dinner") + 1
          assert.deepStrictEqual(yield* Figures.onsets(pack, file, "REPEAT_RESTAURANT"), [dinner, undefined, undefined])
          const attraction = Plans.slots.indexOf("attraction") + 1
          const repeated = yield* Figures.onsets(pack, file, "REPEAT_ATTRACTION")
          assert.deepStrictEqual(repeated, [undefined, attraction, undefined])
          assert.deepStrictEqual(yield* Figures.compute(pack, file), { plans: 3, repeatedRestaurant: 1 })
        }).pipe(Effect.provide(layers)),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
})
