/** A call of a tool in a lifted run: the subtasks that it belongs to, its reads and writes, and its end. */
import type * as Effect from "@backstitch/admissibility/Effect"
import type * as FailureEvent from "@backstitch/admissibility/FailureEvent"
import * as Instance from "@backstitch/admissibility/Instance"
import * as Registry from "@backstitch/admissibility/Registry"
import * as Condition from "@backstitch/contracts/Condition"
import * as DataKey from "@backstitch/contracts/DataKey"
import * as Machine from "@backstitch/contracts/Machine"
import type * as Skeleton from "@backstitch/contracts/Skeleton"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import * as Expression from "@backstitch/expressions/Expression"
import type * as ActionState from "@backstitch/ledger/ActionState"
import * as EndedActions from "@backstitch/ledger/EndedActions"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as SettledActions from "@backstitch/ledger/SettledActions"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Step } from "@backstitch/version-control/Step"
import * as Result from "effect/Result"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import { type LiftedCall, type LiftedRun, stateIn } from "./LiftedRun.ts"
import * as RecoveryEffect from "./RecoveryEffect.ts"
import * as StateKeys from "./StateKeys.ts"

/** Records a call that was requested. A read begins in its subtasks at once. */
export const request = (self: LiftedRun, step: Step, within: JsonObject | undefined): void => {
  const { before, transition } = step
  const { body, tick } = transition
  const { action, policy } = body
  if (action?.tool === undefined || action.undoes !== undefined || policy?.decision === "deny") return
  if (self.calls.has(action.id)) return
  const contract = TaskPack.tool(self.pack, action.tool)
  const params = action.params ?? {}
  const bindings = ExpressionScope.bindings(before, { args: params })
  const handed = handedOver(contract, bindings)
  const call: LiftedCall = {
    action: action.id,
    contract,
    from: self.state,
    params,
    tick,
    working: before.working,
    reads: contract.reads.map((key) => DataKey.resolve(key, bindings)),
    members: [],
    handed,
    writes: new Set(handed),
    factAt: tick,
    hasFailed: false
  }
  self.calls.set(call.action, call)
  if (!ToolContract.isMutating(contract)) enlist(self, call, { before, within })
}

/** Records that a mutation started: its effect is open in its subtasks from now on. */
export const start = (self: LiftedRun, call: LiftedCall, step: Step, within: JsonObject | undefined): void => {
  if (call.members.length > 0 || self.registry.effects.has(call.action)) return
  enlist(self, call, { before: step.before, within, effect: effectOf(call, step) })
}

/** The keys that a tool hands over and that are no fields of the state. Changes of fields are on record already. */
const handedOver = ({ writes }: ToolContract.ToolContract, bindings: Expression.Bindings): ReadonlyArray<string> =>
  writes.filter(({ name }) => !StateKeys.isField(name)).map((key) => DataKey.resolve(key, bindings))

/** Lets a call begin in the subtasks that it belongs to, if the agent is in one of their states. */
const enlist = (
  self: LiftedRun,
  call: LiftedCall,
  about: {
    readonly before: State
    readonly within: JsonObject | undefined
    readonly effect?: Effect.Effect | undefined
  }
): void => {
  const { before, effect, within = {} } = about
  const { from, params, tick } = call
  for (const [id, entity = null] of Object.entries(within)) {
    const skeleton = self.pack.skeletons[id]
    if (skeleton === undefined || !isIn(skeleton, from)) continue
    const bindings = ExpressionScope.bindings(before, { args: params, entity })
    const resolved = (keys: ReadonlyArray<DataKey.DataKey>) => keys.map((key) => DataKey.resolve(key, bindings))
    const reads = [...call.reads, ...resolved(skeleton.inputs)]
    const outputs = resolved(skeleton.outputs)
    const entry = Registry.begin(self.registry, { tick, skeleton: id, entity, from, reads, outputs, effect })
    if (entry === undefined) continue
    if (entry.checkpoints[0]?.tick === tick - 1) self.sections.set(tick - 1, call.working)
    call.members.push({ skeleton, entity, reads, entry })
  }
  if (call.members.length === 0) Registry.beside(self.registry, { tick, reads: call.reads, writes: [], effect })
}

const isIn = ({ entry, states }: Skeleton.Skeleton, state: string): boolean =>
  (states.length === 0 && entry.length === 0) || states.includes(state) || entry.includes(state)

/**
 * Records the fields that a transition changed: a change by a call belongs to that call, any other change to no
 * subtask.
 */
export const note = (self: LiftedRun, call: LiftedCall | undefined, { after, before, transition }: Step): void => {
  const { body, tick } = transition
  const isReversal = body.action !== undefined && call === undefined
  const changed = isReversal || body.type === "recovery.decided" ? [] : StateKeys.changed(before, after, self.machine)
  if (call === undefined) {
    if (changed.length > 0) Registry.beside(self.registry, { tick, reads: [], writes: changed })
    return
  }
  // A change counts from its own tick on, and also if the call fails later: another call may have read it at once.
  if (changed.length > 0) {
    for (const { entry } of call.members) Registry.wrote(self.registry, entry, { tick, writes: changed })
    if (call.members.length === 0) Registry.beside(self.registry, { tick, reads: [], writes: changed })
  }
  for (const key of changed) call.writes.add(key)
  call.factAt = tick
  self.latest = call
}

/** Standings by which people are told that an effect is there. */
const relied: ReadonlySet<string> = new Set(["partial", "success", "verified"])

/**
 * Records that people were told of effects: they stand on them, as a step of no subtask that has read them. Nothing
 * takes that back.
 */
export const noteReports = (
  { registry, tick }: LiftedRun,
  reports: ReadonlyArray<{ readonly action: string; readonly standing: string }>
): void => {
  for (const { action, standing } of reports) {
    if (!relied.has(standing)) continue
    const key = DataKey.partOf("reported", action)
    for (const entry of registry.effects.get(action) ?? []) {
      const made = entry.effects.find(({ effect }) => effect.action === action)
      if (made === undefined || made.effect.reversibility === "I") continue
      Registry.wrote(registry, entry, { tick: made.tick, writes: [key] })
      Registry.beside(registry, { tick, reads: [key], writes: [] })
    }
  }
}

/** States in which an open call has failed so far; it may still succeed later. */
const failed: ReadonlySet<ActionState.State> = new Set<ActionState.State>([
  "compensating",
  "partially_committed",
  "reconciliation_failed",
  "review_required",
  "verification_timeout"
])

/** The end of a call by a fact about it; `undefined` if the call goes on. A call that has failed so far may go on. */
export const endOf = ({ action }: LiftedCall, { after, before, transition }: Step): "done" | "failed" | undefined => {
  const [was, is] = [OpenActions.of(before)[action], OpenActions.of(after)[action]]
  if (was === undefined) return undefined
  if (is !== undefined) return failed.has(is.state) && was.state !== is.state ? "failed" : undefined
  if (SettledActions.of(after).has(action)) return "done"
  const state = EndedActions.of(after).get(action)?.state
  const isOk = transition.body.result?.status === "ok"
  return isOk && (state === "committed" || state === "reconciled_success") ? "done" : "failed"
}

/**
 * Records in its subtasks that a call has ended: the call moves the agent, and its subtasks may reach their
 * boundaries.
 */
export const finish = (self: LiftedRun, call: LiftedCall, step: Step): void => {
  const { action, contract, from, members, params } = call
  const { after, transition } = step
  const { tick } = transition
  self.state = moved(self, call, after)
  const effect = self.registry.effects.has(action) ? effectOf(call, step) : undefined
  const writes = [...call.writes]
  if (members.length === 0) Registry.beside(self.registry, { tick, reads: call.reads, writes, effect })
  const to = self.state
  for (const { entity, entry, reads, skeleton } of members) {
    const bindings = ExpressionScope.bindings(after, { args: params, entity, from, to, tool: contract.name })
    const [commit, exit] = [holds(skeleton.commit, bindings), holds(skeleton.exit, bindings)]
    // Another call may have found the data of an effect as soon as the effect could begin.
    if (ToolContract.isMutating(contract))
      Registry.wrote(self.registry, entry, { tick: call.tick, writes: call.handed })
    Registry.finish(self.registry, entry, { tick, to, reads, writes, effect, commit, exit })
  }
}

const moved = (self: LiftedRun, { contract }: LiftedCall, after: State): string =>
  self.machine.field === undefined ? Machine.next(self.machine, self.state, contract.name) : stateIn(self, after)

const holds = (condition: Condition.Condition | undefined, bindings: Expression.Bindings): boolean =>
  condition !== undefined && Result.getOrElse(Condition.holds(condition, bindings), () => false)

const effectOf = ({ action, contract }: LiftedCall, { after, before, transition }: Step): Effect.Effect => {
  const settled = SettledActions.of(after).get(action)
  const registered = settled?.class ?? OpenActions.of(before)[action]?.undo?.class ?? contract.undo.class
  const { withinMillis } = contract.undo
  const isKnown = registered === "I" || registered === "R" || registered === "K"
  return {
    action,
    tool: contract.name,
    reversibility: isKnown ? registered : "X",
    standing: RecoveryEffect.of(after, action),
    isRepeatable: contract.idempotency === "idempotent_write" || ToolContract.canBeAsked(contract),
    ...(withinMillis === undefined ? {} : { undoEndsAt: settled?.endsAt ?? transition.stamp.asOf + withinMillis })
  }
}

/** The failure of a call, at the state in which the agent made it. */
export const failure = (
  { action, contract, from, members }: LiftedCall,
  about: Pick<FailureEvent.FailureEvent, "signal" | "tick">
): FailureEvent.FailureEvent & { readonly action: string } => {
  const [member, ...others] = members
  const entity = member === undefined || others.length > 0 ? {} : { entity: member.entity }
  return { ...about, action, state: from, tool: contract.name, ...entity }
}

/** The entity that the arguments of a call name, if a subtask has the tool in the present state of the agent. */
export const entityOf = (
  { pack, state }: LiftedRun,
  before: State,
  { params, tool }: { readonly params: Json; readonly tool: string }
): { readonly entity?: Json } => {
  const [found, ...others] = Object.values(pack.skeletons).filter(
    (each) => each.tools.includes(tool) && isIn(each, state)
  )
  if (found?.entity === undefined || others.length > 0) return {}
  const answer = Expression.evaluate(found.entity, ExpressionScope.bindings(before, { args: params }))
  return Result.isSuccess(answer) ? { entity: answer.success } : {}
}

/** The action that an open action undoes, or that it takes back for a planner. */
export const undoneBy = (state: State, action: string | undefined): ReadonlyArray<string | undefined> => {
  const open = OpenActions.of(state)[action ?? ""]
  return [open?.undoes, open?.reverses?.action]
}

/** Names the instances that a call belongs to. */
export const isOf = ({ members }: LiftedCall, instance: Instance.Instance): boolean =>
  members.some(({ entry }) => entry.id === Instance.idOf(instance))
