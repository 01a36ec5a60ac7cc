/**
 * Names failures for telemetry without their messages, which may quote anything: what a caller asked, what a tool
 * answered, a value that a pack declares as sensitive.
 *
 * A failure keeps its tag, and an unforeseen one the places in the code through which it came. The words of it are on
 * record in the run, or in the problem that its caller was sent.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"

/** A failure by its name. */
class Named extends Error {
  constructor(name: string, stack: string) {
    super(name)
    this.name = name
    this.stack = stack
  }
}

/** The name of a failure: its tag, or that of its class. */
const nameOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return typeof error
  if ("_tag" in error && typeof error._tag === "string") return error._tag
  if (error instanceof Named) return error.name
  return error instanceof Error ? error.constructor.name : "object"
}

/** The places of a failure, without its message, which may have any number of lines. */
const placesOf = (error: unknown): string => {
  const lines = error instanceof Error ? (error.stack ?? "").split("\n") : []
  return [nameOf(error), ...lines.filter((line) => /^\s+at .*[:)]\d*\)?$/.test(line))].join("\n")
}

/** Replaces each failure of a cause by its name. */
export const ofCause = (cause: Cause.Cause<unknown>): Cause.Cause<Error> =>
  Cause.fromReasons(
    cause.reasons.map((reason) => {
      if (Cause.isFailReason(reason)) {
        const name = nameOf(reason.error)
        return Cause.makeFailReason(new Named(name, name))
      }
      return Cause.isDieReason(reason)
        ? Cause.makeDieReason(new Named(nameOf(reason.defect), placesOf(reason.defect)))
        : reason
    })
  )

/** A tracer whose spans end with names of failures. */
export const tracer = (self: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...(self.context === undefined ? {} : { context: self.context }),
    span: (options) => {
      const span = self.span(options)
      const end = span.end.bind(span)
      return Object.assign(span, {
        end: (at: bigint, exit: Exit.Exit<unknown, unknown>) =>
          end(at, Exit.isFailure(exit) ? Exit.failCause(ofCause(exit.cause)) : exit)
      })
    }
  })

/** A logger that is given names of failures. */
export const logger = <Output>(self: Logger.Logger<unknown, Output>): Logger.Logger<unknown, Output> =>
  Logger.make((options) => self.log({ ...options, message: plain(options.message), cause: ofCause(options.cause) }))

/** A message may be a failure, or contain one. */
const plain = (message: unknown): unknown => {
  if (Array.isArray(message)) return message.map(plain)
  if (Cause.isCause(message)) return ofCause(message)
  return message instanceof Error ? nameOf(message) : message
}

/** Layer that has the tracer and the loggers below it name failures. */
export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.contextWith((context: Context.Context<never>) => {
    const loggers = new Set([...Context.get(context, Logger.CurrentLoggers)].map((each) => logger(each)))
    const named = Context.make(Logger.CurrentLoggers, loggers)
    const installed = Context.getOrUndefined(context, Tracer.Tracer)
    return Effect.succeed(
      (installed === undefined ? named : Context.add(named, Tracer.Tracer, tracer(installed))) as Context.Context<never>
    )
  })
)
