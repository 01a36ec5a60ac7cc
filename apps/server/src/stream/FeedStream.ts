/**
 * Sends commits as server-sent events: each with its place in the feed as the id, so that a stream that was cut goes
 * on behind the last event that its reader has seen.
 *
 * The reader pulls. The next commits are read and written once the connection has taken the last ones. A reader that
 * does not read costs one page of the feed, and is cut off after a while. A stream also ends after a time, so that no
 * place among the streams is kept for ever.
 *
 * @source WHATWG HTML, "Server-sent events"
 */
import * as Problem from "@backstitch/api/Problem"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as Draining from "../upkeep/Draining.ts"
import * as StoreFaults from "../upkeep/StoreFaults.ts"

/** A commit in a stream: its place, and the transition as a flat event. */
export interface FeedEvent {
  readonly id: string
  readonly data: JsonObject
}

/** The conditions under which a stream goes on. */
export interface Conditions {
  /** Fails once the key of the reader is not in force. Nothing is sent after that. */
  readonly inForce: Effect.Effect<void, Problem.TypedProblem>
  /** Waits for everything else that the process has to do. */
  readonly afterOthers: Effect.Effect<void>
  /** Closes the connection of the reader. */
  readonly cut: Effect.Effect<void>
}

/** The times after which a stream is cut because its reader takes nothing, and after which any stream ends. */
export const Times = Context.Reference<{ readonly stallMillis: number; readonly lifeMillis: number }>(
  "@backstitch/server/StreamTimes",
  {
    defaultValue: () => ({
      stallMillis: Limits.pacing.streamStallMillisMax,
      lifeMillis: Limits.pacing.streamMillisMax
    })
  }
)

/**
 * Answers with a stream. It ends when its time is over, when the server stops, or with an event `problem`. A
 * `place` is sent first, as an event id, so that a reader knows where it stands before any event comes.
 */
export const response = <E extends Problem.ListedError, R>(
  events: Stream.Stream<FeedEvent, E, R>,
  conditions: Conditions,
  place?: string
) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<R>()
    const { begun } = yield* Draining.Draining
    const { lifeMillis, stallMillis } = yield* Times
    const known = Stream.mapError(Stream.tapError(events, StoreFaults.log), Problem.of)
    const told = Stream.transformPull(known, (pull, scope) =>
      Effect.gen(function* () {
        const life = yield* Effect.forkIn(Effect.sleep(Duration.millis(lifeMillis)), scope)
        const ended = Effect.race(begun, Fiber.join(life))
        const written = taken(paced(pull, scope, conditions), { scope, stallMillis, cut: conditions.cut })
        return Effect.raceFirst(written, Effect.andThen(ended, Cause.done()))
      })
    )
    const text = told.pipe(
      Stream.catch((problem) => Stream.make(written({ event: "problem", data: problem }))),
      Stream.provideContext(services),
      Stream.prepend([`retry: ${Limits.pacing.streamRetryMillis}\n\n${place === undefined ? "" : `id: ${place}\n\n`}`])
    )
    return HttpServerResponse.stream(Stream.encodeText(text), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  })

type Events = readonly [FeedEvent, ...Array<FeedEvent>]

/** Cuts the connection of a reader that has not taken a piece in time. The next one is pulled once it has. */
const taken = <A, E>(
  pull: Pull.Pull<A, E, void>,
  {
    cut,
    scope,
    stallMillis
  }: { readonly cut: Effect.Effect<void>; readonly scope: Scope.Scope; readonly stallMillis: number }
): Pull.Pull<A, E, void> => {
  let waiting: Fiber.Fiber<void> | undefined
  return Effect.gen(function* () {
    if (waiting !== undefined) yield* Fiber.interrupt(waiting)
    const piece = yield* pull
    waiting = yield* Effect.forkIn(Effect.andThen(Effect.sleep(Duration.millis(stallMillis)), cut), scope)
    return piece
  })
}

/** Writes few events at a time. A page that is long in coming is awaited further after a comment. */
const paced = (
  pull: Pull.Pull<Events, Problem.TypedProblem, void>,
  scope: Scope.Scope,
  { afterOthers, inForce }: Conditions
): Pull.Pull<readonly [string], Problem.TypedProblem, void> => {
  let rest: ReadonlyArray<FeedEvent> = []
  let awaited: Fiber.Fiber<Events, Effect.Error<typeof pull>> | undefined
  return Effect.gen(function* () {
    yield* afterOthers
    if (rest.length === 0) {
      awaited ??= yield* Effect.forkIn(pull, scope)
      const page = yield* Effect.timeoutOption(Fiber.await(awaited), Limits.pacing.streamBeatMillis)
      if (Option.isSome(page)) {
        awaited = undefined
        rest = yield* page.value
      }
    }
    yield* inForce
    const events = rest.slice(0, Limits.pacing.streamEventsMax)
    rest = rest.slice(events.length)
    return [events.map(textOf).join("") || ":\n\n"] as const
  })
}

/** Events that go to several readers are written once. */
const texts = new WeakMap<FeedEvent, string>()

const textOf = (event: FeedEvent): string => {
  const known = texts.get(event)
  if (known !== undefined) return known
  const text = written({ ...event, event: "transition" })
  texts.set(event, text)
  return text
}

const written = ({
  data,
  event,
  id
}: {
  readonly id?: string
  readonly event: string
  readonly data: object
}): string => `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
