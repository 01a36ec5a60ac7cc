import * as PackRules from "@backstitch/reducer/PackRules"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RunSetting from "../src/run/RunSetting.ts"
import { pack } from "./fixture.ts"

const layers = PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

describe("RunSetting", () => {
  it.effect("begins a run with its goal under its pack, and knows which tools change something", () =>
    Effect.gen(function* () {
      const library = yield* PackLibrary.PackLibrary
      const sections = PackRules.of(pack).initial
      const of = RunSetting.make(library, { pack, format: { name: "some" }, sections, worldFields: ["accounts"] })
      const setting = of({ goal: "task 7", place: "here" })(Run.make("r"))
      const [started] = setting.started
      assert.deepStrictEqual([started?.body.type, started?.body.goal], ["run.started", "task 7"])
      assert.strictEqual(started?.envelope.source, "some here")
      assert.isTrue(setting.tool("transfer").mutating)
      assert.isFalse(setting.tool("balance").mutating)
      assert.deepStrictEqual([setting.tool("unknown").class, setting.outputs], ["critical_mutation", "bytes"])
      assert.isUndefined(setting.tool("unknown").predict)
    }).pipe(Effect.provide(layers))
  )
})
