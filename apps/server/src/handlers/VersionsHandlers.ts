/** Answers questions of version control, records the answers, and makes forks. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as VersionsApi from "@backstitch/api/VersionsApi"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import * as Blaming from "@backstitch/runtime/Blaming"
import * as ContributorSearch from "@backstitch/runtime/ContributorSearch"
import * as Forking from "@backstitch/runtime/Forking"
import * as RunComparison from "@backstitch/runtime/RunComparison"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { about } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "versions", (group) =>
  group.handleAll({
    diff: ({ params, query }) => about(params, (run) => RunComparison.of(run, { ...run, id: params.other }, query)),
    recordDiff: (arrived) =>
      Writes.write(
        arrived,
        VersionsApi.Diff,
        Effect.fnUntraced(function* (caller) {
          const run = yield* Writes.target(caller, arrived)
          return yield* RunComparison.recorded(run, { ...run, id: arrived.params.other }, arrived.payload)
        })
      ),
    bisect: ({ params, query }) => about(params, (run) => Bisecting.bisect(run, query)),
    recordBisect: (arrived) =>
      Writes.write(
        arrived,
        VersionsApi.Onset,
        Effect.fnUntraced(function* (caller) {
          const run = yield* Writes.target(caller, arrived)
          const { asked, diagnosis } = arrived.payload
          const verdict = diagnosis === undefined ? undefined : { diagnosis, by: caller.name }
          return yield* Bisecting.recorded(run, asked, { verdict })
        })
      ),
    contributors: ({ params, query }) => about(params, (run) => ContributorSearch.contributors(run, query)),
    blame: ({ params, query: { field, history, tick } }) =>
      about(params, (run) => Blaming.blame({ run, tick }, field, { history: history === "true" })),
    fork: (arrived) =>
      Writes.write(arrived, VersionsApi.Forked, ({ tenant }) => {
        const { run, ...asked } = arrived.payload
        const parent: Run = { tenant, id: arrived.params.run }
        const child = run === undefined ? undefined : { tenant, id: run }
        return Effect.map(Forking.fork({ ...asked, parent, child }), Forking.shown)
      })
  })
)
