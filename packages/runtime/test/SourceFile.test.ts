import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { SourceFile } from "../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-source-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (bytes: string | Buffer): string => {
  const path = join(folder, "file")
  writeFileSync(path, bytes)
  return path
}

const small: SourceFile.Limits = { ...SourceFile.defaults, text: 1 << 24, line: 1000 }

const lines = async (bytes: string | Buffer, limits = small): Promise<ReadonlyArray<SourceFile.Line>> => {
  const found: Array<SourceFile.Line> = []
  for await (const line of SourceFile.lines(file(bytes), limits)) found.push(line)
  return found
}

const refused = async (bytes: string | Buffer, limits = small): Promise<SourceFile.LimitExceeded> => {
  try {
    await lines(bytes, limits)
  } catch (error) {
    assert.instanceOf(error, SourceFile.LimitExceeded)
    return error
  }
  return assert.fail("it was read")
}

describe("SourceFile", () => {
  it("reads lines and the whole text, packed or not, without a byte order mark", async () => {
    const text = `\ufeffé\n\nb\r\n${"x".repeat(900)}`
    for (const bytes of [text, gzipSync(text)]) {
      assert.deepStrictEqual(
        (await lines(bytes)).map(({ number, text }) => [number, text.length]),
        [
          [1, 1],
          [2, 0],
          [3, 2],
          [4, 900]
        ]
      )
      assert.strictEqual(await SourceFile.text(file(bytes), small), text.slice(1))
    }
    assert.deepStrictEqual(await lines(""), [])
    assert.deepStrictEqual(await lines("a\n"), [{ isEnded: true, number: 1, text: "a" }])
  })

  it("reads a format of ours byte for byte: a mark stays, and a line that is no UTF-8 is refused", async () => {
    const exact = async (bytes: Buffer) => {
      const found: Array<string> = []
      for await (const { text } of SourceFile.lines(file(bytes), small, { exact: true })) found.push(text)
      return found
    }
    const marked = Buffer.from("\ufeffa\né\n\ufffd\n🧵")
    assert.deepStrictEqual(await exact(marked), ["\ufeffa", "é", "\ufffd", "🧵"])
    assert.strictEqual(SourceFile.exactText(marked), "\ufeffa\né\n\ufffd\n🧵")
    const torn: ReadonlyArray<ReadonlyArray<number>> = [
      [0xff],
      [0xc3],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf0, 0x9f, 0xa7]
    ]
    for (const bytes of torn) {
      const whole = Buffer.from([0x61, 0x0a, 0xc3, 0xa9, 0x0a, 0x62, ...bytes, 0x0a, 0x63])
      for (const packed of [whole, gzipSync(whole)]) {
        const error = await exact(packed).then(
          () => assert.fail("it was read"),
          (cause: unknown) => cause
        )
        assert.instanceOf(error, SourceFile.NotText)
        assert.include(error.message, "Line 3 holds bytes that are not UTF-8")
      }
      assert.throws(() => SourceFile.exactText(whole), /^Line 3 holds bytes/)
      assert.throws(() => SourceFile.exactText(Buffer.from(bytes), 7), /^Line 7 holds bytes/)
      // A file by others is read as far as it goes.
      assert.lengthOf(await lines(whole), 4)
    }
  })

  it("stops at the limit that a file comes to first, and names it with its place", async () => {
    const found = async (bytes: string | Buffer, limits: Partial<SourceFile.Limits>) => {
      const { limit, line, max, message } = await refused(bytes, { ...small, ...limits })
      assert.match(message, /Nothing was read in\. Raise the limit "\w+" if you trust the file$/)
      return [limit, max, line]
    }
    assert.deepStrictEqual(await found("abcd", { file: 3 }), ["file", 3, undefined])
    assert.deepStrictEqual(await found("a\nb\n", { text: 3 }), ["text", 3, undefined])
    assert.deepStrictEqual(await found(gzipSync("a\n".repeat(5)), { text: 9 }), ["text", 9, undefined])
    assert.deepStrictEqual(await found(`a\n${"b".repeat(11)}\nc`, { line: 10 }), ["line", 10, 2])
    assert.deepStrictEqual(await found("b".repeat(200_000), { line: 10 }), ["line", 10, 1])
    const bomb = gzipSync(`${"a".repeat(99)}\n`.repeat(120_000))
    assert.deepStrictEqual(await found(bomb, { ratio: 100 }), ["ratio", 100, undefined])
    assert.lengthOf(await lines(bomb, { ...small, ratio: 10_000 }), 120_000)
  })

  it("refuses text that nests too deep or holds too many values, before anything is made of it", () => {
    const limits = { ...small, values: 5 }
    const found = (text: string, number = 3) => SourceFile.exceeded("f", { number, text }, limits)
    assert.isUndefined(found('[1,2,"[,[,[,"]'))
    assert.deepInclude(found("[1,2,3,4,5]"), { limit: "values", line: 3 })
    assert.include(found("[".repeat(501))?.message, "f:3 nests more than 500 levels deep. Nothing was read in. Flatten")
    assert.include(found("[".repeat(501), 0)?.message, "f nests more")
  })
})
