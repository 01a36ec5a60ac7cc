/**
 * Follows an open run in one pass: the lift of its subtasks, the acts that a revision judges, and the alarms of the
 * topology that its pack declares.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import type * as RunActs from "@backstitch/kernel/RunActs"
import * as Alarms from "@backstitch/topology/Alarms"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as ActsRecord from "./actsRecord.ts"
import type * as History from "./History.ts"
import * as RunRecord from "./runRecord.ts"
import * as SubtaskLift from "./subtaskLift.ts"

/** Tells whether alarms are raised in a run under a pack. */
export const isWatched = (pack: TaskPack.TaskPack | undefined): boolean => pack?.topology !== undefined

/** The alarms of a run, continued in place. */
interface AlarmRecord {
  now: Alarms.Alarms
}

const alarms: RunRecord.RecordKind<AlarmRecord> = {
  begin: (_, pack) => (isWatched(pack()) ? { now: Alarms.none } : undefined),
  take: (self, { transition }, pack) => {
    self.now = Alarms.take(self.now, transition, pack()?.topology)
  }
}

/** The alarms of a stored run up to a tick; `undefined` if its pack declares no topology. */
export const alarmsOf = (stored: History.Stored, run: Run, to: number) =>
  Effect.map(RunRecord.of(alarms, stored, run, to), ({ record }) => record?.now)

/** The parts that are followed of an open run. A part is absent if the pack does not need it. */
interface OpenRecord {
  lift: LiftedRun.LiftedRun | undefined
  acts: RunActs.RunActs | undefined
  alarms: AlarmRecord | undefined
}

const kind: RunRecord.RecordKind<OpenRecord> = {
  begin: (state, pack) =>
    SubtaskLift.isOn(state) || ActsRecord.isOn(state) || isWatched(pack())
      ? { lift: undefined, acts: undefined, alarms: undefined }
      : undefined,
  take: (self, step, pack) => {
    self.lift = RunRecord.taken(SubtaskLift.kind, self.lift, step, pack)
    self.acts = RunRecord.taken(ActsRecord.kind, self.acts, step, pack)
    self.alarms = RunRecord.taken(alarms, self.alarms, step, pack)
  }
}

/** Makes the record of an open run from what its own writer hands over, and from the store. */
export const make = Effect.fnUntraced(function* (
  stored: History.Stored,
  run: Run,
  committed: () => RunRecord.CommittedSteps
) {
  const kept = yield* RunRecord.keep(kind, stored, run)
  const follow = Effect.suspend(() => kept(committed()))
  return {
    alarms: Effect.map(follow, ({ record }) => record?.alarms?.now),
    subtasks: SubtaskLift.make(Effect.map(follow, ({ record }) => record?.lift)),
    judging: Effect.flatMap(follow, ({ at, record }) => ActsRecord.judging(stored, run, { at, record: record?.acts }))
  }
})

/** The record of an open run, followed to its last durable tick. */
export type OpenRecords = Effect.Success<ReturnType<typeof make>>
