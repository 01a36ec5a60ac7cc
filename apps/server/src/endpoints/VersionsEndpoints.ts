/** Answers questions of version control, and makes forks. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as VersionsApi from "@backstitch/api/VersionsApi"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import * as Blaming from "@backstitch/runtime/Blaming"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as ContributorSearch from "@backstitch/runtime/ContributorSearch"
import * as Diffing from "@backstitch/runtime/Diffing"
import * as Forking from "@backstitch/runtime/Forking"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { about } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "versions", (endpoints) =>
  endpoints.handleAll({
    diff: ({ params, query }) => about(params, (run) => Diffing.diff(run, { ...run, id: params.other }, query)),
    bisect: ({ params, query }) => about(params, (run) => Bisecting.bisect(run, query)),
    contributors: ({ params, query }) => about(params, (run) => ContributorSearch.contributors(run, query)),
    blame: ({ params, query: { field, history, tick } }) =>
      about(params, (run) => Blaming.blame({ run, tick }, field, { history: history === "true" })),
    fork: (arrived) =>
      Writes.write(
        arrived,
        VersionsApi.Forked,
        Effect.fnUntraced(function* ({ tenant }) {
          const parent = { tenant, id: arrived.params.run }
          const { at, behindUndone, budget, reason, run } = arrived.payload
          const child = run === undefined ? undefined : { tenant, id: run }
          const forked = yield* Forking.fork({ parent, at, child, reason, budget, behindUndone })
          const { compared, head } = forked
          return { run: forked.run.id, parent: parent.id, at, head, compared }
        })
      ),
    rehearseCherryPick: ({ params: { other, run, tick } }) =>
      about({ run }, (from) => CherryPicking.rehearse({ from, tick, onto: { ...from, id: other } })),
    instances: ({ params }) =>
      about(params, (run) =>
        Effect.map(SubtaskRecovery.lift(run), (lift) => ({ run: run.id, instances: SubtaskReport.instances(lift) }))
      ),
    checkpoints: ({ params }) =>
      about(params, (run) =>
        Effect.map(SubtaskRecovery.lift(run), (lift) => ({ run: run.id, checkpoints: SubtaskReport.checkpoints(lift) }))
      )
  })
)
