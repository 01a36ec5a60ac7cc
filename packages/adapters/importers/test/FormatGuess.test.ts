import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import * as FormatGuess from "../src/FormatGuess.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-guess-"))
afterAll(() => rmSync(folder, { recursive: true }))

const chat = JSON.stringify({
  messages: [
    { role: "user", content: "book it" },
    { role: "assistant", content: "done" }
  ]
})

const guess = (name: string, bytes: string | Uint8Array) => {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return guessed(file)
}

const guessed = (file: string) =>
  Effect.map(FormatGuess.beginning(file), (begins) => FormatGuess.recognised(file, begins))

describe("FormatGuess", () => {
  it.effect("names the formats that can read a recording, plain or compressed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* guess("chat.jsonl", `${chat}\n`), ["openai-chat", "swe-agent"])
      assert.deepStrictEqual(yield* guess("chat.jsonl.gz", gzipSync(`${chat}\n`)), ["openai-chat", "swe-agent"])
    })
  )

  it.effect("names none for another file, and for one that cannot be read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* guess("notes.txt", "no recording"), [])
      assert.deepStrictEqual(yield* guess("cut.gz", Uint8Array.of(0x1f, 0x8b, 1)), [])
      assert.deepStrictEqual(yield* guessed(join(folder, "nowhere")), [])
    })
  )
})
