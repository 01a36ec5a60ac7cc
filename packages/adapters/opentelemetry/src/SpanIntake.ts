/**
 * Takes spans of generative AI in, and commits what they tell: one run for each trace, live.
 *
 * The spans of a request are committed before it is acknowledged, in the order in which they began. A late span is
 * appended after what came before it, with its own time in the envelope. Spans that are sent again change nothing,
 * also after a crash between the commit and the acknowledgement.
 *
 * @source docs/decisions/0062
 */
import * as Sensitive from "@backstitch/contracts/Sensitive"
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as Chat from "@backstitch/importers/Chat"
import * as ChatRun from "@backstitch/importers/ChatRun"
import * as Import from "@backstitch/importers/Import"
import * as OtelGenAi from "@backstitch/importers/OtelGenAi"
import * as RunSetting from "@backstitch/importers/RunSetting"
import type * as Spans from "@backstitch/importers/Spans"
import * as Commit from "@backstitch/kernel/Commit"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as RecordedAppend from "@backstitch/runtime/RecordedAppend"
import * as Branded from "@backstitch/trace/Branded"
import * as Canonical from "@backstitch/trace/Canonical"
import type * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Sealed } from "@backstitch/trace/Transition"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Limits from "./Limits.ts"
import * as SpanRun from "./SpanRun.ts"

/** The settings of an intake. Runs are named `<prefix>-<trace>`. */
export interface Options {
  /** Without a contract every tool is unknown, but everything is recorded. */
  readonly pack?: TaskPack.TaskPack | undefined
  readonly tenant?: string | undefined
  readonly prefix?: string | undefined
}

/**
 * The answer to spans: those that were committed or told nothing new, those that are no spans of generative AI, and
 * those that were refused, with the reason of the first.
 */
export interface IntakeCount {
  readonly taken: number
  readonly ignored: number
  readonly refused: number
  readonly why: string | undefined
  /** The runs that have grown. */
  readonly runs: ReadonlyArray<string>
}

/** Error for spans that the store could not commit. */
export type Uncommitted = History.HistoryError | Claims.ClaimRefused

/** Takes spans in. */
export interface SpanIntake {
  readonly take: (spans: ReadonlyArray<Spans.Span>) => Effect.Effect<IntakeCount, Uncommitted>
}

/** Makes an intake over the store that is provided. Fails for a pack with sensitive fields: spans come in clear. */
export const make = Effect.fn("SpanIntake.make")(function* ({ pack: given, prefix = "trace", tenant }: Options) {
  const pack = given ?? RunSetting.observed
  if (Sensitive.entriesOf(pack).some(Sensitive.isIn)) {
    return yield* new Import.RecordedInClear({ file: "Each span", pack: pack.id })
  }
  const store = yield* TraceStore.TraceStore
  const history = yield* History.History
  const library = yield* PackLibrary.PackLibrary
  const sections = PackRules.of(pack).initial
  const settingOf = RunSetting.make(library, {
    pack,
    format: OtelGenAi.format,
    sections,
    worldFields: Object.keys(sections.world)
  })
  yield* library.keepPack(pack, { impure: "flag" })
  yield* library.keepInitial(sections)
  const kept = new Kept()

  const load = Effect.fnUntraced(function* (run: Run.Run) {
    const found = yield* store.info(run)
    if (found === undefined) {
      return { live: SpanRun.SpanRun.of([]), position: { head: HashChain.genesis(run), state: State.empty, asOf: 0 } }
    }
    const position = yield* history.at(run, found.head.tick)
    return { live: SpanRun.SpanRun.of(yield* history.transitions(run)), position }
  })

  /** Folds spans onto a run. If that fails, each span is tried by itself, and those that do not fit are refused. */
  const folded = Effect.fnUntraced(function* (run: Run.Run, spans: ReadonlyArray<Spans.Span>) {
    const setting = settingOf({ goal: "recorded" })(run)
    const attempt = (known: Known, members: ReadonlyArray<Spans.Span>) =>
      library.folding(() => Result.map(commitOf(setting, { run, known, spans: members }), (made) => ({ known, made })))
    const first = yield* attempt(kept.take(run.id) ?? (yield* load(run)), spans)
    if (Result.isSuccess(first)) return { ...first.success, unfit: 0, why: first.success.made.why }
    const fit = spans.filter((span) => isFit(setting, span))
    const known = yield* load(run)
    const second = yield* attempt(known, fit)
    const why = `a span cannot be part of a trace: ${first.failure}`
    if (Result.isSuccess(second)) return { ...second.success, unfit: spans.length - fit.length, why }
    const nothing: Made = { sealed: [], claims: [], position: known.position, refused: 0, why }
    return { known: yield* load(run), made: nothing, unfit: spans.length, why }
  })

  /** Commits the spans of one trace, or fails without a change. */
  const grow = Effect.fnUntraced(function* (run: Run.Run, spans: ReadonlyArray<Spans.Span>) {
    const now = yield* Clock.currentTimeMillis
    const { known, made, unfit, why } = yield* folded(run, spans.map(timed(now)))
    const { claims, sealed: transitions } = made
    const part = { run, expected: known.position.head, transitions, claims }
    yield* Effect.provideService(RecordedAppend.append(part), TraceStore.TraceStore, store)
    kept.put(run.id, { live: known.live, position: made.position })
    return { refused: made.refused + unfit, why, hasGrown: made.sealed.length > 0 }
  })

  const retried = Effect.fnUntraced(function* (run: Run.Run, spans: ReadonlyArray<Spans.Span>) {
    for (let attempt = 1; ; attempt++) {
      const grown = yield* Effect.result(grow(run, spans))
      if (grown._tag === "Success") return grown.success
      // Another process has written to the run: its spans are read, and these are added to them.
      const { failure } = grown
      if (failure._tag !== "TickConflict") return yield* failure
      if (attempt >= Limits.pacing.spanAttemptsMax) {
        return yield* new TraceStore.TraceStoreError({
          operation: "append",
          reason: "locked",
          store: "the store",
          run: run.id,
          cause: failure
        })
      }
    }
  })

  const one = yield* Semaphore.make(1)
  const take: SpanIntake["take"] = (spans) =>
    Semaphore.withPermits(
      one,
      1
    )(
      Effect.gen(function* () {
        const { groups, ignored, unnamed } = sorted(spans)
        const runs: Array<string> = []
        let refused = unnamed
        let why = unnamed === 0 ? undefined : "a span needs a trace id of 32 and a span id of 16 hex digits"
        for (const [trace, members] of groups) {
          const run = Run.make(`${prefix}-${trace}`, tenant)
          const grown = yield* retried(run, members)
          if (grown.hasGrown) runs.push(run.id)
          refused += grown.refused
          why ??= grown.why
        }
        return { taken: spans.length - ignored - refused, ignored, refused, why, runs }
      })
    )
  return { take } satisfies SpanIntake
})

interface Known {
  readonly live: SpanRun.SpanRun
  readonly position: Commit.Position
}

/** Runs in memory, the latest last. One that is taken and not put back is read from the store again. */
class Kept {
  private readonly runs = new Map<string, Known>()

  take(id: string): Known | undefined {
    const known = this.runs.get(id)
    this.runs.delete(id)
    return known
  }

  put(id: string, known: Known): void {
    this.runs.set(id, known)
    for (const oldest of this.runs.keys()) {
      if (this.runs.size <= Limits.pacing.liveRunsKeptMax) return
      this.runs.delete(oldest)
    }
  }
}

const isName = ({ id = "", trace }: Spans.Span): boolean =>
  /^[0-9a-f]{32}$/.test(trace) && /^[0-9a-f]{16}$/.test(id) && !/^0+$/.test(trace) && !/^0+$/.test(id)

/** Groups spans by trace, each group in the order in which its spans began. */
const sorted = (spans: ReadonlyArray<Spans.Span>) => {
  const groups = new Map<string, Array<Spans.Span>>()
  let [ignored, unnamed] = [0, 0]
  for (const given of spans) {
    const span = { ...given, trace: given.trace.toLowerCase(), id: given.id?.toLowerCase() }
    if (OtelGenAi.kindOf(span) === "other") ignored++
    else if (!isName(span)) unnamed++
    else {
      const group = groups.get(span.trace)
      if (group === undefined) groups.set(span.trace, [span])
      else group.push(span)
    }
  }
  for (const group of groups.values()) group.sort((left, right) => (left.at ?? 0) - (right.at ?? 0))
  return { groups, ignored, unnamed }
}

/** A time in the far future would be that of every later transition, so it counts as none. */
const timed =
  (now: number) =>
  (span: Spans.Span): Spans.Span =>
    span.at !== undefined && span.at > now + Limits.refusing.spanLeadMillisMax ? { ...span, at: undefined } : span

interface Made {
  readonly sealed: ReadonlyArray<Sealed>
  readonly claims: TraceStore.Append["claims"]
  readonly position: Commit.Position
  readonly refused: number
  readonly why: string | undefined
}

/** Folds what spans tell, message by message; fails with the reason if something of it has no canonical form. */
const commitOf = (
  setting: ChatRun.Setting,
  about: { readonly run: Run.Run; readonly known: Known; readonly spans: ReadonlyArray<Spans.Span> }
): Result.Result<Made, string> => {
  const { known, run, spans } = about
  const sealed: Array<Sealed> = []
  const claims: Array<TraceStore.Append["claims"][number]> = []
  let position = known.position
  let refused = 0
  const commit = (drafts: Parameters<typeof Commit.assemble>[1]["drafts"]): void => {
    const made = Commit.assemble(setting.fold, { run, at: position, drafts })
    sealed.push(...made.sealed)
    claims.push(...made.claims)
    position = made.position
  }
  const { liveTransitionsMax } = Limits.refusing
  try {
    for (const span of spans) {
      if (position.head.tick >= liveTransitionsMax) {
        refused++
        continue
      }
      const source = SpanRun.sources[OtelGenAi.kindOf(span) === "tool" ? "tool" : "model"]
      for (const steps of known.live.add(span)) {
        if (position.head.tick === 0) commit(setting.started)
        commit(draftsOf(setting, steps, { asOf: position.asOf, source, trace: SpanRun.nameOf(span) }))
      }
    }
  } catch (cause) {
    if (Branded.isError(cause, Fold.SourceMissing)) throw cause
    return Result.fail(cause instanceof Error ? cause.message : String(cause))
  }
  const why = refused === 0 ? undefined : `run ${run.id} has ${liveTransitionsMax} transitions, and takes no more spans`
  return Result.succeed({ sealed, claims, position, refused, why })
}

/** Tells whether all that a span tells has a canonical form. */
const isFit = (setting: ChatRun.Setting, span: Spans.Span): boolean => {
  try {
    const steps = SpanRun.SpanRun.of([]).add(span).flat()
    for (const step of steps) Canonical.encode(ChatRun.draftOf(setting, step, { asOf: 0, source: "" }).body)
    return true
  } catch {
    return false
  }
}

const draftsOf = (
  setting: ChatRun.Setting,
  steps: ReadonlyArray<Chat.ChatStep>,
  { asOf, ...place }: { readonly asOf: number; readonly source: string; readonly trace: string }
) => {
  const clock = Math.max(asOf, ...steps.map(({ at = 0 }) => at))
  return steps.map((step) => ChatRun.draftOf(setting, step, { asOf: clock, ...place }))
}
