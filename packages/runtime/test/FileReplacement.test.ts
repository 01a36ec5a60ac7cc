import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { afterAll } from "vitest"
import * as FileReplacement from "../src/files/FileReplacement.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-replaced-"))
afterAll(() => rmSync(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)
const parts = (): ReadonlyArray<string> => readdirSync(folder).filter((name) => name.endsWith(".part"))
const modeOf = (file: string): number => statSync(file).mode & 0o777

describe("FileReplacement", () => {
  it.effect("writes a new file with its permissions, and keeps those of an existing one", () =>
    Effect.gen(function* () {
      yield* FileReplacement.write(at("vault"), ["a", new TextEncoder().encode("b")], { mode: 0o600 })
      assert.deepStrictEqual([readFileSync(at("vault"), "utf8"), modeOf(at("vault"))], ["ab", 0o600])
      chmodSync(at("vault"), 0o640)
      yield* FileReplacement.write(at("vault"), ["c"], { mode: 0o600 })
      assert.deepStrictEqual([readFileSync(at("vault"), "utf8"), modeOf(at("vault"))], ["c", 0o640])
    })
  )

  it.effect("replaces the file that a link leads to, and leaves the link", () =>
    Effect.gen(function* () {
      writeFileSync(at("real"), "before")
      symlinkSync(at("real"), at("link"))
      yield* FileReplacement.write(at("link"), ["after"])
      assert.strictEqual(readFileSync(at("real"), "utf8"), "after")
    })
  )

  it.effect("leaves the earlier file and nothing beside it if the source fails or the writing is interrupted", () =>
    Effect.gen(function* () {
      writeFileSync(at("kept"), "before")
      async function* failing(): AsyncGenerator<string, undefined> {
        yield "half"
        throw new Error("the source is lost")
      }
      const failed = yield* Effect.flip(FileReplacement.write(at("kept"), failing()))
      assert.include(failed.message, "the source is lost")
      async function* endless(): AsyncGenerator<string, undefined> {
        yield "half"
        await new Promise(() => {})
        return undefined
      }
      const writing = yield* Effect.forkChild(FileReplacement.write(at("kept"), endless()), { startImmediately: true })
      while (parts().length === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Fiber.interrupt(writing)
      while (parts().length > 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.strictEqual(readFileSync(at("kept"), "utf8"), "before")
    })
  )

  it.effect("writes two files of one name at once, and one of them exists as a whole", () =>
    Effect.gen(function* () {
      const texts = ["x", "y"].map((sign) => sign.repeat(300_000))
      yield* Effect.forEach(texts, (text) => FileReplacement.write(at("raced"), [text]), { concurrency: "unbounded" })
      assert.include(texts, readFileSync(at("raced"), "utf8"))
      assert.lengthOf(parts(), 0)
    })
  )

  it.effect("refuses to write over a database, which may be a store of runs", () =>
    Effect.gen(function* () {
      const database = new DatabaseSync(at("store"))
      database.exec("create table runs (id integer)")
      database.close()
      const before = readFileSync(at("store"))
      const refused = yield* Effect.flip(FileReplacement.write(at("store"), ["lost"]))
      assert.strictEqual(refused._tag, "FileUnwritable")
      assert.include(refused.message, "a store of runs is there")
      assert.deepStrictEqual(readFileSync(at("store")), before)
    })
  )
})
