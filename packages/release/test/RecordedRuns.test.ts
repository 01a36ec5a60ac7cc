import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Export from "@backstitch/trace/Export"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RecordedRuns from "../src/RecordedRuns.ts"

const file = join(import.meta.dirname, "../../../examples/travel-booking/recorded/trip-43.jsonl")
const exported = Result.getOrThrow(Export.decode(readFileSync(file, "utf8")))
const { tenant } = exported.run

const selected = (ids?: ReadonlyArray<string>, of = tenant) =>
  RecordedRuns.select(of, ids).pipe(Effect.provide(RecordedRuns.ofExport(exported)))

describe("RecordedRuns", () => {
  it.effect("selects the run of an export, by its name, by the beginning of it, or with all others", () =>
    Effect.gen(function* () {
      for (const ids of [undefined, [], ["trip-43"], ["trip"]]) {
        assert.deepStrictEqual(
          (yield* selected(ids)).map(({ head, run }) => [run.id, head.link]),
          [["trip-43", exported.head.link]]
        )
      }
    })
  )

  it.effect("fails for a run that does not exist, and for a tenant without runs", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(selected(["other"])))._tag, "RunUnknown")
      const nobody = Run.make("any", "nobody").tenant
      assert.strictEqual((yield* Effect.flip(selected([], nobody)))._tag, "NothingRecorded")
    })
  )

  it.effect("is empty each time that it is provided", () =>
    Effect.gen(function* () {
      yield* selected()
      const empty = RecordedRuns.select(tenant).pipe(Effect.provide(RecordedRuns.memory), Effect.flip)
      assert.strictEqual((yield* empty)._tag, "NothingRecorded")
    })
  )
})
