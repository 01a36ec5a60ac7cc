/** Answers with streams of commits. */
import * as Access from "@backstitch/api/Access"
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { about } from "../answer/Answering.ts"
import * as CallerCheck from "../caller/CallerCheck.ts"
import * as FeedStream from "../stream/FeedStream.ts"
import * as OpenStreams from "../stream/OpenStreams.ts"

const fields = FlatEvent.fields.filter((field) => field !== "state_before" && field !== "state_after")

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "feed", (endpoints) =>
  Effect.map(OpenStreams.make, (streams) =>
    endpoints.handleAll({
      follow: ({ headers: { "last-event-id": last }, params, query }) =>
        Effect.gen(function* () {
          yield* streams.open((yield* Access.Caller).key)
          const inForce = yield* CallerCheck.InForce
          return yield* about(
            params,
            Effect.fnUntraced(function* (run) {
              const from = last === undefined ? query.from : last + 1
              const steps = StepFeed.steps(yield* StepFeed.select({ run, from }))
              const events = Stream.map(steps, ({ head, run, step }) => ({
                id: String(head.tick),
                data: FlatEvent.of(run, step, head, fields)
              }))
              return yield* FeedStream.response(events, { inForce, afterOthers: streams.afterOthers })
            })
          )
        })
    })
  )
)
