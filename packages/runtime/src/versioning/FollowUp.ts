/**
 * Begins the run that follows a finished one whose goal was revised: with its beliefs, under the revised clauses.
 *
 * A goal is reached once. A revision of a goal that was reached is absorbed by the run that reached it, since its acts
 * are its own to undo. What remains to be done is another run.
 *
 * @source docs/decisions/0057
 */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Payload from "@backstitch/kernel/Payload"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as Revising from "../run/Revising.ts"
import * as Seeding from "./Seeding.ts"

/** The first free name of a follow-up: `trip-42-2`, `trip-42-3`. */
export const name = Effect.fnUntraced(function* ({ id, tenant }: Run.Run) {
  const store = yield* TraceStore.TraceStore
  for (let count = 2; ; count++) {
    const run = Run.make(`${id}-${count}`, tenant)
    if ((yield* store.info(run)) === undefined) return run
  }
})

/**
 * Begins the run that follows a finished one. Each field is taken over as it is after the absorption. The revisions of
 * the finished run are injected as one, which names that run.
 */
export const begin = Effect.fn("FollowUp.begin")(function* (finished: Run.Run, run: Run.Run, by?: string) {
  const history = yield* History.History
  const coordinator = yield* Coordinator.Coordinator
  const { head } = yield* history.info(finished)
  const { state } = yield* history.at(finished, head.tick)
  const transitions = yield* history.transitions(finished)
  const fields = (["world", "working"] as const).flatMap((section) =>
    Object.keys(state[section]).map((field) => `${section}.${field}`)
  )
  const started = transitions.flatMap(({ body }) => Payload.of(body, "run.started") ?? [])[0]
  const changes = transitions.flatMap(
    ({ body }): ReadonlyArray<RevisedSpecification.Change> => Payload.of(body, "revision.injected")?.changes ?? []
  )
  const from = fields.map((field) => ({ field, run: finished, tick: head.tick }))
  yield* Seeding.begin(yield* Seeding.prepare({ run, from, clauses: started?.clauses ?? {} }))
  const handle = yield* coordinator.reopen(run)
  yield* Revising.inject(handle, { by, changes, followUp: finished.id })
  yield* Revising.absorb(handle)
  yield* handle.flush
  return handle
})
