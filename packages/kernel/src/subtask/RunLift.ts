/**
 * The lift of a run: its subtasks with their checkpoints, folded from committed transitions.
 *
 * Each call of a tool is one step. It belongs to the subtasks that were recorded when it was requested or started, if
 * the agent was in one of their states. Any other step belongs to no subtask, and is never rolled back.
 *
 * | of a step | is taken from |
 * | --- | --- |
 * | its states | the field of the machine, or its edges: a call that succeeds moves the agent |
 * | its reads | `reads` of the tool, and `inputs` of the subtask, from its request on |
 * | its writes | changes of the state that its facts folded, and `writes` that name no field of the state |
 * | its effect | the standing of its action, open from its start to its settlement |
 * | its readers | also people, if a message reported its effect as there |
 * | its boundaries | `commit` and `exit` of the skeleton, in the state that its settlement folded |
 *
 * A change that no tool made, such as a plan update, belongs to no subtask. The field that holds the state of the
 * agent belongs to no instance. The history that a fork shares with its parent belongs to the parent: a fork begins
 * without instances.
 *
 * The cost of a lift grows with the number of transitions, and the lift is changed in place. It copies no payload.
 * For a checkpoint it keeps the section `working` of that tick, which shares its unchanged parts with later sections.
 *
 * @source DART, equations 2, 12 and 13, and appendix I.1
 */
import type * as Checkpoint from "@backstitch/admissibility/Checkpoint"
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Registry from "@backstitch/admissibility/Registry"
import * as OnsetQuestion from "@backstitch/version-control/OnsetQuestion"
import type * as Step from "@backstitch/version-control/Step"
import * as Payload from "../payload/Payload.ts"
import * as FailureSignals from "./FailureSignals.ts"
import * as LiftedCall from "./LiftedCall.ts"
import * as LiftedRun from "./LiftedRun.ts"
import * as RecoveryEffect from "./RecoveryEffect.ts"
import * as RollbackPoint from "./RollbackPoint.ts"
import * as SubtaskFacts from "./SubtaskFacts.ts"

/** A failure that a transition shows, and the action that failed, if one was begun. */
export interface LiftedFailure extends FailureEvent.FailureEvent {
  readonly action?: string | undefined
}

/** The checkpoints that a transition reached, and the failure that it shows. */
export interface News {
  readonly checkpoints: ReadonlyArray<Checkpoint.Checkpoint>
  readonly failure?: LiftedFailure | undefined
}

/** Takes in the next transition. */
export const follow = (self: LiftedRun.LiftedRun, step: Step.Step): News => {
  const { after, before, transition } = step
  self.tick = transition.tick
  if (SubtaskFacts.isOne(transition.body.type)) {
    self.unrecorded.delete(SubtaskFacts.nameOf(transition.body))
    return { checkpoints: [] }
  }
  self.state = LiftedRun.stateIn(self, before)
  const failure = taken(self, step)
  self.state = LiftedRun.stateIn(self, after)
  const checkpoints = self.registry.reached.splice(0)
  for (const { kind, tick } of checkpoints) if (kind !== "entry") self.sections.set(tick, after.working)
  for (const each of checkpoints) noted(self, SubtaskFacts.ofCheckpoint(each))
  if (failure === undefined) return { checkpoints }
  self.failure = failure
  noted(self, SubtaskFacts.ofFailure(failure))
  return { checkpoints, failure }
}

const noted = ({ facts, unrecorded }: LiftedRun.LiftedRun, fact: SubtaskFacts.SubtaskFact): void => {
  const name = SubtaskFacts.nameOf(fact)
  facts.set(name, fact)
  unrecorded.set(name, fact)
}

const taken = (self: LiftedRun.LiftedRun, step: Step.Step): LiftedFailure | undefined => {
  const { body } = step.transition
  const own = Payload.read(body)
  const call = self.calls.get(body.action?.id ?? "")
  switch (own.type) {
    case "run.fork":
      LiftedRun.forget(self)
      return undefined
    case "action.request":
      LiftedCall.request(self, step, own.data?.within)
      break
    case "action.started":
      if (call !== undefined) LiftedCall.start(self, call, step, own.data?.undo?.within)
      break
    case "intent.refused":
      return refused(self, step, own.data)
    case "goal.complete":
    case "message.sent":
      LiftedCall.noteReports(self, own.data?.reports ?? [])
      break
    case "predicate.violation":
      return violated(self, step, own.data)
    case "recovery.decided":
      if (own.data?.plan !== undefined) RollbackPoint.restore(self, own.data.plan)
  }
  LiftedCall.note(self, call, step)
  settled(self, step, body.action?.id)
  return call === undefined ? undefined : ended(self, call, step)
}

/** A call that ended, or that waits for a person: the call moved the agent, or failed. */
const ended = (self: LiftedRun.LiftedRun, call: LiftedRun.LiftedCall, step: Step.Step): LiftedFailure | undefined => {
  call.signal = FailureSignals.of(step.transition.body) ?? call.signal
  const end = LiftedCall.endOf(call, step)
  if (end === "done") LiftedCall.finish(self, call, step)
  if (end !== "failed" || call.hasFailed) return undefined
  call.hasFailed = true
  return LiftedCall.failure(call, { tick: self.tick, signal: call.signal ?? "tool_exception" })
}

/** A fact about an action may change the standing of its effect, and of the effect that it undoes. */
const settled = (self: LiftedRun.LiftedRun, { after, before, transition }: Step.Step, id: string | undefined): void => {
  const decided = Payload.of(transition.body, "review.decided")?.action
  for (const action of new Set([id, decided, ...LiftedCall.undoneBy(before, id), ...LiftedCall.undoneBy(after, id)])) {
    if (action === undefined || !self.registry.effects.has(action)) continue
    const standing = RecoveryEffect.of(after, action)
    Registry.settle(self.registry, { action, standing, tick: self.tick })
  }
}

const refused = (
  self: LiftedRun.LiftedRun,
  { before, transition }: Step.Step,
  data: Payload.Of<"intent.refused"> | undefined
): LiftedFailure | undefined => {
  const { completes, params = {}, tool } = data ?? {}
  const signal = FailureSignals.of(transition.body)
  if (tool === undefined || completes !== undefined || signal === undefined) return undefined
  return { tick: self.tick, state: self.state, tool, signal, ...LiftedCall.entityOf(self, before, { tool, params }) }
}

/**
 * A predicate that the latest fact violated: the failure counts as that of its call. An alarm of a topology is about
 * no single call.
 */
const violated = (
  self: LiftedRun.LiftedRun,
  { transition }: Step.Step,
  { at, predicate }: Payload.Of<"predicate.violation">
): LiftedFailure | undefined => {
  const signal = FailureSignals.of(transition.body)
  return self.latest?.factAt !== at || signal === undefined || OnsetQuestion.isCrack(predicate)
    ? undefined
    : LiftedCall.failure(self.latest, { tick: self.tick, signal })
}
