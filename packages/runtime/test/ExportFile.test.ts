import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as Export from "@backstitch/trace/Export"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as ExportFile from "../src/files/ExportFile.ts"
import * as SourceFile from "../src/files/SourceFile.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-export-"))
afterAll(() => rmSync(folder, { recursive: true }))

const trip = Effect.flatMap(journey.travelled(), ({ process }) => lab.as(process)(RunExport.exportRun(lab.trip)))

describe("ExportFile", () => {
  it.effect("writes a run, packed or not, as its export says byte by byte, and reads it again", () =>
    Effect.gen(function* () {
      const exported = yield* trip
      for (const gzip of [false, true]) {
        const file = join(folder, gzip ? "trip.jsonl.gz" : "trip.jsonl")
        yield* ExportFile.write(exported, file, { gzip })
        const bytes = readFileSync(file)
        assert.strictEqual((gzip ? gunzipSync(bytes) : bytes).toString(), Export.encode(exported))
        assert.deepStrictEqual(yield* ExportFile.read(file), exported)
        assert.isTrue(ExportFile.isNamed(file))
      }
      assert.isFalse(ExportFile.isNamed("trace.db"))
    })
  )

  it.effect("refuses a file that was cut short, is not there, or comes to more than the limits in force", () =>
    Effect.gen(function* () {
      const file = join(folder, "cut.jsonl.gz")
      yield* ExportFile.write(yield* trip, file, { gzip: true })
      const small = { ...SourceFile.defaults, transitions: 3 }
      const limited = ExportFile.read(file).pipe(Effect.provideService(SourceFile.Limits, small), Effect.flip)
      assert.deepInclude(yield* limited, { _tag: "LimitExceeded", limit: "transitions" })
      writeFileSync(file, readFileSync(file).subarray(0, -20))
      assert.strictEqual((yield* Effect.flip(ExportFile.read(file)))._tag, "PackingBroken")
      assert.strictEqual((yield* Effect.flip(ExportFile.read(join(folder, "none"))))._tag, "FileUnreadable")
    })
  )
})
