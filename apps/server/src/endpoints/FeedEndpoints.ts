/** Answers with streams of commits. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as FlatEvent from "@backstitch/runtime/FlatEvent"
import * as StepFeed from "@backstitch/runtime/StepFeed"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import { about } from "../answer/Answering.ts"
import * as FeedStream from "../answer/FeedStream.ts"

const fields = FlatEvent.fields.filter((field) => field !== "state_before" && field !== "state_after")

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "feed", (endpoints) =>
  endpoints.handleAll({
    follow: ({ headers: { "last-event-id": last }, params, query }) =>
      about(
        params,
        Effect.fnUntraced(function* (run) {
          const from = last === undefined ? query.from : last + 1
          const steps = StepFeed.steps(yield* StepFeed.select({ run, from }))
          return yield* FeedStream.response(
            Stream.map(steps, ({ head, run, step }) => ({
              id: String(head.tick),
              data: FlatEvent.of(run, step, head, fields)
            }))
          )
        })
      )
  })
)
