import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Library from "@backstitch/runtime/Library"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Figures from "../Figures.ts"
import * as Pack from "../Pack.ts"

const layers = Library.layer.pipe(Layer.provideMerge(TraceStore.layerMemory))

const uses = (id: string, name: string, input: object) => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "tool_use", id, name, input }] }
})

const answers = (id: string, noted: object, isError = false) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "done", is_error: isError }] },
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
  answers("e", { filePath: "/x", originalFile: "somebody else wrote this: two" })
]

describe("Figures of a coding session", () => {
  it.effect("predicts what an edit found from the writes before it, and tells where somebody else wrote", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "backstitch-coding-"))),
      (folder) =>
        Effect.gen(function* () {
          const file = join(folder, "session.jsonl")
          writeFileSync(file, session.map((line) => JSON.stringify(line)).join("\n"))
          const figures = yield* Figures.compute(yield* Pack.load, file)
          assert.deepStrictEqual(figures, { edits: 3, editPreStatesPredicted: 2 })
        }).pipe(Effect.provide(layers)),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
})
