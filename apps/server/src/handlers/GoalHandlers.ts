/** Answers about the goal of a run, and revises it in the name of the caller. */
import { BackstitchApi } from "@backstitch/api/BackstitchApi"
import * as GoalApi from "@backstitch/api/GoalApi"
import * as RunHost from "@backstitch/host/RunHost"
import type * as Revising from "@backstitch/runtime/Revising"
import * as RunGoal from "@backstitch/runtime/RunGoal"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { about } from "../answer/Answering.ts"
import * as Writes from "../answer/Writes.ts"

/** The parts of a revision that a request has. */
interface Requested {
  readonly changes?: ReadonlyArray<GoalApi.RevisionChange>
  readonly keeps?: ReadonlyArray<string>
  readonly widens?: boolean
}

/** Reads a revision. Its values are JSON, and are refused where a trace could not carry them. */
const revisionOf = <R extends Requested>({ changes = [], keeps, widens, ...more }: R) => ({
  ...more,
  changes: changes as Revising.Revision["changes"],
  keeps: keeps === undefined || keeps.length === 0 ? undefined : keeps,
  widens: widens === true ? (true as const) : undefined
})

/** Layer of the group. */
export const layer = HttpApiBuilder.group(BackstitchApi, "goal", (group) =>
  group.handleAll({
    specification: ({ params }) => about(params, RunGoal.specification),
    plan: ({ params, payload }) => about(params, (run) => RunGoal.plan(run, revisionOf(payload))),
    rehearse: ({ params, payload: { words, ...given } }) =>
      about(
        params,
        Effect.fnUntraced(function* (run) {
          const host = yield* RunHost.RunHost
          return RunGoal.rehearsed(run, yield* host.rehearse(run, { words, revision: revisionOf(given) }))
        })
      ),
    inject: (arrived) =>
      Writes.write(
        arrived,
        GoalApi.Revised,
        Effect.fnUntraced(function* (caller) {
          const run = yield* Writes.target(caller, arrived)
          const host = yield* RunHost.RunHost
          const { words, ...given } = arrived.payload
          const command = Writes.commandOf(arrived, caller)
          const asked = { words, revision: { ...revisionOf(given), by: caller.name, command } }
          return RunGoal.revised(run, yield* host.inject(run, asked))
        })
      )
  })
)
