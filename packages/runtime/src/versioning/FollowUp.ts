/**
 * Begins the run that follows a finished one whose goal was revised: with its beliefs, under the revised clauses.
 *
 * A goal is reached once. A revision of a goal that was reached is absorbed by the run that reached it, since its acts
 * are its own to undo. What remains to be done is another run.
 *
 * @source docs/decisions/0057
 */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Check from "@backstitch/kernel/Check"
import * as Goal from "@backstitch/kernel/Goal"
import * as Payload from "@backstitch/kernel/Payload"
import type { State } from "@backstitch/reducer/State"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as History from "../history/History.ts"
import * as Coordinator from "../run/Coordinator.ts"
import * as Revising from "../run/Revising.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Seeding from "./Seeding.ts"

/**
 * The name of the run that follows a finished one: the run that has begun to follow it at its head, or else the first
 * free name, such as `trip-42-2` or `trip-42-3`.
 */
export const name = Effect.fnUntraced(function* (finished: Run.Run) {
  const store = yield* TraceStore.TraceStore
  for (let count = 2; ; count++) {
    const run = Run.make(`${finished.id}-${count}`, finished.tenant)
    if ((yield* store.info(run)) === undefined || (yield* progress(finished, run)) !== undefined) return run
  }
})

/**
 * Tells how far a run has begun to follow a finished one at its head: it is seeded, and the revisions are injected.
 * `undefined` for every other run.
 */
const progress = Effect.fnUntraced(function* (finished: Run.Run, run: Run.Run) {
  const store = yield* TraceStore.TraceStore
  if ((yield* store.info(run)) === undefined) return undefined
  const history = yield* History.History
  const { head } = yield* history.info(finished)
  const transitions = yield* history.transitions(run)
  const seeds = transitions.flatMap(({ body }) => Payload.of(body, "run.started")?.seeds ?? [])
  const isSeeded = seeds.length > 0 && seeds.every((seed) => seed["run"] === finished.id && seed["tick"] === head.tick)
  if (!isSeeded) return undefined
  if (transitions.length === 1) return "seeded"
  const isInjected = transitions.some(({ body }) => Payload.of(body, "revision.injected")?.followUp === finished.id)
  return isInjected ? "injected" : undefined
})

/**
 * Begins the run that follows a finished one. Each field is taken over as it is after the absorption. The revisions of
 * the finished run are injected as one, which names that run. What a process did that died meanwhile is continued.
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
  const begun = yield* progress(finished, run)
  if (begun === undefined) {
    yield* Seeding.begin(yield* Seeding.prepare({ run, from, clauses: started?.clauses ?? {} }))
  }
  const handle = yield* coordinator.reopen(run)
  if (begun !== "injected") yield* injected(handle, { by, changes, followUp: finished.id })
  yield* Revising.absorb(handle)
  yield* handle.flush
  return handle
})

/** Revisions that leave the clauses as the finished run began with them change nothing, and are not injected. */
const injected = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, revision: Revising.Revision) {
  const outcome = yield* Revising.inject(handle, revision)
  if (outcome._tag !== "Refused") return
  const failing = Check.failing(outcome.checks)
  if (failing.some(({ why }) => why?.code !== "revision.empty")) {
    yield* new Revising.RevisionRefused({ run: handle.run.id, checks: outcome.checks })
  }
})

/** A revision that was carried out. `next` is the run that follows, if the goal was reached before. */
export interface Revised {
  readonly absorbed: Revising.Absorbed | undefined
  readonly isDone: boolean
  readonly next: Run.Run | undefined
}

/**
 * Tells whether something of the goal of a run is left to carry out without another revision: one that is pending, or a
 * run that has to follow.
 */
export const isDue = (state: State): boolean => Goal.of(state).pending !== undefined || Goal.isRevisedSince(state)

/**
 * Revises the goal of an open run and absorbs that, and begins the run that follows if the goal was reached. Without a
 * revision, carries out what is due.
 */
export const revise = Effect.fn("FollowUp.revise")(function* (
  handle: RunHandle.RunHandle,
  revision: Revising.Revision | undefined,
  options: Revising.Options = {}
) {
  if (revision !== undefined) {
    const outcome = yield* Revising.inject(handle, revision)
    if (outcome._tag === "Refused") {
      return yield* new Revising.RevisionRefused({ run: handle.run.id, checks: outcome.checks })
    }
  }
  yield* handle.recover
  const absorbed = yield* Revising.absorb(handle, options)
  const isDone = absorbed === undefined || absorbed.outcome._tag === "Done"
  if (!isDone || !Goal.isRevisedSince((yield* handle.position).state)) {
    return { absorbed, isDone, next: undefined } satisfies Revised
  }
  const next = yield* name(handle.run)
  yield* begin(handle.run, next, revision?.by)
  return { absorbed, isDone, next } satisfies Revised
})
