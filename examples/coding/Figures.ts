/**
 * Counts how often the writes and reads of a session explain the text that its edits found.
 *
 * A coding agent's tool records the text of a file before each edit. If the fold of the earlier writes, edits and
 * reads gives the same text, only the session has changed the file. An edit of a file that no earlier call has shown
 * is counted separately: there is no text to compare.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ClaudeCode from "@backstitch/importers/ClaudeCode"
import * as Import from "@backstitch/importers/Import"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { World } from "./World.ts"

/**
 * The number of edits whose earlier text is recorded; the number of those whose file was unknown; and the number of
 * those whose text was predicted.
 */
export interface Figures {
  readonly edits: number
  readonly editsOfUnknownFiles: number
  readonly editPreStatesPredicted: number
}

/** Imports a session and compares the texts. */
export const compute = Effect.fn("Figures.compute")(function* (pack: TaskPack.TaskPack, file: string) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  const none: Figures = { edits: 0, editsOfUnknownFiles: 0, editPreStatesPredicted: 0 }
  return yield* Import.stream({ pack, file, format: ClaudeCode.format }).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ line, run }) {
        const noted = preStates(line.text)
        const sealed = yield* store.read(run)
        return yield* library.folding(() =>
          [...Step.walk(fold, State.empty, sealed.map(Transition.open))].flatMap(({ before, transition: { body } }) => {
            const { action, result, type } = body
            if (type !== "action.result" || result?.status !== "ok" || action?.tool !== "Edit") return []
            const found = noted.get(action.id)
            return found === undefined ? [] : [{ known: (before.world as World).files.get(found.path), found }]
          })
        )
      })
    ),
    Stream.runFold(
      () => none,
      (total, edits): Figures => ({
        edits: total.edits + edits.length,
        editsOfUnknownFiles: total.editsOfUnknownFiles + edits.filter(({ known }) => known === undefined).length,
        editPreStatesPredicted:
          total.editPreStatesPredicted + edits.filter(({ found, known }) => known?.content === found.text).length
      })
    )
  )
})

interface Line {
  readonly message?: {
    readonly content?: string | ReadonlyArray<{ readonly type: string; readonly tool_use_id?: string }>
  }
  readonly toolUseResult?: string | { readonly originalFile?: string | null; readonly filePath?: string }
}

/** The text before each edit, by the id of the call. */
const preStates = (session: string): ReadonlyMap<string, { readonly path: string; readonly text: string }> =>
  new Map(
    session.split("\n").flatMap((text) => {
      if (text.trim() === "") return []
      const { message, toolUseResult: noted } = JSON.parse(text) as Line
      if (typeof noted !== "object" || typeof message?.content !== "object") return []
      const id = message.content.find(({ type }) => type === "tool_result")?.tool_use_id
      const { filePath: path, originalFile } = noted
      if (id === undefined || path === undefined || typeof originalFile !== "string") return []
      return [[id, { path, text: originalFile }] as const]
    })
  )
