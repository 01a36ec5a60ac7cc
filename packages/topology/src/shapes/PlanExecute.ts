/**
 * A plan that is written first and carried out step by step. The world moves meanwhile, and the plan acts on a ghost.
 *
 * A plan has a time to live and the facts of the world that it assumed. It is stale once its time is over, once an
 * assumed fact is otherwise, or once a step does not find an object that was there.
 *
 * @source Crash Recovery, plan-execute crash profile
 */
import type * as Topology from "@backstitch/contracts/Topology"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as AnswerText from "../event/AnswerText.ts"
import * as Crack from "../event/Crack.ts"
import type * as Memo from "../event/Memo.ts"
import * as Nearness from "../event/Nearness.ts"
import { entryOf } from "../event/recordEntry.ts"
import type { Answered, Called, Noted, TopologyEvent } from "../event/TopologyEvent.ts"
import * as Limits from "../Limits.ts"
import * as Shape from "./Shape.ts"

/** The plan in force. */
export interface PlanInForce extends JsonObject {
  readonly tick: number
  readonly at: number
  readonly steps: ReadonlyArray<string>
  readonly assumes: { readonly [fact: string]: Json }
}

/** A call under way: the objects in its arguments, those that are an argument alone, and whether it takes any away. */
interface Call extends JsonObject {
  readonly tick: number
  readonly objects: ReadonlyArray<string>
  readonly alone: ReadonlyArray<string>
  readonly isRemoving: boolean
}

/** The plan, its steps that are done, a step that failed and was not answered by a new plan, and known objects. */
export interface PlanExecute extends JsonObject {
  readonly plan?: PlanInForce | undefined
  readonly done: ReadonlyArray<number>
  readonly failed?: { readonly step: number; readonly tick: number } | undefined
  /** The tick at which an object was last shown, by its name. */
  readonly known: { readonly [object: string]: number }
  readonly calls: { readonly [action: string]: Call }
}

const removing = /\b(?:rm|mv|unlink|del)\b|delete|remove|move|rename|cancel|drop|close|archive|replace/i

/** Beginnings of steps that make what they name. */
const making = /^\s*(?:add|create|generate|make|mkdir|save|touch|write)\b/i

const planned = (self: PlanExecute, { at, tick }: Noted, memo: Memo.Memo & { readonly memo: "plan" }): PlanExecute => {
  const { assumes = {}, steps } = memo
  // A step that makes an object is no sign that it is there.
  const named = steps.filter((step) => !making.test(step))
  const names = [...Object.keys(assumes), ...named.flatMap(AnswerText.objectsIn)]
  return {
    ...remember({ ...self, plan: { tick, at, steps, assumes } }, names, tick),
    done: [],
    failed: undefined
  }
}

/** Remembers objects that were shown at a tick, and forgets those that were shown longest ago. */
const remember = (self: PlanExecute, names: ReadonlyArray<string>, tick: number): PlanExecute => {
  if (names.length === 0) return self
  const known = new Map(Object.entries(self.known))
  for (const name of names) known.set(name, tick)
  const entries = [...known].sort(([left, one], [right, other]) => one - other || (left < right ? -1 : 1))
  return { ...self, known: Object.fromEntries(entries.slice(-Limits.pacing.objectsKeptMax)) }
}

const forget = (self: PlanExecute, names: ReadonlyArray<string>): PlanExecute => {
  const known = Object.fromEntries(Object.entries(self.known).filter(([name]) => !names.includes(name)))
  return { ...self, known }
}

const stepped = (
  self: PlanExecute,
  event: Noted,
  { memo, declared }: { readonly memo: Memo.Memo & { readonly memo: "step" }; readonly declared: Topology.Topology }
): Shape.Stepped<PlanExecute> => {
  const { agent, at, tick } = event
  const { plan } = self
  const subject = plan?.steps[memo.step - 1]
  const about = { tick, agent, ...(subject === undefined ? {} : { subject }) }
  if (memo.status === "begun") {
    const cracks: Array<Crack.Crack> = []
    if (plan !== undefined && declared.planMillis !== undefined && at - plan.at > declared.planMillis) {
      cracks.push(Crack.make("stale_plan", "plan_expired", { ...about, evidence: [plan.tick] }))
    }
    if (self.failed !== undefined && self.failed.step !== memo.step && declared.onFailure !== "skip") {
      cracks.push(Crack.make("partial_execution", "went_on_after_failure", { ...about, evidence: [self.failed.tick] }))
    }
    return { state: self, cracks }
  }
  if (memo.status !== "failed") return Shape.quiet({ ...self, done: [...self.done, memo.step] })
  const state = { ...self, failed: { step: memo.step, tick } }
  if (memo.missing === undefined) return Shape.quiet(state)
  const evidence = plan === undefined ? [] : [plan.tick]
  const found = { tick, agent, evidence, subject: memo.missing }
  return { state, cracks: [Crack.make("stale_plan", "object_not_found", found)] }
}

const called = (self: PlanExecute, { action, params, tick, tool }: Called): PlanExecute => {
  const values = Nearness.valuesOf(params)
  const isRemoving = removing.test(`${tool} ${values.join(" ")}`)
  const objects = values.flatMap(AnswerText.objectsIn)
  const call: Call = { tick, objects, alone: objects.filter((name) => values.includes(name)), isRemoving }
  return { ...self, calls: { ...self.calls, [action]: call } }
}

const answered = (self: PlanExecute, event: Answered): Shape.Stepped<PlanExecute> => {
  const call = entryOf(self.calls, event.action)
  if (call === undefined) return Shape.quiet(self)
  const { [event.action]: _, ...calls } = self.calls
  const rest = { ...self, calls }
  const output = AnswerText.of(event.output)
  if (event.ok) {
    // An object that the run itself takes away is no ghost.
    const changed = call.isRemoving ? forget(rest, call.objects) : remember(rest, call.objects, event.tick)
    return Shape.quiet(remember(changed, AnswerText.objectsIn(output), event.tick))
  }
  const ghost = AnswerText.saysNotFound(output) ? ghostOf(rest, call, output) : undefined
  if (ghost === undefined) return Shape.quiet(rest)
  const found = {
    tick: event.tick,
    evidence: [rest.known[ghost]!, call.tick],
    agent: event.agent,
    subject: ghost
  }
  return { state: forget(rest, [ghost]), cracks: [Crack.make("stale_plan", "object_not_found", found)] }
}

/**
 * The object that was shown before and is not there: the one that the refusal names, or the only one that is an
 * argument of the call. A refusal that could mean any of several objects names none.
 */
const ghostOf = ({ known }: PlanExecute, { alone, objects }: Call, output: string): string | undefined => {
  const named = objects.filter((name) => output.includes(name))
  const [meant, ...others] = named.length === 0 ? alone : named
  return others.length === 0 && meant !== undefined && Object.hasOwn(known, meant) ? meant : undefined
}

/** Plan and execution as a decider. */
export const shape: Shape.Shape<PlanExecute> = {
  kind: "plan_execute",
  needs: "planMillis",
  init: { done: [], known: {}, calls: {} },
  step: (self, event: TopologyEvent, declared) => {
    if (event._tag === "Called") return Shape.quiet(called(self, event))
    if (event._tag === "Answered") return answered(self, event)
    if (event._tag === "Finished" && self.failed !== undefined && declared.onFailure !== "skip") {
      const { agent, tick } = event
      const found = { tick, evidence: [self.failed.tick], agent }
      return { state: self, cracks: [Crack.make("partial_execution", "finished_over_failure", found)] }
    }
    if (event._tag !== "Noted") return Shape.quiet(self)
    if (event.memo.memo === "plan") return Shape.quiet(planned(self, event, event.memo))
    return event.memo.memo === "step" ? stepped(self, event, { memo: event.memo, declared }) : Shape.quiet(self)
  }
}

/** The way on after a crash, or before a step: the next step, a new plan, or the end of the plan. */
export type PlanResumption =
  | { readonly _tag: "Continue"; readonly step: number }
  | { readonly _tag: "Replan"; readonly because: "changed" | "expired" | "failed" | "none"; readonly fact?: string }
  | { readonly _tag: "Stop"; readonly step: number }
  | { readonly _tag: "Done" }

/**
 * Decides how a plan goes on. A stale plan is never continued: it is made again from the world as it is now.
 *
 * **Details**
 *
 * `world` has the present values of the assumed facts. A fact that is not in it is gone, and counts as changed.
 */
export const resume = (
  { done, failed, plan }: PlanExecute,
  now: { readonly at: number; readonly world: JsonObject },
  { onFailure = "replan", planMillis = Number.POSITIVE_INFINITY }: Topology.Topology
): PlanResumption => {
  if (plan === undefined) return { _tag: "Replan", because: "none" }
  if (failed !== undefined && onFailure === "stop") return { _tag: "Stop", step: failed.step }
  if (failed !== undefined && onFailure === "replan") return { _tag: "Replan", because: "failed" }
  const next = plan.steps.findIndex((_, index) => !done.includes(index + 1) && failed?.step !== index + 1)
  if (next < 0) return { _tag: "Done" }
  if (now.at - plan.at > planMillis) return { _tag: "Replan", because: "expired" }
  const fact = Object.entries(plan.assumes).find(
    ([name, value]) => !Object.hasOwn(now.world, name) || !Canonical.equals(now.world[name] ?? null, value)
  )
  return fact === undefined
    ? { _tag: "Continue", step: next + 1 }
    : { _tag: "Replan", because: "changed", fact: fact[0] }
}
