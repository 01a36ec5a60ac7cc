/**
 * The laws of a subtask that is put back to a checkpoint: no act that stays has read a value that is gone, and nothing
 * of the subtask is lost or done twice.
 *
 * They are judged by the transitions and the states alone, without the lift by which a restore is admitted.
 *
 * @source docs/decisions/0054
 */
import * as Payload from "@backstitch/kernel/Payload"
import * as SubtaskFacts from "@backstitch/kernel/SubtaskFacts"
import * as EffectStatus from "@backstitch/ledger/EffectStatus"
import * as EndedActions from "@backstitch/ledger/EndedActions"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import * as ExploredLift from "./ExploredLift.ts"
import type * as ExploredLog from "./ExploredLog.ts"
import type { Law } from "./ExplorerLaws.ts"
import type { Setting } from "./ExplorerSetting.ts"
import { once } from "./once.ts"
import * as World from "./World.ts"

/** The laws, in the order in which they are checked. */
export const all: ReadonlyArray<Law> = [
  {
    name: "nothing goes back that a step of another subtask has read (L10)",
    holds: (setting, { heads }) => heads.every((head) => rollbacks(head, setting).every(isReadByNobody))
  },
  {
    name: "nothing goes back over an effect that stays or is not settled (L10)",
    holds: (setting, { heads }) => heads.every((head) => rollbacks(head, setting).every(isCrossed))
  },
  {
    name: "a subtask goes back to the latest of its checkpoints (L11)",
    holds: (setting, { heads }) => heads.every((head) => rollbacks(head, setting).every(isLatest))
  },
  {
    name: "a restored field is as it was at the checkpoint, and all others are as they were (decision 0054)",
    holds: (setting, { heads }) => heads.every((head) => rollbacks(head, setting).every(isAsItWas))
  },
  {
    name: "a step that went back is masked, and writes nothing any more (decision 0031)",
    holds: (setting, { heads }) => heads.every((head) => rollbacks(head, setting).every(isMasked))
  },
  {
    name: "a subtask is back once each of its effects is undone, and not before (L5, L12)",
    holds: (setting, { heads, world }) =>
      heads.every((head) => rollbacks(head, setting).every((each) => isUndone(each, world)))
  },
  {
    name: "a restore that has begun is carried out once, or goes on (L14)",
    holds: (setting, { heads, processes }) =>
      heads.every((head) => isCarriedOut(head, setting)) &&
      processes.every(
        ({ aside, doing, run, task }) =>
          aside !== undefined ||
          task !== "undo" ||
          doing._tag !== "Ended" ||
          doing.outcome !== "Done" ||
          rollbacks(heads[run]!, setting).every(({ restored }) => restored !== undefined)
      )
  },
  {
    name: "a fact about a subtask follows from what is on record before it (decision 0054)",
    holds: (setting, { heads }) => heads.every((head) => isDerived(head, setting))
  }
]

type Step = ReturnType<typeof ExploredLift.steps>[number]

/** A call of the subtask: the ticks of its request, its start and its end, and whether it has failed. */
interface Made {
  readonly action: string
  readonly tool: string
  readonly tick: number
  readonly started: number | undefined
  readonly ended: number | undefined
  readonly hasFailed: boolean
}

/** A plan that puts a subtask back. `own` are the calls of the subtask after the checkpoint and before the plan. */
interface Rollback {
  readonly id: string | undefined
  readonly steps: ReadonlyArray<Step>
  readonly at: number
  readonly to: number
  readonly masks: ReadonlyArray<string>
  readonly own: ReadonlyArray<Made>
  readonly all: ReadonlyArray<Made>
  /** The tick at which the plan was over. */
  readonly restored: number | undefined
}

const order: ReadonlySet<string> = new Set(["draft", "pay", "post", "ship"])

const logOf = ({ logs }: Pick<Setting, "logs">, head: ExploredLog.Node): ExploredLog.ExploredLog =>
  logs.find(({ run }) => run.id === head.run.id)!

const rollbacks = once((head, setting): ReadonlyArray<Rollback> => {
  const steps = ExploredLift.steps(logOf(setting, head), head)
  const all = madeIn(steps)
  return steps.flatMap(({ after, transition: { body, tick: at } }) => {
    const plan = Payload.of(body, "recovery.decided")?.plan
    if (plan?.checkpoint === undefined) return []
    const to = plan.checkpoint.tick
    const own = all.filter(({ tick, tool }) => order.has(tool) && tick > to && tick < at)
    const id = UndoPlan.open(after)?.id
    const over = steps.find(({ transition }) => Payload.of(transition.body, "recovery.restored")?.plan === id)
    return [{ id, steps, at, to, masks: plan.masks, own, all, restored: over?.transition.tick }]
  })
})

/** The calls of a log. Reversals of the kernel are none. */
const madeIn = (steps: ReadonlyArray<Step>): ReadonlyArray<Made> =>
  steps.flatMap(({ transition: { body, tick } }): ReadonlyArray<Made> => {
    const { action, type } = body
    if (type !== "action.request" || action?.tool === undefined || action.undoes !== undefined) return []
    const about = steps.filter(({ transition }) => transition.body.action?.id === action.id)
    const end = about.find(({ after }) => OpenActions.of(after)[action.id] === undefined)
    const started = about.find(({ transition }) => transition.body.type === "action.started")?.transition.tick
    return [
      {
        action: action.id,
        tool: action.tool,
        tick,
        started,
        ended: end?.transition.tick,
        hasFailed: end !== undefined && hasFailed(end.after, action.id)
      }
    ]
  })

const hasFailed = (state: State, action: string): boolean =>
  !SettledActions.of(state).has(action) && EndedActions.of(state).get(action)?.state === "failed"

/** Lists the ticks at which an action that goes back wrote a field of `working`. */
const writesOf = ({ own, steps, to, at }: Rollback, field: string): ReadonlyArray<number> =>
  steps.flatMap(({ after, before, transition: { body, tick } }) =>
    tick > to &&
    tick < at &&
    after.working[field] !== before.working[field] &&
    own.some(({ action }) => action === body.action?.id)
      ? [tick]
      : []
  )

const isReadByNobody = (self: Rollback): boolean => {
  const [first = self.at] = writesOf(self, "receipt")
  return self.all.every(({ tick, tool }) => tool !== "memo" || tick > self.at || tick < first)
}

const isCrossed = ({ at, own, steps }: Rollback): boolean => {
  const { before } = steps[at - 1]!
  return own.every(({ action, hasFailed, started, tool }) => {
    if (started === undefined || hasFailed) return true
    return tool === "pay" && SettledActions.of(before).get(action)?.undo === "standing"
  })
}

const isLatest = ({ at, steps, to }: Rollback): boolean =>
  steps.every(({ transition: { body, tick } }) => {
    const commit = tick < at ? Payload.of(body, "checkpoint.commit") : undefined
    return commit?.skeleton !== "order" || commit.at <= to
  })

const fields = ["draft", "receipt"] as const

const isAsItWas = (self: Rollback): boolean => {
  const { at, steps, to } = self
  const { after, before } = steps[at - 1]!
  const then = steps[to - 1]!.after
  return fields.every((field) => {
    const from = writesOf(self, field).length > 0 ? then : before
    return after.working[field] === from.working[field]
  })
}

const isMasked = ({ at, masks, own, steps }: Rollback): boolean =>
  own.every(({ action, hasFailed }) => {
    if (!hasFailed && !masks.includes(action)) return false
    return steps.every(
      ({ after, before, transition: { body, tick } }) =>
        tick <= at ||
        body.action?.id !== action ||
        fields.every((field) => after.working[field] === before.working[field])
    )
  })

const isUndone = ({ own, restored, steps }: Rollback, world: World.World): boolean => {
  if (restored === undefined) return true
  const { after } = steps[restored - 1]!
  const paid = own.filter(({ hasFailed, started, tool }) => tool === "pay" && started !== undefined && !hasFailed)
  return paid.every(({ action }) => {
    const settled = SettledActions.of(after).get(action)
    return World.isUndone(world) && settled !== undefined && EffectStatus.isGone(settled)
  })
}

/** Each plan ends once, and the fold keeps a plan open that has not ended. */
const isCarriedOut = once((head, setting) => {
  const found = rollbacks(head, setting)
  const ends = head.transitions.filter(({ body }) => body.type === "recovery.restored")
  const unended = found.filter(({ restored }) => restored === undefined)
  const open = UndoPlan.open(head.position.state)
  return ends.length + unended.length === found.length && unended.every(({ id }) => id !== undefined && open?.id === id)
})

const isDerived = once((head, setting) => {
  const log = logOf(setting, head)
  const facts = ExploredLift.of(log, head, head)?.facts
  return head.transitions.every(({ body }) => !SubtaskFacts.isOne(body.type) || facts?.has(SubtaskFacts.nameOf(body)))
})
