/**
 * A run that grows by the spans of one trace, as far as its transitions tell.
 *
 * A span may come late, twice, or without its parent. It is known by its name, which its transitions carry. A span
 * that told nothing new left no transition, and tells nothing new again.
 */
import type * as Chat from "@backstitch/importers/Chat"
import * as OtelGenAi from "@backstitch/importers/OtelGenAi"
import type * as Spans from "@backstitch/importers/Spans"
import * as Transcript from "@backstitch/importers/Transcript"
import * as Payload from "@backstitch/kernel/Payload"
import type { Transition } from "@backstitch/trace/Transition"
import type * as Schema from "effect/Schema"

/** The source of a transition that the span of a tool told, and of one that a model call told. */
export const sources = { tool: "tool span", model: "model span" } as const

/** The name of a span in the envelopes of its transitions. */
export const nameOf = ({ id, trace }: Spans.Span): string => `${trace}-${id}`

/** A run at its last transition, with the spans that it has. */
export class SpanRun {
  private readonly transcript: Transcript.Transcript
  private readonly spans: Set<string>

  private constructor(transcript: Transcript.Transcript, spans: Set<string>) {
    this.transcript = transcript
    this.spans = spans
  }

  /** Reads a run from its transitions. */
  static of(transitions: ReadonlyArray<Transition>): SpanRun {
    const spans = new Set(transitions.flatMap(({ envelope: { trace } }) => (trace === undefined ? [] : [trace])))
    return new SpanRun(Transcript.Transcript.recalling(transitions.flatMap(recalled)), spans)
  }

  /** Adds a span, and answers the new steps that it tells, by message; none if it is known, or tells nothing new. */
  add(span: Spans.Span): ReadonlyArray<ReadonlyArray<Chat.ChatStep>> {
    const name = nameOf(span)
    if (this.spans.has(name)) return []
    this.spans.add(name)
    // A span around model calls repeats what they tell, and ends after them.
    if (OtelGenAi.kindOf(span) === "around" && this.transcript.length > 0) return []
    OtelGenAi.add(this.transcript, span)
    return this.transcript.take().filter((steps) => steps.length > 0)
  }
}

const recalled = ({ body, envelope }: Transition): ReadonlyArray<Transcript.Recalled> => {
  const step = stepOf(body)
  return step === undefined ? [] : [{ step, isToolSpan: envelope.source === sources.tool }]
}

const stepOf = (body: Transition["body"]): Transcript.RecalledStep | undefined => {
  const own = Payload.read(body)
  const { action, result } = own
  switch (own.type) {
    case "message.received": {
      const { content = "", role = "user" } = own.data ?? {}
      return { _tag: "Received", role: String(role), content: String(content) }
    }
    case "message.sent": {
      const { content = "" } = own.data ?? {}
      return { _tag: "Sent", content: String(content) }
    }
    case "action.request":
      if (action?.tool === undefined) return undefined
      return {
        _tag: "Called",
        action: action.id,
        call: { tool: action.tool, args: (action.params ?? {}) as Schema.Json }
      }
    case "action.result":
      if (action === undefined) return undefined
      return {
        _tag: "Answered",
        action: action.id,
        output: typeof result?.output === "string" ? result.output : null
      }
    default:
      return undefined
  }
}
