/** The recording of the guide to a double charge: both calls, and where it began. */
import { fileURLToPath } from "node:url"
import * as Formats from "@backstitch/importers/Formats"
import * as Import from "@backstitch/importers/Import"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RepeatedActs from "@backstitch/runtime/RepeatedActs"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const at = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const layers = History.layer(Kernel.standard).pipe(
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

describe("the recording of order 4711", () => {
  it.effect("names the two calls, those of a killed agent and its successor, and the tick where it began", () =>
    Effect.gen(function* () {
      const pack = yield* PackFile.load(at("order-4711.yaml"))
      const given = { file: at("order-4711.jsonl"), format: Formats.all["openai-chat"], pack }
      const { runs } = yield* Import.file(given)
      assert.deepStrictEqual(
        runs.map(({ repeats }) => repeats.map(({ basis, of, tick }) => [of.tick, tick, basis])),
        [[[5, 8, "identity"]], [], []]
      )
      const across = yield* RepeatedActs.among(Run.make("run-4712-0"), Run.make("run-4712-1"))
      assert.deepStrictEqual(
        across.map(({ of, tick }) => [of.run, of.tick, tick]),
        [["run-4712-0", 3, 3]]
      )
      const { onset } = yield* Bisecting.bisect(Run.make("run-4711-0"), { _tag: "Predicate", id: "charged_again" })
      assert.strictEqual(onset, 9)
    }).pipe(Effect.provide(layers))
  )
})
