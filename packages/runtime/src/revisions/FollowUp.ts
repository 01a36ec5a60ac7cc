/**
 * Begins the run that follows a finished one whose goal was revised: with its beliefs, under the revised clauses.
 *
 * A goal is reached once. If it is revised afterwards, the run that reached it absorbs the revision, since its acts are
 * its own to undo. What then remains to be done is done by one other run, which follows it. From then on that run is
 * the one to revise, and the finished run undoes nothing any more of what the other began with.
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
import type { Transition } from "@backstitch/trace/Transition"
import type { Next } from "@backstitch/wording/Next"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../history/History.ts"
import * as Coordinator from "../run/Coordinator.ts"
import type * as RunHandle from "../run/RunHandle.ts"
import * as Seeding from "../versioning/Seeding.ts"
import * as Revising from "./Revising.ts"

/** Error for a revision of a finished run that another one follows already: that one is to be revised. */
export class RunFollowed extends Schema.TaggedError<RunFollowed>("@backstitch/runtime/RunFollowed")("RunFollowed", {
  run: Schema.String,
  by: Schema.String
}) {
  override get message(): string {
    return `The goal of run ${this.run} was reached and revised, and run ${this.by} follows it. Revise run ${this.by}`
  }

  /** Steps that may be taken instead. */
  get next(): ReadonlyArray<Next> {
    return [{ run: this.by, verb: "show" }]
  }
}

/** The run that follows a finished one, begun or not. */
interface Place {
  readonly run: Run.Run
  readonly isBegun: boolean
}

/**
 * Finds the run that follows a finished one, or else the name under which it would begin: the first free one of the
 * first run that is followed, such as `trip-42-2` and, for the run that follows that, `trip-42-3`.
 */
const place = Effect.fnUntraced(function* (finished: Run.Run) {
  const store = yield* TraceStore.TraceStore
  const earlier = yield* followedBy(finished)
  const first = earlier.at(-1)?.run ?? finished.id
  for (let count = earlier.length + 2; ; count++) {
    const run = Run.make(`${first}-${count}`, finished.tenant)
    if ((yield* store.info(run)) === undefined) return { run, isBegun: false } satisfies Place
    const [last] = yield* followedBy(run)
    if (last?.run === finished.id) return { run, isBegun: true } satisfies Place
  }
})

/** The runs that a run follows, the last one first. */
const followedBy = Effect.fnUntraced(function* (run: Run.Run) {
  const history = yield* History.History
  const [first] = yield* history.transitions(run, { from: 1, to: 1 })
  return (first && Payload.of(first.body, "run.started")?.follows) ?? []
})

/** The run that follows a finished one; `undefined` if none was begun. */
export const successor = Effect.fn("FollowUp.successor")(function* (finished: Run.Run) {
  const { isBegun, run } = yield* place(finished)
  return isBegun ? run : undefined
})

/** Refuses the revision of a run that another one follows. */
export const refuse = Effect.fnUntraced(function* (run: Run.Run) {
  const by = yield* successor(run)
  if (by !== undefined) return yield* new RunFollowed({ run: run.id, by: by.id })
})

/**
 * Begins the run that follows a finished one, and opens it. Each field is taken over as it is after the absorption. The
 * revisions of the finished run are injected as one, in the commit that begins the run. A run that was begun already is
 * told of revisions that came to the finished one since.
 */
export const begin = Effect.fn("FollowUp.begin")(function* (finished: Run.Run, by?: string) {
  for (;;) {
    const next = yield* place(finished)
    const handle = yield* next.isBegun ? told(finished, next.run, by) : begun(finished, next.run, by)
    if (handle === undefined) continue
    yield* Revising.absorb(handle)
    yield* handle.flush
    return handle
  }
})

/** Begins the run under a free name; `undefined` if another process was faster. */
const begun = Effect.fnUntraced(
  function* (finished: Run.Run, run: Run.Run, by: string | undefined) {
    const history = yield* History.History
    const coordinator = yield* Coordinator.Coordinator
    const { head, state } = yield* history.at(finished)
    const transitions = yield* history.transitions(finished, { to: head.tick })
    const [started] = transitions.flatMap(({ body }) => Payload.of(body, "run.started") ?? [])
    const fields = (["world", "working"] as const).flatMap((section) =>
      Object.keys(state[section]).map((field) => `${section}.${field}`)
    )
    const from = fields.map((field) => ({ field, run: finished, tick: head.tick }))
    const { pack, sections, seeds } = yield* Seeding.prepare({ run, from, pack: yield* Seeding.packOf(state) })
    const { follows = [], id, text } = Goal.of(state)
    const handle = yield* coordinator.begin(run, {
      pack,
      goal: id,
      text,
      clauses: started?.clauses ?? {},
      initial: sections,
      seeds,
      follows: [{ run: finished.id, tick: head.tick }, ...follows]
    })
    yield* injected(handle, { finished, by, from: transitions, tick: head.tick })
    yield* handle.flush
    const [last] = Goal.of((yield* handle.position).state).follows ?? []
    return last?.run === finished.id ? handle : undefined
  },
  Effect.catchTag("RunExists", () => Effect.undefined)
)

/** Tells a run of the revisions that the finished one has taken in since the run began. */
const told = Effect.fnUntraced(function* (finished: Run.Run, run: Run.Run, by: string | undefined) {
  const history = yield* History.History
  const coordinator = yield* Coordinator.Coordinator
  const [last] = yield* followedBy(run)
  const handle = yield* coordinator.reopen(run)
  for (const transition of yield* history.transitions(finished, { from: (last?.tick ?? 0) + 1 })) {
    yield* injected(handle, { finished, by, from: [transition], tick: transition.tick })
  }
  return handle
})

/** Revisions of a finished run up to a tick, to be injected once into the run that follows it. */
interface Told {
  readonly finished: Run.Run
  readonly by: string | undefined
  readonly from: ReadonlyArray<Transition>
  readonly tick: number
}

/** Revisions that leave the clauses as they are change nothing, and are not injected. */
const injected = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, { by, finished, from, tick }: Told) {
  const changes = from.flatMap(
    ({ body }): ReadonlyArray<RevisedSpecification.RevisionChange> =>
      Payload.of(body, "revision.injected")?.changes ?? []
  )
  if (changes.length === 0) return
  const command = `follow ${finished.id} to ${tick}`
  const outcome = yield* Revising.inject(handle, { by, changes, command, followUp: finished.id })
  if (outcome._tag !== "Refused") return
  const codes = Check.failing(outcome.checks).map(({ why }) => why?.code)
  if (codes.some((code) => code !== "revision.empty" && code !== "context.changed")) {
    yield* new Revising.RevisionRefused({ run: handle.run.id, checks: outcome.checks })
  }
})

/** A revision that was carried out. `next` is the run that follows, if the goal was reached before. */
export interface RevisedRun {
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
 * revision, carries out what is due. Fails if another run follows this one already.
 */
export const revise = Effect.fn("FollowUp.revise")(function* (
  handle: RunHandle.RunHandle,
  revision: Revising.Revision | undefined,
  options: Revising.Options = {}
) {
  if (revision !== undefined) {
    yield* refuse(handle.run)
    const outcome = yield* Revising.inject(handle, revision)
    if (outcome._tag === "Refused") {
      return yield* new Revising.RevisionRefused({ run: handle.run.id, checks: outcome.checks })
    }
  }
  yield* handle.resume
  const isFollowed = (yield* successor(handle.run)) !== undefined
  const absorbed = isFollowed ? undefined : yield* Revising.absorb(handle, options)
  const isDone = absorbed === undefined || absorbed.outcome._tag === "Done"
  if (!isDone || !Goal.isRevisedSince((yield* handle.position).state)) {
    return { absorbed, isDone, next: undefined } satisfies RevisedRun
  }
  const next = yield* begin(handle.run, revision?.by)
  return { absorbed, isDone, next: next.run } satisfies RevisedRun
})
