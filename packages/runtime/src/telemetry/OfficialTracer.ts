/**
 * Writes the spans of actions through a tracer of the OpenTelemetry SDK, so that they are exported with those of the
 * program.
 *
 * The runtime writes a chain of linked spans for each action, with any tracer of Effect that is installed. This is such
 * a tracer. A span that a tool's own code begins is below the span in which the tool was called, if the program has a
 * context manager.
 *
 * No action fails because the SDK does. If the SDK cannot begin a span, that span is written nowhere. An error that it
 * throws about a span later is dropped.
 *
 * The API comes as an argument, so that the program decides on its version. Here are only the parts of it that are
 * used, as types of their own: no package of OpenTelemetry is needed to compile this.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** The parts of `@opentelemetry/api` that are used. */
export interface OfficialApi {
  readonly ROOT_CONTEXT: object
  readonly context: {
    active(): object
    with<A>(context: object, run: () => A): A
  }
  readonly trace: {
    setSpan(context: object, span: OfficialSpan): object
    setSpanContext(context: object, span: OfficialSpanContext): object
  }
}

/** A tracer of the SDK. */
export interface OfficialTracer {
  startSpan(name: string, settings?: Settings, context?: object): OfficialSpan
}

/** A span of the SDK. */
export interface OfficialSpan {
  spanContext(): OfficialSpanContext
  setAttribute(key: string, value: Attribute): unknown
  addEvent(name: string, attributes: Attributes, time: Time): unknown
  addLinks(links: Array<Link>): unknown
  setStatus(status: { code: number; message: string }): unknown
  recordException(cause: Error, time: Time): unknown
  end(time: Time): void
}

/** The names of a span. */
export interface OfficialSpanContext {
  spanId: string
  traceId: string
  traceFlags: number
  isRemote?: boolean
}

type Attribute = string | number | boolean

interface Attributes {
  [key: string]: Attribute
}

interface Link {
  context: OfficialSpanContext
  attributes: Attributes
}

interface Settings {
  kind: number
  links: Array<Link>
  startTime: Time
}

/** Seconds and nanoseconds, as the SDK has them. */
type Time = [seconds: number, nanoseconds: number]

/**
 * Makes a tracer of Effect from one of the SDK.
 *
 * **Example** (A layer for a program with an SDK)
 *
 * ```ts
 * import { OfficialTracer } from "@backstitch/runtime"
 * import * as api from "@opentelemetry/api"
 *
 * const spans = OfficialTracer.layer(api, api.trace.getTracer("my-agent"))
 * ```
 */
export const make = (api: OfficialApi, tracer: OfficialTracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      try {
        return new BridgedSpan(api, tracer, options)
      } catch {
        return new Tracer.NativeSpan(options)
      }
    },
    context: (primitive, fiber) => {
      const current = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
      const run = () => primitive["~effect/Effect/evaluate"](fiber)
      return current instanceof BridgedSpan ? within(api, current.official, run) : run()
    }
  })

/** Runs with a span as the active one of the program; without it, if the program has no working context manager. */
const within = <A>({ context, trace }: OfficialApi, span: OfficialSpan, run: () => A): A => {
  let isBegun = false
  try {
    return context.with(trace.setSpan(context.active(), span), () => {
      isBegun = true
      return run()
    })
  } catch (cause) {
    if (isBegun) throw cause
    return run()
  }
}

/** Tells the SDK something about a span, if it takes it. */
const attempt = (tell: () => unknown): void => {
  try {
    tell()
  } catch {
    // The span lacks it.
  }
}

/** Installs a tracer of the SDK. */
export const layer = (api: OfficialApi, tracer: OfficialTracer): Layer.Layer<never> =>
  Layer.succeed(Tracer.Tracer, make(api, tracer))

class BridgedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly official: OfficialSpan
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Context.Context<never>
  readonly links: Array<Tracer.SpanLink>
  readonly kind: Tracer.SpanKind
  readonly sampled: boolean
  readonly attributes = new Map<string, unknown>()
  status: Tracer.SpanStatus

  constructor(api: OfficialApi, tracer: OfficialTracer, options: Parameters<Tracer.Tracer["span"]>[0]) {
    const { annotations, kind, links, name, parent, root, startTime } = options
    this.name = name
    this.annotations = annotations
    this.links = [...links]
    this.kind = kind
    this.parent = parent
    this.status = { _tag: "Started", startTime }
    const above = Option.getOrUndefined(parent)
    // Without a parent of its own, a span belongs to the one that the program has open.
    const outer = root ? api.ROOT_CONTEXT : api.context.active()
    const context = above === undefined ? outer : api.trace.setSpanContext(outer, contextOf(above))
    const settings = { kind: kinds[kind], links: links.map(linkOf), startTime: timeOf(startTime) }
    this.official = tracer.startSpan(name, settings, context)
    const { spanId, traceFlags, traceId } = this.official.spanContext()
    this.spanId = spanId
    this.traceId = traceId
    this.sampled = (traceFlags & 1) === 1
  }

  attribute(key: string, value: unknown): void {
    this.attributes.set(key, value)
    attempt(() => this.official.setAttribute(key, plain(value)))
  }

  event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    const told = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, plain(value)]))
    attempt(() => this.official.addEvent(name, told, timeOf(startTime)))
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.links.push(...links)
    attempt(() => this.official.addLinks(links.map(linkOf)))
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    this.status = { _tag: "Ended", startTime: this.status.startTime, endTime, exit }
    if (Exit.isFailure(exit)) {
      const [first] = Cause.prettyErrors(exit.cause)
      const message = first?.message ?? "interrupted"
      attempt(() => this.official.setStatus({ code: 2, message }))
      if (first !== undefined) attempt(() => this.official.recordException(first, timeOf(endTime)))
    }
    attempt(() => this.official.end(timeOf(endTime)))
  }
}

/** The numbers of the API. */
const kinds: { readonly [Kind in Tracer.SpanKind]: number } = {
  internal: 0,
  server: 1,
  client: 2,
  producer: 3,
  consumer: 4
}

const contextOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): OfficialSpanContext => ({
  spanId,
  traceId,
  traceFlags: sampled ? 1 : 0,
  isRemote: false
})

const linkOf = ({ attributes, span }: Tracer.SpanLink): Link => ({
  context: contextOf(span),
  attributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, plain(value)]))
})

const plain = (value: unknown): Attribute =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : String(value)

const timeOf = (nanos: bigint): Time => [Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n)]
