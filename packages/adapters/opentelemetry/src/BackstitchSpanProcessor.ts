/**
 * A span processor for the OpenTelemetry SDK, which keeps the GenAI spans of its process as runs in a store.
 *
 * Use it if no collector runs beside the agent. It needs no type and no module of the SDK: any processor with these
 * four methods is one. Spans are committed in the background, a fraction of a second after they end. They do not slow
 * the agent down, and a process that is killed has lost the last of them. Spans that wait are bounded, too: if the
 * store is out of reach for long, further ones are dropped, and that is said once.
 */

import * as OtelGenAi from "@backstitch/importers/OtelGenAi"
import * as Spans from "@backstitch/importers/Spans"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Result from "effect/Result"
import * as Limits from "./Limits.ts"
import * as SpanIntake from "./SpanIntake.ts"

/** A span as the SDK ends it, as far as it is read. */
export interface EndedSpan {
  readonly spanContext: () => { readonly traceId: string; readonly spanId: string }
  /** Seconds and nanoseconds. */
  readonly startTime: readonly [number, number]
  readonly attributes: object
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes?: object | undefined }>
}

/** The settings of a processor. */
export interface Options {
  /** A file, or a `postgres://` address. Default: `.backstitch/trace.db`. */
  readonly store?: string | undefined
  /** The file of a pack under which the runs are read; without one they are only observed. */
  readonly pack?: string | undefined
  readonly tenant?: string | undefined
  readonly prefix?: string | undefined
  /** Is told of spans that were refused or dropped, and of a store that cannot be written. Default: nobody. */
  readonly onProblem?: ((problem: string) => void) | undefined
}

/** Keeps the GenAI spans of a process as runs. */
export class BackstitchSpanProcessor {
  private readonly options: Options
  private readonly runtime: ReturnType<typeof runtimeOf>
  private intake: Promise<SpanIntake.SpanIntake> | undefined
  private waiting: Array<Spans.Span> = []
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()
  private dropped = 0
  private isShut = false

  constructor(options: Options = {}) {
    this.options = options
    this.runtime = runtimeOf(options.store ?? ".backstitch/trace.db")
  }

  /** A span that began tells nothing yet. */
  onStart(): void {}

  onEnd(span: EndedSpan): void {
    if (this.isShut) return
    const read = readOf(span)
    if (read === undefined || OtelGenAi.kindOf(read) === "other") return
    if (this.waiting.length >= Limits.refusing.waitingSpansMax) {
      if (++this.dropped === 1) this.tell(`${Limits.refusing.waitingSpansMax} spans wait: further ones are dropped`)
      return
    }
    this.waiting.push(read)
    this.timer ??= setTimeout(() => void this.forceFlush(), Limits.pacing.spanFlushMillis).unref()
  }

  /** Commits the spans that have ended. It never fails: spans that could not be committed wait for the next time. */
  forceFlush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.flushing = this.flushing.then(() => this.flush())
    return this.flushing
  }

  /** Commits the spans that have ended, and closes the store. */
  async shutdown(): Promise<void> {
    if (this.isShut) return
    this.isShut = true
    await this.forceFlush()
    await this.runtime.dispose()
  }

  private async flush(): Promise<void> {
    const batch = this.waiting
    if (batch.length === 0) return
    this.waiting = []
    try {
      this.intake ??= this.runtime.runPromise(intakeOf(this.options))
      const intake = await this.intake
      const { refused, why } = await this.runtime.runPromise(intake.take(batch))
      this.dropped = 0
      if (refused > 0) this.tell(`${refused} spans were refused: ${why}`)
    } catch (cause) {
      this.intake = undefined
      this.waiting = [...batch, ...this.waiting].slice(0, Limits.refusing.waitingSpansMax)
      this.tell(cause instanceof Error ? cause.message : String(cause))
    }
  }

  private tell(problem: string): void {
    this.options.onProblem?.(problem)
  }
}

const runtimeOf = (store: string) =>
  ManagedRuntime.make(
    History.layer(Kernel.standard).pipe(
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(SqlTraceStore.layerFromAddress(store))
    )
  )

const intakeOf = Effect.fnUntraced(function* ({ pack: file, prefix, tenant }: Options) {
  const pack = file === undefined ? undefined : yield* PackFile.load(file, { impure: "keep" })
  return yield* SpanIntake.make({ pack, prefix, tenant })
})

/**
 * Reads a span as its JSON tells it, so that no value of the process that JSON cannot carry reaches a trace; nothing if
 * it has no JSON.
 */
const readOf = (span: EndedSpan): Spans.Span | undefined => {
  const { attributes, events, startTime, status } = span
  const { spanId, traceId } = span.spanContext()
  try {
    const document = Spans.document(JSON.stringify({ traceId, spanId, startTime, status, attributes, events }))
    return Result.isSuccess(document) ? Spans.of(document.success)[0] : undefined
  } catch {
    return undefined
  }
}
