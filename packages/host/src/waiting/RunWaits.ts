/**
 * Tells what a run waits for, and when it goes on by itself, from its folded state.
 *
 * A timer is a function of the state, the pack and the moment. So two processes wait for the same times, and a process
 * that has just started waits for those of the one before it. Two waits are no part of the state, and are known from
 * the outcome with which an agent has left its run: a host notes them.
 *
 * | a run waits for | it goes on |
 * | --- | --- |
 * | an approval, or a person's decision about an action, an obligation or an undoing | when that is committed |
 * | the delivery of a provider | when that is committed |
 * | the answer of a system of record about an action that is held as unknown | when it is due to be asked again |
 * | an action of another run, which holds a name | when it is due to look again |
 * | the next try of a step behind a pivot | when that is due |
 * | the absorption of a revision | when a person revises again, or decides |
 * | its agent, which the host that tells of it lacks | on a host that has the agent |
 *
 * @source docs/decisions/0036
 */
import * as Backoff from "@backstitch/contracts/Backoff"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as ArrivalWindow from "@backstitch/kernel/ArrivalWindow"
import * as Command from "@backstitch/kernel/Command"
import type * as Commit from "@backstitch/kernel/Commit"
import * as ForwardRecovery from "@backstitch/kernel/ForwardRecovery"
import * as Goal from "@backstitch/kernel/Goal"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Reviews from "@backstitch/kernel/Reviews"
import * as Obligations from "@backstitch/ledger/Obligations"
import * as OpenAction from "@backstitch/ledger/OpenAction"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import type { State } from "@backstitch/reducer/State"
import type * as Ontology from "@backstitch/trace/Ontology"
import * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"

/** One thing that a run waits for: the name of it in the run, and the moments at which the run looks by itself. */
export interface RunWait {
  readonly for: "agent" | "approval" | "person" | "delivery" | "answer" | "holder" | "step" | "revision"
  /** The review, action, obligation, plan, run or agent that is waited for. */
  readonly about: string
  /** The moment at which something becomes due, in epoch milliseconds. */
  readonly dueAt?: number | undefined
  /** The moments at which to look again, by a schedule that begins at `since`. */
  readonly looks?: { readonly since: number; readonly poll: Backoff.Backoff } | undefined
}

/** A wait that no field of the state shows, and the moment (epoch milliseconds) at which it began. */
export const HiddenWait = Schema.Struct({
  for: Schema.Literals(["alarm", "approval", "holder", "person"]),
  about: Schema.String,
  since: Schema.Number
})

/** A wait that no field of the state shows. */
export type HiddenWait = typeof HiddenWait.Type

/** The schedule by which a run looks for what nobody has told it: slower and slower, and never given up. */
export const patience: Backoff.Backoff = {
  firstMillis: Limits.pacing.heldAskFirstMillis,
  factor: 2,
  maxMillis: Limits.pacing.heldAskMillisMax
}

/** The state of a run, the pack in force, and the wait that the state does not show, if one is known. */
export interface RunPosition {
  readonly position: Pick<Commit.Position, "state">
  readonly pack: TaskPack.TaskPack | undefined
  readonly hidden?: HiddenWait | undefined
}

/** Lists what a run waits for. A run that waits for nothing has ended. */
export const of = ({ hidden, pack, position: { state } }: RunPosition): ReadonlyArray<RunWait> => {
  const found = [
    ...Reviews.pending(state).map(([about]): RunWait => ({ for: "approval", about })),
    ...Object.entries(OpenActions.of(state)).flatMap(([about, open]) =>
      open === undefined ? [] : ofAction(about, open, TaskPack.tool(pack, open.tool))
    ),
    ...Obligations.all(state).map((each) => ofObligation(pack, state, each)),
    ...ofPlan(state),
    ...(Goal.of(state).pending === undefined ? [] : [{ for: "revision", about: "revision" } as const])
  ]
  return hidden !== undefined && isLacking(hidden, found) ? [...found, ofHidden(hidden)] : found
}

/**
 * Finds the wait that the state does not show: for a name that another run holds, for a person, or for a person's word
 * on a crack of the topology.
 */
export const hiddenBy = (outcome: Outcome | undefined, since: number): HiddenWait | undefined => {
  if (outcome?._tag === "Parked") return { for: "approval", about: outcome.review, since }
  if (outcome?._tag !== "Held") return undefined
  if (ofCrack.has(outcome.why.code)) return { for: "alarm", about: outcome.action, since }
  return outcome.run === undefined
    ? { for: "person", about: outcome.action, since }
    : { for: "holder", about: outcome.run, since }
}

/** Findings of a run that is held at a crack of its topology. */
const ofCrack: ReadonlySet<string> = new Set(["alarm.unheard", "topology.asked"])

/** The first moment after `now` at which a run goes on by itself; `undefined` if it waits for others alone. */
export const wakesAt = (waits: ReadonlyArray<RunWait>, now: number): number | undefined => {
  const moments = waits.flatMap(({ dueAt, looks }) => [
    ...(dueAt === undefined || dueAt <= now ? [] : [dueAt]),
    ...(looks === undefined ? [] : [Backoff.next(looks.poll, { since: looks.since, now })])
  ])
  return moments.length === 0 ? undefined : Math.min(...moments)
}

/**
 * Tells whether a commit of this type may change what a run waits for. What was only found out about a run does not:
 * the result of a bisect, or a question that an agent has about its topology.
 */
export const mayEndWait = (type: string): boolean => !endingNoWait.has(type)

const endingNoWait: ReadonlySet<string> = new Set<Ontology.Type>([...Command.analyses, "anomaly.flag"])

/** An action that a person has to decide about is not asked about; every other one is, where its contract says how. */
const ofAction = (
  about: string,
  open: OpenAction.OpenAction,
  contract: ToolContract.ToolContract
): ReadonlyArray<RunWait> => {
  if (OpenAction.isFrozen(open)) return [{ for: "person", about }]
  const delivery = contract.webhook === undefined ? [] : [{ for: "delivery", about } as const]
  const canBeAsked = contract.status === "by_key" || contract.readback !== undefined
  const { startedAt } = open
  if (!canBeAsked || startedAt === undefined) return delivery.length > 0 ? delivery : [{ for: "person", about }]
  const dueAt = ArrivalWindow.closesAt(contract, startedAt)
  return [...delivery, { for: "answer", about, dueAt, looks: { since: startedAt, poll: patience } }]
}

const ofObligation = (
  pack: TaskPack.TaskPack | undefined,
  state: State,
  obligation: Obligations.Obligation
): RunWait => {
  const isDerived = ForwardRecovery.remaining(pack, state).some(
    ({ obligation: id, params }) => id === obligation.id && params !== undefined
  )
  return obligation.state === "review_required" || !isDerived
    ? { for: "person", about: obligation.id }
    : { for: "step", about: obligation.id, dueAt: ForwardRecovery.dueAt(pack, obligation) }
}

/** An undoing that is open after its run was left has stopped. */
const ofPlan = (state: State): ReadonlyArray<RunWait> => {
  const open = UndoPlan.open(state)
  return open === undefined ? [] : [{ for: "person", about: open.id }]
}

/**
 * Tells whether a hidden wait is missing among those that the state shows. The state never shows who holds a name, nor
 * that a person is to look at an alarm. A person or an approval it shows under the review, obligation or plan, and not
 * always under the name that the outcome had for it.
 */
const isLacking = (hidden: HiddenWait, shown: ReadonlyArray<RunWait>): boolean =>
  hidden.for === "holder" || hidden.for === "alarm" || shown.length === 0

const ofHidden = ({ about, for: what, since }: HiddenWait): RunWait => {
  if (what === "holder") return { for: what, about, looks: { since, poll: patience } }
  return { for: what === "alarm" ? "person" : what, about }
}
