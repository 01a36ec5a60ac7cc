import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as JsonLines from "../src/text/JsonLines.ts"

const inFile = <A, E>(bytes: string | Buffer, use: (file: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "backstitch-lines-"))
      writeFileSync(join(folder, "runs"), bytes)
      return folder
    }),
    (folder) => use(join(folder, "runs")),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const lines = (file: string) => Effect.map(Stream.runCollect(JsonLines.read(file)), (all) => [...all])

describe("JsonLines", () => {
  const text = '\ufeff{"a":1}\n\n  \r\n{"b":"é"}\r\n{"c":3}'
  const expected = [
    [1, '{"a":1}'],
    [4, '{"b":"é"}'],
    [5, '{"c":3}']
  ]
  const numbered = (found: ReadonlyArray<JsonLines.Line>) => found.map(({ number, text }) => [number, text.trim()])

  it.effect("reads plain lines and skips empty ones, keeping their numbers", () =>
    inFile(text, (file) => Effect.map(lines(file), (found) => assert.deepStrictEqual(numbered(found), expected)))
  )

  it.effect("reads gzip under any file name", () =>
    inFile(gzipSync(text), (file) =>
      Effect.map(lines(file), (found) => assert.deepStrictEqual(numbered(found), expected))
    )
  )

  it.effect("joins a line that comes in many chunks", () => {
    const long = JSON.stringify({ text: "ä".repeat(300_000) })
    return inFile(`${long}\n${long}\n`, (file) =>
      Effect.map(lines(file), (found) =>
        assert.deepStrictEqual(
          found.map((line) => line.text),
          [long, long]
        )
      )
    )
  })

  it.effect("says that a file is missing, and that gzip is cut short", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(lines("no/such/file.jsonl"))
      assert.strictEqual(missing._tag, "FileUnreadable")
      assert.match(missing.message, /no\/such\/file\.jsonl cannot be read: there is no such file/)
      const whole = gzipSync(text.repeat(1000))
      const cut = yield* inFile(whole.subarray(0, whole.length - 12), (file) => Effect.flip(lines(file)))
      assert.match(cut.message, /cannot be read: unexpected end of file/)
    })
  )
})
