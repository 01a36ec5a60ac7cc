import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Formats from "@backstitch/importers/Formats"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as KnownText from "../KnownText.ts"
import * as Pack from "../Pack.ts"

const layers = PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

type Step = readonly [tool: string, args: object | string, answer: string]

/** A conversation with one answered call a message. */
const chat = (steps: ReadonlyArray<Step>): string =>
  JSON.stringify(
    steps.flatMap(([name, args, content], index) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${index}`, function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }
        ]
      },
      { role: "tool", tool_call_id: `c${index}`, content }
    ])
  )

const count = (...steps: ReadonlyArray<Step>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-coding-"))),
    (folder) =>
      Effect.gen(function* () {
        const file = join(folder, "runs.jsonl")
        writeFileSync(file, chat(steps))
        const { edits: _, ...counts } = yield* KnownText.count(yield* Pack.load, file, Formats.all["openai-chat"])
        return Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0))
      }).pipe(Effect.provide(layers, { local: true })),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const edit = (oldText: string, newText: string, path = "/a"): Step => ["edit", { path, oldText, newText }, "done"]

const catN = "Here's the result of running `cat -n` on /a:\n"

describe("KnownText", () => {
  it.effect("knows a file from a write, a whole read, and every edit since", () =>
    Effect.gen(function* () {
      const write: Step = ["write", { path: "/a", content: "one\ntwo\n" }, "Successfully wrote 8 bytes"]
      assert.deepStrictEqual(yield* count(write, edit("one", "1"), edit("1\ntwo", "2")), { inWholeText: 2 })
      const read: Step = ["read", { path: "/a" }, "one\ntwo\n"]
      assert.deepStrictEqual(yield* count(read, edit("two", "2"), edit("2", "3")), { inWholeText: 2 })
      const numbered: Step = ["read", { path: "/a", start: 0, end: -1 }, `${catN}     1\tone\n     2\ttwo\n`]
      assert.deepStrictEqual(yield* count(numbered, edit("one\ntwo", "2")), { inWholeText: 1 })
    })
  )

  it.effect("knows of a file that was shown in part those lines, and the text that an edit left", () =>
    Effect.gen(function* () {
      const part: Step = [
        "read",
        { path: "/a", offset: 3, limit: 2 },
        "three\nfour\n... (9 more lines not shown. Use offset=5)"
      ]
      assert.deepStrictEqual(yield* count(part, edit("three\nfour", "3"), edit("3", "4")), { inPart: 2 })
      assert.deepStrictEqual(yield* count(part, edit("nine", "9"), edit("9", "10")), { unknown: 1, inPart: 1 })
      const clipped: Step = ["read", { path: "/a" }, `${catN}     1\tone\n     2\ttw<response clipped><NOTE>`]
      assert.deepStrictEqual(yield* count(clipped, edit("one", "1")), { inPart: 1 })
      // An insertion may stand between any two lines, and an edit that failed tells nothing.
      const args = { path: "/a", command: "insert", insert_line: 1, new_str: "new" }
      const insert: Step = ["str_replace_editor", args, "The file /a has been edited."]
      assert.deepStrictEqual(yield* count(part, insert, edit("three", "3"), edit("new", "x")), {
        unknown: 1,
        inPart: 1
      })
      const failed = "ERROR:\nNo replacement was performed, old_str `q` did not appear verbatim in /a."
      assert.deepStrictEqual(yield* count(part, ["edit", { path: "/a", old_str: "q", new_str: "r" }, failed]), {})
    })
  )

  it.effect("notices an edit that found what the known text has not, and believes the edit from then on", () =>
    Effect.gen(function* () {
      const create = { command: "create", path: "/a", file_text: "one\n" }
      const made: Step = ["str_replace_editor", create, "File created successfully at: /a"]
      assert.deepStrictEqual(yield* count(made, edit("somebody else's", "x"), edit("x", "y"), edit("one", "1")), {
        contradicted: 1,
        inPart: 1,
        unknown: 1
      })
    })
  )

  it.effect("follows the file that is open in an agent's own editor", () =>
    Effect.gen(function* () {
      const open: Step = ["open", { path: "/a" }, "[File: /a (2 lines total)]\r\n1:one\r\n2:two\r\n(Open file: /a)"]
      const replace: Step = ["edit", { search: "one", replace: "1" }, "Text replaced."]
      assert.deepStrictEqual(yield* count(open, replace), { inWholeText: 1 })
      assert.deepStrictEqual(yield* count(replace), {})
      const window: Step = [
        "open",
        { path: "/a" },
        "[File: /a (9 lines total)]\n(3 more lines above)\n4:four\n5:five\n"
      ]
      assert.deepStrictEqual(yield* count(window, ["edit", { search: "five", replace: "5" }, "Text replaced."]), {
        inPart: 1
      })
    })
  )

  it.effect("knows files from a patch: added, updated and deleted", () =>
    Effect.gen(function* () {
      const patch = (...lines: ReadonlyArray<string>): Step => [
        "apply_patch",
        { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
        "Success. Updated the following files"
      ]
      const added = patch("*** Add File: /a", "+one", "+two", "+three")
      const updated = patch("*** Update File: /a", "@@", " one", "-two", "+2", " three")
      assert.deepStrictEqual(yield* count(added, updated, edit("one\n2\nthree", "x")), { inWholeText: 1 })
      assert.deepStrictEqual(yield* count(updated, edit("one\n2", "x"), edit("x", "y")), { inPart: 2 })
      const moved = patch("*** Delete File: /a", "*** Update File: /b", "-b", "+c")
      assert.deepStrictEqual(yield* count(added, moved, edit("one", "1"), edit("c", "d", "/b")), {
        unknown: 1,
        inPart: 1
      })
    })
  )
})
