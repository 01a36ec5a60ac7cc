/**
 * Sends commits as server-sent events: each with its place in the feed as the id, so that a stream that was cut goes
 * on behind the last event that its reader has seen.
 *
 * @source WHATWG HTML, "Server-sent events"
 */
import * as Problem from "@backstitch/api/Problem"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as Draining from "./Draining.ts"

/** A commit in a stream: its place, and the transition as a flat event. */
export interface Event {
  readonly id: string
  readonly data: JsonObject
}

/** Answers with a stream. It has no end of its own: it ends when the server stops, or with an event `problem`. */
export const response = <E extends Problem.Known, R>(events: Stream.Stream<Event, E, R>) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<R>()
    const { begun } = yield* Draining.Draining
    const told = events.pipe(
      Stream.map(({ data, id }) => written({ id, event: "transition", data })),
      Stream.catch((error) => Stream.make(written({ event: "problem", data: Problem.of(error) }))),
      Stream.provideContext(services)
    )
    const beats = Stream.map(Stream.tick(Limits.pacing.streamBeatMillis), () => ":\n\n")
    const text = Stream.merge(told, beats, { haltStrategy: "left" }).pipe(
      Stream.interruptWhen(begun),
      Stream.prepend([`retry: ${Limits.pacing.streamRetryMillis}\n\n`])
    )
    return HttpServerResponse.stream(Stream.encodeText(text), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  })

const written = ({
  data,
  event,
  id
}: {
  readonly id?: string
  readonly event: string
  readonly data: object
}): string => `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
