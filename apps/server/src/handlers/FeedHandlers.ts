/** Answers with streams of commits. */
import * as Access from "@backstitch/api/Access"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as FeedCursor from "@backstitch/runtime/FeedCursor"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { about, answer } from "../answer/Answering.ts"
import * as CallerCheck from "../caller/CallerCheck.ts"
import * as FeedStream from "../stream/FeedStream.ts"
import * as OpenStreams from "../stream/OpenStreams.ts"
import * as SharedFeed from "../stream/SharedFeed.ts"

/** The conditions of the stream of a caller, who takes a place among the open ones. */
const conditions = Effect.fnUntraced(function* (streams: OpenStreams.OpenStreams) {
  yield* streams.open(yield* Access.Caller)
  const inForce = yield* CallerCheck.InForce
  const response = NodeHttpServerRequest.toServerResponse(yield* HttpServerRequest.HttpServerRequest)
  const cut = Effect.sync(() => void response.destroy())
  return { inForce, afterOthers: streams.afterOthers, cut }
})

/** The commits of all runs behind a place, each with the place behind it. */
const behind = (place: FeedCursor.FeedCursor) =>
  Stream.mapEffect(StepFeed.steps({ tenant: place.tenant, from: new Map(place.positions) }), ({ head, run, step }) =>
    Effect.map(FeedCursor.pass(place, run.id, head.tick), (id) => ({
      id,
      data: FlatEvent.of(run, step, head, FlatEvent.fieldsByDefault)
    }))
  )

const toEvent = ({ head, run, step }: StepFeed.Followed): FeedStream.FeedEvent => ({
  id: String(head.tick),
  data: FlatEvent.of(run, step, head, FlatEvent.fieldsByDefault)
})

const bases = Effect.sync(() => new FeedCursor.Bases())

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "feed", (group) =>
  Effect.map(Effect.all([OpenStreams.make, SharedFeed.make(toEvent), bases]), ([streams, shared, bases]) =>
    group.handleAll({
      follow: ({ headers: { "last-event-id": last }, params, query }) =>
        Effect.gen(function* () {
          const given = yield* conditions(streams)
          return yield* about(
            params,
            Effect.fnUntraced(function* (run) {
              const from = last === undefined ? query.from : last + 1
              return yield* FeedStream.response(yield* shared.events(run, from), given)
            })
          )
        }),
      followTenant: ({ headers: { "last-event-id": last }, query: { from = "now" } }) =>
        Effect.gen(function* () {
          const given = yield* conditions(streams)
          return yield* answer(
            Effect.fnUntraced(function* ({ tenant }) {
              const place = yield* last === undefined
                ? FeedCursor.begin(tenant, from, bases)
                : FeedCursor.resume(tenant, last)
              return yield* FeedStream.response(behind(place), given, FeedCursor.textOf(place))
            })
          )
        })
    })
  )
)
