/** Spans of an agent that pays, as an OpenTelemetry SDK writes them, and their OTLP documents. */
import * as Spans from "@backstitch/importers/Spans"
import * as Result from "effect/Result"

/** An attribute, a text or a number. */
type Attributes = { readonly [name: string]: string | number }

/** A span with its times, in milliseconds since an arbitrary begin. */
export interface Made {
  readonly trace: number
  readonly id: number
  readonly at?: number
  readonly attributes: Attributes
  readonly error?: string
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0")

/** The name of a trace, and the run of it. */
export const traceOf = (trace: number): string => hex(trace, 32)

/** Makes an OTLP document. */
export const otlp = (made: ReadonlyArray<Made>) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: made.map(({ at = 0, attributes, error, id, trace }) => ({
            traceId: traceOf(trace),
            spanId: hex(id, 16),
            startTimeUnixNano: String(1_700_000_000_000_000_000n + BigInt(at) * 1_000_000n),
            attributes: Object.entries(attributes).map(([key, value]) => ({
              key,
              value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) }
            })),
            ...(error === undefined ? {} : { status: { code: 2, message: error } })
          }))
        }
      ]
    }
  ]
})

/** The spans of an OTLP document, as they are read from its text. */
export const spansOf = (made: ReadonlyArray<Made>): ReadonlyArray<Spans.Span> =>
  Spans.of(Result.getOrThrow(Spans.document(JSON.stringify(otlp(made)))))

const message = (role: string, ...parts: ReadonlyArray<object>) => ({ role, parts })

const said = (content: string) => ({ type: "text", content })

const call = (id: string, amount: number) => ({ type: "tool_call", id, name: "pay", arguments: { order: 7, amount } })

const answer = (id: string, response: string) => ({ type: "tool_call_response", id, response })

/** A model call: the messages that it is given, and its answer. */
export const chat = (
  about: Omit<Made, "attributes">,
  given: ReadonlyArray<object>,
  answered: ReadonlyArray<object>
): Made => ({
  ...about,
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": JSON.stringify(given),
    "gen_ai.output.messages": JSON.stringify(answered)
  }
})

/** The span of a payment. */
export const pay = (about: Omit<Made, "attributes">, { id, result }: { id?: string; result?: string } = {}): Made => ({
  ...about,
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "pay",
    "gen_ai.tool.call.arguments": JSON.stringify({ order: 7, amount: 3 }),
    ...(id === undefined ? {} : { "gen_ai.tool.call.id": id }),
    ...(result === undefined ? {} : { "gen_ai.tool.call.result": result })
  }
})

const asks = message("user", said("pay order 7"))

/** An agent that pays, gets no answer in time, and pays again: five spans in the order in which they end. */
export const paysTwice = (trace: number): ReadonlyArray<Made> => [
  chat({ trace, id: 1, at: 10 }, [asks], [message("assistant", call("c1", 3))]),
  pay({ trace, id: 2, at: 20, error: "timed out" }, { id: "c1" }),
  chat(
    { trace, id: 3, at: 30 },
    [asks, message("assistant", call("c1", 3)), message("tool", answer("c1", "timed out"))],
    [message("assistant", call("c2", 3))]
  ),
  pay({ trace, id: 4, at: 40 }, { id: "c2", result: "paid" }),
  chat(
    { trace, id: 5, at: 50 },
    [
      asks,
      message("assistant", call("c1", 3)),
      message("tool", answer("c1", "timed out")),
      message("assistant", call("c2", 3)),
      message("tool", answer("c2", "paid"))
    ],
    [message("assistant", said("paid"))]
  )
]
