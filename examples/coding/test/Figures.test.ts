import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Figures from "../Figures.ts"
import * as Pack from "../Pack.ts"

const layers = PackLibrary.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

const uses = (id: string, name: string, input: object) => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] }
})

const answers = (id: string, noted: object | undefined, isError = false, content = "done") => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
  toolUseResult: noted
})

const session = [
  uses("a", "Write", { file_path: "/x", content: "one two one" }),
  answers("a", {}),
  uses("b", "Edit", { file_path: "/x", old_string: "one", new_string: "three" }),
  answers("b", { filePath: "/x", originalFile: "one two one" }),
  uses("c", "Edit", { file_path: "/x", old_string: "e", new_string: "E", replace_all: true }),
  answers("c", { filePath: "/x", originalFile: "three two one" }),
  uses("d", "Edit", { file_path: "/x", old_string: "nothing", new_string: "x" }),
  answers("d", {}, true),
  uses("e", "Edit", { file_path: "/x", old_string: "two", new_string: "2" }),
  answers("e", { filePath: "/x", originalFile: "somebody else wrote this: two" }),
  // A text that an edit found is known from then on.
  uses("f", "Edit", { file_path: "/x", old_string: "2", new_string: "3" }),
  answers("f", { filePath: "/x", originalFile: "somebody else wrote this: 2" }),
  // Files that were there before: seen by the first edit, by a read, by the text of a read, and in part alone.
  uses("g", "Edit", { file_path: "/old", old_string: "a", new_string: "b" }),
  answers("g", { filePath: "/old", originalFile: "a\na" }),
  uses("h", "Edit", { file_path: "/old", old_string: "a", new_string: "c" }),
  answers("h", { filePath: "/old", originalFile: "b\na" }),
  uses("i", "Read", { file_path: "/read" }),
  answers("i", { type: "text", file: { filePath: "/read", content: "one\ntwo\n", numLines: 3, totalLines: 3 } }),
  uses("j", "Edit", { file_path: "/read", old_string: "one", new_string: "1" }),
  answers("j", { filePath: "/read", originalFile: "one\ntwo\n" }),
  uses("k", "Read", { file_path: "/text" }),
  answers("k", undefined, false, "     1\u2192one\n     2\u2192\n\n<system-reminder>\nno part of it"),
  uses("l", "Edit", { file_path: "/text", old_string: "one", new_string: "1" }),
  answers("l", { filePath: "/text", originalFile: "one\n" }),
  uses("m", "Read", { file_path: "/part", offset: 1, limit: 1 }),
  answers("m", { type: "text", file: { filePath: "/part", content: "one", numLines: 1, totalLines: 2 } }),
  uses("n", "Edit", { file_path: "/part", old_string: "one", new_string: "1" }),
  answers("n", { filePath: "/part", originalFile: "one\ntwo" })
]

describe("Figures of a coding session", () => {
  it.effect("predicts the text before an edit from earlier writes and reads, and notices a change by others", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-coding-"))),
      (folder) =>
        Effect.gen(function* () {
          const file = join(folder, "session.jsonl")
          writeFileSync(file, session.map((line) => JSON.stringify(line)).join("\n"))
          const figures = yield* Figures.compute(yield* Pack.load, file)
          assert.deepStrictEqual(figures, { edits: 9, editsOfUnknownFiles: 2, editPreStatesPredicted: 6 })
        }).pipe(Effect.provide(layers)),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
})
