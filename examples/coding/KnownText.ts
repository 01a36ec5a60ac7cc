/**
 * Counts the edits of coding sessions whose old text could be looked for in text that the session knew.
 *
 * Most real edits are of files that existed before. Their text is known from the tools: from a read of the whole
 * file, from the lines that a read of a part showed, and from earlier edits, each of which has found its old text and
 * left its new one.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type { Format } from "@backstitch/importers/Format"
import * as Import from "@backstitch/importers/Import"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as State from "@backstitch/reducer/State"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Canonical from "@backstitch/trace/Canonical"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Step from "@backstitch/version-control/Step"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { World } from "./World.ts"

/**
 * The number of edits that succeeded: those whose old text was found in the whole known text of the file, or in a part
 * of it that was known; those of files of which no known text could have it; and those that contradict the whole text.
 */
export interface Counts {
  readonly edits: number
  readonly inWholeText: number
  readonly inPart: number
  readonly unknown: number
  readonly contradicted: number
}

/** The counts of no edit. */
export const none: Counts = { edits: 0, inWholeText: 0, inPart: 0, unknown: 0, contradicted: 0 }

/** Adds counts up. */
export const sum = (counts: ReadonlyArray<Counts>): Counts =>
  counts.reduce(
    (total, each) => ({
      edits: total.edits + each.edits,
      inWholeText: total.inWholeText + each.inWholeText,
      inPart: total.inPart + each.inPart,
      unknown: total.unknown + each.unknown,
      contradicted: total.contradicted + each.contradicted
    }),
    none
  )

/** Imports sessions and counts their edits. */
export const count = Effect.fn("KnownText.count")(function* (pack: TaskPack.TaskPack, file: string, format: Format) {
  const store = yield* TraceStore.TraceStore
  const library = yield* PackLibrary.PackLibrary
  const fold = library.fold(Kernel.standard)
  return yield* Import.stream({ pack, file, format }).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ run }) {
        const transitions = (yield* store.read(run)).map(Transition.open)
        return yield* library.folding(() => sum(countsIn([...Step.walk(fold, State.empty, transitions)])))
      })
    ),
    Stream.runFold(
      () => none,
      (total, each) => sum([total, each])
    )
  )
})

const countsIn = (steps: ReadonlyArray<Step.Step>): ReadonlyArray<Counts> => {
  const asked = new Map(
    steps.flatMap(({ transition: { body } }) =>
      body.type === "action.request" && body.action ? [[body.action.id, body.action.params] as const] : []
    )
  )
  return steps.flatMap(({ after, before, transition: { body } }) => {
    const { action, result, type } = body
    if (type !== "action.result" || result?.status !== "ok" || action === undefined) return []
    const args = Canonical.objectOf(asked.get(action.id))
    const old = args["old_string"] ?? args["oldText"] ?? args["old_str"] ?? args["search"]
    const [known, then] = [before.world as World, after.world as World]
    // An edit that failed has changed nothing.
    if (typeof old !== "string" || (known.files === then.files && known.parts === then.parts)) return []
    const path = String(args["file_path"] ?? args["path"] ?? known.opened)
    return [{ ...none, edits: 1, [found(known, path, old)]: 1 }]
  })
}

const found = ({ files, parts }: World, path: string, old: string): Exclude<keyof Counts, "edits"> => {
  const whole = files.get(path)?.content
  if (whole !== undefined) return whole.includes(old) ? "inWholeText" : "contradicted"
  return parts.get(path)?.texts.some((text) => text.includes(old)) === true ? "inPart" : "unknown"
}
