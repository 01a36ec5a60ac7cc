/** Files that are small on the disk and ask for more than a machine has, read by a process that may have little. */
import { existsSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import * as Canonical from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

/** Room for the program and for twice the longest text that is read whole, in MiB: what it is joined from lives on. */
const capped = { NODE_OPTIONS: "--max-old-space-size=128" }

const digest = "ab".repeat(32)
const header = (about: object) => {
  const head = { tick: 1, link: digest, story: digest }
  const run = { tenant: "default", id: "trip" }
  return `${Canonical.encode({ format: "backstitch-trace", version: 1, run, ontology: 1, head, ...about })}\n`
}

const bombs: ReadonlyArray<readonly [name: string, bytes: string | Buffer, says: RegExp]> = [
  ["one-line.gz", gzipSync(Buffer.alloc(96 << 20, "a")), /unpacks to more than 250 times its size/],
  [
    "lines.gz",
    gzipSync(`${" ".repeat(63)}\n`.repeat(1 << 20)),
    /unpacks to more than 250 times its size|not an export/
  ],
  ["line.json", Buffer.alloc(33 << 20, "a"), /:1 holds a line of more than 33554432 bytes|comes to more than/],
  ["text.json", Buffer.alloc(65 << 20, " \n"), /is larger than 64 MiB/],
  ["deep.json", "[".repeat(2_000_000), /nests more than 500 levels deep/],
  ["wide.json", `[${"[],".repeat(1_000_000)}1]`, /holds more than 1000000 values/]
]

describe("a file that costs more than it weighs", () => {
  for (const [name, bytes] of bombs) writeFileSync(shell.path(name), bytes)

  it.each(["openai-chat", "claude-code", "langfuse", "otel-genai"])(
    "is refused as %s, and nothing is written",
    async (format) => {
      for (const [name, , says] of bombs) {
        const store = `${format}.db`
        const { code, err, signal } = await shell.run(["import", name, "--format", format, "--store", store], capped)
        // A document that is no lines may be one of any length, as far as its text goes.
        const isWhole = format !== "openai-chat" && name === "line.json"
        assert.deepStrictEqual([name, code, signal], [name, 1, null], err)
        assert.match(err, isWhole ? /cannot be read as/ : says, name)
        assert.isFalse(existsSync(shell.path(store)), name)
      }
    },
    240_000
  )

  it("is refused as an export, and nothing is written", async () => {
    const lineage = Array.from({ length: 120_000 }, (_, tick) => ({ id: `r${tick}`, tick }))
    writeFileSync(shell.path("lineage.jsonl"), header({ lineage }))
    writeFileSync(shell.path("ticks.jsonl"), header({ head: { tick: 2_000_000, link: digest, story: digest } }))
    const all: ReadonlyArray<readonly [string, RegExp, number]> = [
      ["lineage.jsonl", /lineage\.jsonl:1 names more than 1000 ancestors/, 1],
      ["ticks.jsonl", /comes to more than 200000 transitions/, 1],
      // Of a file that is no export only the beginning is read, which is wrong usage.
      ...bombs.map(([name, , says]) => {
        const isRead = /gz$|^(?:line|text)/.test(name)
        return [name, isRead ? says : /holds no run: it is text that is not JSON/, isRead ? 1 : 2] as const
      })
    ]
    for (const [name, says, expected] of all) {
      const { code, err, signal } = await shell.run(["import", name, "--store", "export.db"], capped)
      assert.deepStrictEqual([name, code, signal], [name, expected, null], err)
      assert.match(err, says, name)
      assert.isFalse(existsSync(shell.path("export.db")), name)
    }
  }, 240_000)

  it("is read if the environment raises the limit, and refused if it names an unknown limit", async () => {
    const honest = { task_id: 1, traj: [{ role: "user", content: "a".repeat(2000) }] }
    writeFileSync(shell.path("honest.jsonl"), JSON.stringify(honest))
    const run = (limits: string) =>
      shell.run(["import", "honest.jsonl", "--format", "openai-chat", "--store", "honest.db"], {
        BACKSTITCH_LIMITS: limits
      })
    const refused = await run("line=1KB")
    assert.strictEqual(refused.code, 1)
    assert.include(refused.err, "honest.jsonl:1 holds a line of more than 1024 bytes. Nothing was read in")
    assert.include(refused.err, "BACKSTITCH_LIMITS=line=… raises it")
    assert.isFalse(existsSync(shell.path("honest.db")))
    const unknown = await run("lines=1MB")
    assert.strictEqual(unknown.code, 2)
    assert.include(unknown.err, 'BACKSTITCH_LIMITS holds "lines=1MB", and takes file, text, ratio, line')
    assert.strictEqual((await run("line=3KB, text=1MB")).code, 0)
  }, 120_000)
})
