/** Follows an open run in one pass: the lift of its subtasks, and the acts that a revision judges. */
import type * as LiftedRun from "@backstitch/kernel/LiftedRun"
import type * as RunActs from "@backstitch/kernel/RunActs"
import type { Run } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as ActsRecord from "./actsRecord.ts"
import type * as History from "./History.ts"
import * as RunRecord from "./runRecord.ts"
import * as SubtaskLift from "./subtaskLift.ts"

/** The parts that are followed of an open run. A part is absent if the pack does not need it. */
interface OpenRecord {
  lift: LiftedRun.LiftedRun | undefined
  acts: RunActs.RunActs | undefined
}

const kind: RunRecord.Kind<OpenRecord> = {
  begin: (state) =>
    SubtaskLift.isOn(state) || ActsRecord.isOn(state) ? { lift: undefined, acts: undefined } : undefined,
  take: (self, step, pack) => {
    self.lift = RunRecord.taken(SubtaskLift.kind, self.lift, step, pack)
    self.acts = RunRecord.taken(ActsRecord.kind, self.acts, step, pack)
  }
}

/** Makes the record of an open run from what its own writer hands over, and from the store. */
export const make = Effect.fnUntraced(function* (
  stored: History.Stored,
  run: Run,
  committed: () => RunRecord.Committed
) {
  const kept = yield* RunRecord.keep(kind, stored, run)
  const follow = Effect.suspend(() => kept(committed()))
  return {
    subtasks: SubtaskLift.make(Effect.map(follow, ({ record }) => record?.lift)),
    judging: Effect.flatMap(follow, ({ at, record }) => ActsRecord.judging(stored, run, { at, record: record?.acts }))
  }
})
