/** Answers about predicates of runs, and adds one to the pack of a run in the name of the caller. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as PredicatesApi from "@backstitch/api/PredicatesApi"
import * as BoundPredicates from "@backstitch/runtime/BoundPredicates"
import * as Predicates from "@backstitch/runtime/Predicates"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { about, answer } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "predicates", (group) =>
  group.handleAll({
    list: ({ params }) => about(params, BoundPredicates.of),
    course: ({ params, query: { predicate } }) => about(params, (run) => Predicates.course(run, predicate)),
    try: ({ payload: { samples, violation } }) =>
      answer(({ tenant }) =>
        BoundPredicates.attempt(violation, { samples: samples.map((id): Run => ({ tenant, id })) })
      ),
    extend: (arrived) =>
      Writes.write(
        arrived,
        PredicatesApi.Added,
        Effect.fnUntraced(function* (caller) {
          const { samples = [], violation } = arrived.payload
          const run = yield* Writes.target(caller, arrived)
          const tried = samples.map((id): Run => ({ ...run, id }))
          return yield* BoundPredicates.add(run, violation, { samples: tried, approvedBy: caller.name })
        })
      )
  })
)
