/** Answers about the subtasks of a run, and takes one back in the name of the caller. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as RecoveryApi from "@backstitch/api/RecoveryApi"
import * as RunHost from "@backstitch/host/RunHost"
import * as SubtaskRecovery from "@backstitch/runtime/SubtaskRecovery"
import * as SubtaskReport from "@backstitch/runtime/SubtaskReport"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { about } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "recovery", (group) =>
  group.handleAll({
    instances: ({ params }) =>
      about(params, (run) =>
        Effect.map(SubtaskRecovery.lift(run), (lift) => ({ run: run.id, instances: SubtaskReport.instances(lift) }))
      ),
    checkpoints: ({ params }) =>
      about(params, (run) =>
        Effect.map(SubtaskRecovery.lift(run), (lift) => ({ run: run.id, checkpoints: SubtaskReport.checkpoints(lift) }))
      ),
    judge: ({ params, query }) => about(params, (run) => SubtaskReport.judgment(run, SubtaskRecovery.askedOf(query))),
    recover: (arrived) =>
      Writes.write(
        arrived,
        RecoveryApi.Restored,
        Effect.fnUntraced(function* (caller) {
          const run = yield* Writes.target(caller, arrived)
          return yield* (yield* RunHost.RunHost).recover(run, { ...arrived.payload, by: caller.name })
        })
      )
  })
)
