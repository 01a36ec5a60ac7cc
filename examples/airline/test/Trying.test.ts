/** Another contract, compared with runs of a real agent. Skipped if the recordings are absent. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as DataFolder from "@backstitch/importers/DataFolder"
import * as Import from "@backstitch/importers/Import"
import * as OpenAiChat from "@backstitch/importers/OpenAiChat"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as PackTrial from "@backstitch/release/PackTrial"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Pack from "../Pack.ts"

const folder = process.env["BACKSTITCH_DATA"] ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url))
const dataset = `${folder}/tau-bench-airline`
const isAbsent = !existsSync(`${dataset}/dev/runs.jsonl.gz`)
const title = isAbsent ? `skipped: no recorded runs under ${dataset}, set BACKSTITCH_DATA` : "recorded runs"

const services = Coordinator.layer({ secret: "" }).pipe(
  Layer.provideMerge(ToolExecutor.layerFrom({})),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

describe.skipIf(isAbsent)(title, () => {
  it.effect(
    "come out the same under their own contract, and ask if another one asks",
    () =>
      Effect.gen(function* () {
        const pack = yield* Pack.load
        const data = yield* DataFolder.read(dataset)
        const file = `${dataset}/dev/runs.jsonl.gz`
        yield* Import.stream({ format: OpenAiChat.format, file, pack, data }).pipe(Stream.take(25), Stream.runDrain)
        const store = yield* TraceStore.TraceStore
        const history = yield* History.History
        const runs = yield* store.runs(Run.make("any").tenant)
        const attempt = (candidate: TaskPack.TaskPack) =>
          Effect.forEach(runs, ({ run }) => PackTrial.run(run, { pack: candidate }))
        const same = yield* attempt(pack)
        assert.deepStrictEqual(
          same.flatMap(({ changes }) => changes),
          []
        )
        const approvals = { cancel_reservation: { by: ["supervisor"] } }
        const asking = Result.getOrThrow(TaskPack.fromJson({ ...TaskPack.toJson(pack), approvals }))
        const cancelled = yield* Effect.forEach(runs, ({ run }) =>
          Effect.map(history.transitions(run), (all) =>
            all.filter(({ body }) => body.type === "action.request" && body.action?.tool === "cancel_reservation")
          )
        )
        const { asked, ...others } = PackTrial.totals(yield* attempt(asking))
        assert.strictEqual(asked, cancelled.flat().length)
        assert.isAbove(asked, 0)
        assert.deepStrictEqual(new Set(Object.values(others)), new Set([0]))
      }).pipe(Effect.provide(services)),
    240_000
  )
})
