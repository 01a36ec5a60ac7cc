/**
 * Keeps which agent works on which run, from the moment at which a host takes the run until the run has ended.
 *
 * A trace says what a run has come to, and nothing says who goes on with it. That is noted here, once for each run.
 * Open assignments are of a kind of their own, so that a host finds them after a restart however many runs have ended.
 *
 * @source docs/decisions/0065, 0075
 */
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Limits from "../Limits.ts"
import * as RunWaits from "../waiting/RunWaits.ts"

/** The end of an assignment: how it came, when, and what is known about it. */
export const AssignmentEnding = Schema.Struct({
  how: Schema.Literals(["ended", "cancelled", "failed"]),
  /** Epoch milliseconds. */
  at: Schema.Number,
  /** The person who has cancelled it. */
  by: Schema.optionalKey(Schema.String),
  /** The reason of a person, the message of the failure, or why an agent has ended before its goal was reached. */
  reason: Schema.optionalKey(Schema.String),
  /** The run that goes on with the task. */
  next: Schema.optionalKey(Schema.String)
})

/** The end of an assignment. */
export type AssignmentEnding = typeof AssignmentEnding.Type

/**
 * The tick at which an agent had done what it could, and the moment (epoch milliseconds) at which that turn began: what
 * falls due behind it, the turn may have missed. `hidden` is the wait that the state does not show.
 */
export const Rest = Schema.Struct({
  tick: Schema.Natural,
  at: Schema.Number,
  hidden: Schema.optionalKey(RunWaits.HiddenWait)
})

/** The beginning of a wait. */
export type Rest = typeof Rest.Type

/**
 * A run, the name of the agent that works on it, and the end, unless it is open. `round` counts how often the run was
 * assigned, so that a message about an earlier assignment is known as such. `rest` is the last wait.
 */
export interface Assignment {
  readonly run: Run.Run
  readonly agent: string
  readonly round: number
  readonly ending?: AssignmentEnding | undefined
  readonly rest?: Rest | undefined
}

const Text = Schema.fromJsonString(
  Schema.Struct({
    agent: Schema.String,
    ending: Schema.optionalKey(AssignmentEnding),
    rest: Schema.optionalKey(Rest),
    round: Schema.Natural
  })
)
const decode = Notes.reader(Text)
const encode = Schema.encodeSync(Text)

/** The kind of the notes of open assignments. */
export const kind = "assignment"

const closed = "assignment.closed"

/** Assigns a run that has just begun, in one round trip unless somebody was faster. */
export const assignFirst = Effect.fnUntraced(function* (run: Run.Run, agent: string) {
  const notes = yield* Notes.Notes
  const first: Assignment = { run, agent, round: 1 }
  const kept = yield* notes.put({ ...placeOf(run, kind), text: encode({ agent, round: 1 }), expected: 0 })
  return kept._tag === "Kept" ? first : yield* assign(run, agent)
})

/**
 * Assigns a run to an agent. A run whose assignment was closed is open again. Of two assignments at one moment, the
 * slower one is the next round.
 */
export const assign = Effect.fnUntraced(function* (run: Run.Run, agent: string) {
  const notes = yield* Notes.Notes
  const assign = Effect.gen(function* () {
    const open = yield* notes.find(placeOf(run, kind))
    const last = open ?? (yield* notes.find(placeOf(run, closed)))
    const round = last === undefined ? 1 : (yield* Effect.fromResult(decode(last))).round + 1
    const text = encode({ agent, round })
    const kept = yield* notes.put({ ...placeOf(run, kind), text, expected: open?.revision ?? 0 })
    return kept._tag === "Kept" ? round : undefined
  })
  const round = yield* Effect.repeat(assign, { until: (round) => round !== undefined })
  yield* notes.remove(placeOf(run, closed))
  const assignment: Assignment = { run, agent, round }
  return assignment
})

/**
 * Notes that a run has begun to wait or, without a `rest`, that its agent is to act, whoever works on it next. An
 * assignment that was closed or made anew meanwhile stays as it is.
 */
export const rest = Effect.fnUntraced(function* ({ agent, round, run }: Assignment, rest?: Rest) {
  const notes = yield* Notes.Notes
  const standing = yield* notes.find(placeOf(run, kind))
  if (standing === undefined || (yield* Effect.fromResult(decode(standing))).round !== round) return
  const text = encode({ agent, round, ...(rest === undefined ? {} : { rest }) })
  yield* notes.put({ ...placeOf(run, kind), text, expected: standing.revision })
})

/**
 * Closes an assignment. Repeated after a crash, it closes it once. If the run was assigned anew meanwhile, such as by
 * another process that was asked to go on with it, that assignment stays.
 */
export const close = Effect.fnUntraced(function* ({ agent, round, run }: Assignment, ending: AssignmentEnding) {
  const notes = yield* Notes.Notes
  const close = Effect.gen(function* () {
    const open = yield* notes.find(placeOf(run, kind))
    const last = open ?? (yield* notes.find(placeOf(run, closed)))
    if (last !== undefined && (yield* Effect.fromResult(decode(last))).round > round) return true
    yield* notes.put({ ...placeOf(run, closed), text: encode({ agent, ending, round }) })
    return open === undefined || (yield* notes.remove({ ...placeOf(run, kind), expected: open.revision }))
  })
  yield* Effect.repeat(close, { until: (isDone) => isDone })
})

/** Finds the assignment of a run, open or closed; `undefined` if no host was ever given the run. */
export const find = Effect.fnUntraced(function* (run: Run.Run) {
  const notes = yield* Notes.Notes
  const note = (yield* notes.find(placeOf(run, kind))) ?? (yield* notes.find(placeOf(run, closed)))
  return note && (yield* Effect.fromResult(toAssignment(note)))
})

/** Lists the open assignments of all tenants that can be read. Its cost is that of the open ones alone. */
export const all = Effect.flatMap(
  Stream.runCollect(Notes.stream({ kind, limit: Limits.pacing.notePageMax })),
  (notes) => Notes.readable(notes, toAssignment)
)

const placeOf = (run: Run.Run, of: string): Notes.NoteName => ({ tenant: run.tenant, kind: of, name: run.id })

const toAssignment = (note: Notes.Note): Result.Result<Assignment, TraceStoreError> =>
  Result.map(decode(note), (kept) => ({ run: Run.make(note.name, note.tenant), ...kept }))
