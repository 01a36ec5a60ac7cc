/**
 * Imports recorded runs into a store, with one trace for each.
 *
 * The file is read as a stream, and nothing is written before all of it was read. Several runs are appended at a
 * time, so the store can flush them together. The result depends only on the file, the pack and the data folder: a
 * repeated import finds every run in place, and continues an import that was cut off (L2).
 */

import * as Sensitive from "@backstitch/contracts/Sensitive"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Repeats from "@backstitch/ledger/Repeats"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackPurity from "@backstitch/reducer/PackPurity"
import * as PackRules from "@backstitch/reducer/PackRules"
import type * as Rules from "@backstitch/reducer/Rules"
import type * as State from "@backstitch/reducer/State"
import * as RuntimeLimits from "@backstitch/runtime/Limits"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RecordedAppend from "@backstitch/runtime/RecordedAppend"
import * as SourceFile from "@backstitch/runtime/SourceFile"
import * as Branded from "@backstitch/trace/Branded"
import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Chat from "./chat/Chat.ts"
import type { Format } from "./chat/Format.ts"
import * as Limits from "./Limits.ts"
import * as ChatRun from "./run/ChatRun.ts"
import * as ImportSummary from "./run/ImportSummary.ts"
import * as RunSetting from "./run/RunSetting.ts"
import * as DataFolder from "./text/DataFolder.ts"
import * as JsonLines from "./text/JsonLines.ts"

/**
 * The settings of an import: the file, its format, and the pack. Runs are named `<prefix>-<task>-<trial>`, or
 * `<prefix>-<line>` if the recording names no task.
 */
export interface Options {
  readonly file: string
  readonly format: Format
  /** Without a contract every tool is unknown, but everything is recorded. */
  readonly pack?: TaskPack.TaskPack | undefined
  /** The form in which an answer is compared with a model's prediction. Default: bytes. */
  readonly outputs?: ChatRun.Setting["outputs"] | undefined
  readonly data?: DataFolder.DataFolder | undefined
  readonly tenant?: string | undefined
  readonly prefix?: string | undefined
  readonly onRun?: ((run: ImportSummary.Run) => void) | undefined
}

/** One imported run: its counts, its last state, and its line in the file. */
export interface ImportedRun {
  readonly run: Run.Run
  readonly summary: ImportSummary.Run
  readonly state: State.State
  readonly line: JsonLines.Line
}

/** Error for a run that the store has under the same name with another history. */
export class RunDiffers extends Schema.TaggedError<RunDiffers>("@backstitch/importers/RunDiffers")("RunDiffers", {
  run: Schema.String,
  file: Schema.String,
  line: Schema.Natural,
  tick: Schema.Natural
}) {
  override get message(): string {
    const stands = `Run ${this.run} is in the store already`
    const differs = `its tick ${this.tick} is not what ${this.file}:${this.line} gives under this pack and data`
    return `${stands}, and ${differs}. Import under another prefix or into another store`
  }
}

/** Imports a file of recorded runs and answers the summary of all of them. */
export const file = (options: Options) =>
  stream(options).pipe(
    Stream.map(({ summary }) => {
      options.onRun?.(summary)
      return summary
    }),
    Stream.runCollect,
    Effect.map((runs) => ImportSummary.make([...runs], options.pack === undefined ? [] : named(options.pack)))
  )

const named = (pack: TaskPack.TaskPack): ReadonlyArray<ImportSummary.Impure> =>
  PackPurity.findings(pack).map(({ id, message }) => ({ id, message }))

/** Error for a pack with sensitive fields: recordings in clear are not imported under it. */
export class RecordedInClear extends Schema.TaggedError<RecordedInClear>("@backstitch/importers/RecordedInClear")(
  "RecordedInClear",
  { file: Schema.String, pack: Schema.String }
) {
  override get message(): string {
    return (
      `${this.file} was recorded in clear, and ${this.pack} has sensitive fields: nothing of it was imported. ` +
      "Import it under a pack without them, if it may be kept"
    )
  }
}

/**
 * Imports a file of recorded runs, run by run in the order of the file: all of them, or none.
 *
 * **Details**
 *
 * The file is read to its end, and every run is folded and compared with the store, before anything is written. A few
 * folded runs are kept in memory; otherwise each is folded a second time.
 */
export const stream = (given: Options) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const options = { ...given, pack: given.pack ?? RunSetting.observed }
      if (Sensitive.entriesOf(options.pack).some(Sensitive.isIn)) {
        return yield* new RecordedInClear({ file: given.file, pack: options.pack.id })
      }
      const store = yield* TraceStore.TraceStore
      const library = yield* PackLibrary.PackLibrary
      const limits = yield* SourceFile.Limits
      const sections = yield* initial(options)
      const worldFields = Object.keys(options.data?.tables ?? PackRules.of(options.pack).initial.world)
      const of = RunSetting.make(library, { ...options, sections, worldFields })
      const setting = ({ text }: JsonLines.Line, { task }: Chat.Chat) =>
        of({ goal: task === undefined ? "recorded" : `task ${task}`, place: Digest.ofBytes(text) })
      const made = readings(options).pipe(
        Stream.mapEffect(
          Effect.fnUntraced(function* ({ chat, line, run }) {
            const built = yield* library.folding(() => build(options, setting(line, chat), { chat, line, run }))
            return { chat, line, run, made: yield* Effect.fromResult(built) }
          })
        )
      )
      const kept = yield* prepared(store, options, made, limits)
      yield* library.keepPack(options.pack, { impure: "flag" })
      yield* library.keepInitial(sections)
      return (kept === undefined ? made : Stream.fromIterable(kept)).pipe(
        Stream.mapEffect(
          Effect.fnUntraced(function* (ready) {
            const present = yield* append(store, options, ready)
            return imported(options, { ...ready, present })
          }),
          { concurrency: RuntimeLimits.pacing.concurrentRunsMax }
        )
      )
    })
  )

/** Reads a file of recorded runs to its end without a result, so that its faults are known before a store is opened. */
export const scan = (options: Pick<Options, "file" | "format">) =>
  Stream.runForEach(readings(options), () => Effect.void)

interface Made extends Reading {
  readonly made: ChatRun.ChatRun
}

/** Makes all runs before anything is written; answers them, or nothing if they are too large to be kept. */
const prepared = Effect.fnUntraced(function* <E, R>(
  store: TraceStore.TraceStore["Service"],
  options: Options,
  made: Stream.Stream<Made, E, R>,
  limits: SourceFile.Limits
) {
  let kept: Array<Made> | undefined = []
  let [characters, transitions] = [0, 0]
  yield* Stream.runForEach(
    made,
    Effect.fnUntraced(function* (ready: Made) {
      transitions += ready.made.sealed.length
      if (transitions > limits.transitions) {
        const { file } = options
        return yield* new SourceFile.LimitExceeded({ file, limit: "transitions", max: limits.transitions })
      }
      yield* standing(store, options, ready)
      for (const { body, stamp } of ready.made.sealed) characters += body.length + stamp.length
      if (characters > Limits.pacing.keptCharactersMax) kept = undefined
      kept?.push(ready)
    })
  )
  return kept
})

const readings = (options: Options) => {
  const names = new Set<string>()
  const texts = options.format.framing === "line" ? JsonLines.read(options.file) : JsonLines.whole(options.file)
  return Stream.suspend(() => {
    names.clear()
    return texts
  }).pipe(
    Stream.mapEffect((line) => read(options, names, line)),
    Stream.flattenIterable
  )
}

interface Reading {
  readonly line: JsonLines.Line
  readonly run: Run.Run
  readonly chat: Chat.Chat
}

const read = Effect.fnUntraced(function* (
  { file, format, prefix, tenant }: Options,
  names: Set<string>,
  line: JsonLines.Line
) {
  const chats = format.parse(line.text)
  if (Result.isFailure(chats)) {
    const problem = chats.failure
    return yield* format.framing === "line"
      ? new JsonLines.LineInvalid({ file, line: line.number, problem })
      : new JsonLines.FileInvalid({ file, format: format.name, problem })
  }
  return chats.success.map((chat, index): Reading => {
    const place = format.framing === "line" ? line.number : index + 1
    return { line, chat, run: Run.make(nameOf(names, prefix, chat, place), tenant) }
  })
})

const nameOf = (names: Set<string>, prefix = "run", { task, trial }: Chat.Chat, place: number): string => {
  const parts = [prefix, task ?? place, ...(trial === undefined ? [] : [trial])]
  const name = parts
    .join("-")
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^[^A-Za-z0-9]/, "r")
    .slice(0, Limits.refusing.importNameCharactersMax)
  let unique = name
  for (let index = 2; names.has(unique); index++) unique = `${name}-${index}`
  names.add(unique)
  return unique
}

interface Ready extends Options {
  readonly pack: TaskPack.TaskPack
}

/** Builds the state in which every run begins: that of the pack, with the tables of the data folder. */
const initial = Effect.fnUntraced(function* ({ data, pack }: Ready) {
  const declared = PackRules.of(pack).initial
  for (const name of Object.keys(data?.tables ?? {})) {
    if (Table.is(declared.world[name])) continue
    const problem = `holds the table ${name}, which the pack does not declare under state.world`
    return yield* new DataFolder.DataFolderInvalid({ path: `db/${name}.json`, problem })
  }
  return { world: { ...declared.world, ...data?.tables }, working: declared.working } satisfies Rules.Sections
})

/** Folds a conversation. A value that JSON cannot carry is reported as a fault of the line. */
const build = (
  { file }: Options,
  setting: (run: Run.Run) => ChatRun.Setting,
  { chat, line, run }: Reading
): Result.Result<ChatRun.ChatRun, JsonLines.LineInvalid> => {
  try {
    return Result.succeed(ChatRun.make(setting(run), run, chat))
  } catch (cause) {
    if (Branded.isError(cause, Fold.SourceMissing)) throw cause
    const problem = `it cannot be folded under this pack: ${cause instanceof Error ? cause.message : String(cause)}`
    return Result.fail(new JsonLines.LineInvalid({ file, line: line.number, problem }))
  }
}

/** Answers the head of a run in the store. Fails if the store has another history under the same name. */
const standing = Effect.fnUntraced(function* (
  store: TraceStore.TraceStore["Service"],
  { file }: Options,
  { line, made, run }: Made
) {
  const head = (yield* store.info(run))?.head ?? HashChain.genesis(run)
  if (head.tick > 0 && made.sealed[head.tick - 1]?.link !== head.link) {
    return yield* new RunDiffers({ run: run.id, file, line: line.number, tick: head.tick })
  }
  return head
})

/** Appends the transitions that the store lacks; answers whether it had all of them. */
const append = Effect.fnUntraced(function* (store: TraceStore.TraceStore["Service"], options: Options, ready: Made) {
  const { claims, sealed } = ready.made
  const expected = yield* standing(store, options, ready)
  yield* RecordedAppend.append({ run: ready.run, expected, transitions: sealed.slice(expected.tick), claims })
  return expected.tick === sealed.length
})

const imported = (
  { data, pack }: Ready,
  { chat, line, made, present, run }: Made & { readonly present: boolean }
): ImportedRun => {
  const tables = Object.fromEntries(
    Object.keys(data?.tables ?? {}).flatMap((name) => {
      const field = made.state.world[name]
      return Table.is(field) ? [[name, field] as const] : []
    })
  )
  return {
    run,
    state: made.state,
    line,
    summary: {
      id: run.id,
      messages: chat.messages,
      toolCalls: chat.toolCalls,
      repeatedToolCallIds: chat.repeatedToolCallIds,
      ...made.counts,
      lost: chat.lost,
      repeats: Repeats.of(made.sealed.map(Transition.open), (tool) => TaskPack.tool(pack, tool)),
      finalStateHash: data === undefined ? null : DataFolder.hash(tables),
      length: made.sealed.length,
      present
    }
  }
}
