/**
 * The acts of a run: each call with its data keys, its answer, and the states before and after its effect.
 *
 * They are folded from committed transitions, in place. Each transition costs a step, and states share their unchanged
 * parts. Calls by which the kernel undoes others are no acts of their own. A fork keeps the acts that it shares with
 * its parent, which alone may undo them.
 *
 * @source Revisable by Design, definition 1; DART, equation 2
 */
import * as DataKey from "@backstitch/contracts/DataKey"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolContract from "@backstitch/contracts/ToolContract"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import type { Section, State } from "@backstitch/reducer/State"
import type { Json } from "@backstitch/trace/Canonical"
import type { Step } from "@backstitch/version-control/Step"
import * as Payload from "../payload/Payload.ts"
import * as ExpressionScope from "../state/ExpressionScope.ts"
import * as StateKeys from "../subtask/StateKeys.ts"

/** A call that was requested. Its `settledAt` is absent until its outcome is known. */
export interface RequestedCall {
  readonly action: string
  readonly contract: ToolContract.ToolContract
  readonly params: Json
  readonly tick: number
  readonly reads: ReadonlyArray<string>
  readonly writes: Set<string>
  /** Fields of the state that it changed. */
  readonly changed: Set<string>
  /** The run that made the call, if this run is a fork of it. */
  owner?: string | undefined
  settledAt?: number | undefined
  isOk: boolean
  key?: string | undefined
  /** The answer of the tool. */
  observed: Json
  /** The record of the system of record. */
  actual: Json
  /** The state before the first change that the call made. */
  before?: State | undefined
  /** The state after the call was settled. */
  after?: State | undefined
}

/**
 * A change of `working`: its tick, the call that made it, if it was one, and the section before it. A note is a change
 * by the agent without a call, such as a `memory.write`.
 */
export interface WorkingChange {
  readonly tick: number
  readonly action: string | undefined
  readonly isNote: boolean
  readonly before: Section
}

/** The acts of a run up to a tick. */
export interface RunActs {
  tick: number
  /** Calls by action, in the order of their requests. */
  readonly calls: Map<string, RequestedCall>
  /** Changes of `working` by data key, the first one first. */
  readonly written: Map<string, Array<WorkingChange>>
  /** Actions that earlier absorptions discarded. */
  readonly discarded: Set<string>
  /** The commitments to values that were erased. */
  readonly erased: Set<string>
}

/** The acts of a run without any transition. */
export const make = (): RunActs => ({
  tick: 0,
  calls: new Map(),
  written: new Map(),
  discarded: new Set(),
  erased: new Set()
})

/** Takes in the next transition, under the pack in force at it. */
export const follow = (self: RunActs, step: Step, pack: TaskPack.TaskPack): void => {
  const { body, tick } = step.transition
  self.tick = tick
  const parent = Payload.of(body, "run.fork")?.parent
  if (parent !== undefined) for (const call of self.calls.values()) call.owner ??= parent
  for (const action of Payload.of(body, "revision.absorbed")?.discarded ?? []) self.discarded.add(action)
  for (const commitment of Payload.of(body, "sealed.erased")?.values ?? []) self.erased.add(commitment)
  if (body.type === "action.request") requested(self, step, pack)
  const call = self.calls.get(body.action?.id ?? "")
  const changed = StateKeys.changed(step.before, step.after, {})
  if (call !== undefined) noted(call, step, changed)
  const isNote = body.author === "agent" && body.action === undefined
  for (const key of changed)
    if (key.startsWith("working."))
      write(self, key, { action: call?.action, before: step.before.working, isNote, tick })
}

const requested = (self: RunActs, { before, transition }: Step, pack: TaskPack.TaskPack): void => {
  const { body, tick } = transition
  const { action, policy } = body
  if (action?.tool === undefined || action.undoes !== undefined || policy?.decision === "deny") return
  if (self.calls.has(action.id)) return
  const contract = TaskPack.tool(pack, action.tool)
  const params = action.params ?? {}
  const bindings = ExpressionScope.bindings(before, { args: params })
  const resolved = (keys: ReadonlyArray<DataKey.DataKey>) => keys.map((key) => DataKey.resolve(key, bindings))
  self.calls.set(action.id, {
    action: action.id,
    contract,
    params,
    tick,
    reads: resolved(contract.reads),
    // Changes of fields are on record already.
    writes: new Set(resolved(contract.writes.filter(({ name }) => !StateKeys.isField(name)))),
    changed: new Set(),
    isOk: false,
    observed: null,
    actual: null
  })
}

const noted = (call: RequestedCall, { after, before, transition }: Step, changed: ReadonlyArray<string>): void => {
  if (changed.length > 0) {
    call.before ??= before
    for (const key of changed) {
      call.changed.add(key)
      call.writes.add(key)
    }
  }
  const [was, is] = [OpenActions.of(before)[call.action], OpenActions.of(after)[call.action]]
  if (was === undefined || is !== undefined) return
  const { result } = transition.body
  call.settledAt = transition.tick
  call.isOk = result?.status === "ok"
  call.key = was.key
  call.observed = was.answer?.output ?? result?.output ?? null
  call.actual = was.actual ?? null
  call.before ??= before
  call.after = after
}

const write = ({ written }: RunActs, key: string, change: WorkingChange): void => {
  const changes = written.get(key)
  if (changes === undefined) written.set(key, [change])
  else changes.push(change)
}
