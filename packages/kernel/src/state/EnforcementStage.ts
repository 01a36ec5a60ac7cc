/**
 * The stage that a run has reached, from observing to the whole runtime, and what the next stage lacks.
 *
 * Nothing has to be rebuilt on the way: each stage needs what the earlier stages need, and something more. Each
 * missing item is named with its place and its remedy.
 *
 * @source Dendrer, section 6
 */
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Transition } from "@backstitch/trace/Transition"
import * as Payload from "../payload/Payload.ts"
import * as Enforcement from "./Enforcement.ts"

/** The facts of a run by which its stages are judged. */
export interface StageFacts {
  readonly transitions: ReadonlyArray<Transition>
  readonly pack: TaskPack.TaskPack | undefined
  /** The fault that the verification of the chain found, if there is one. */
  readonly broken: string | undefined
  /** Functions of the pack that are not pure. */
  readonly impure: ReadonlyArray<{ readonly id: string; readonly message: string }>
}

/**
 * A requirement of a stage that the run does not meet.
 *
 * **Details**
 *
 * - `chain_broken`: the verification of the chain found `fault`. `nothing_recorded`: the run has only its first tick.
 * - `state_undeclared`: nothing folds into a state. `answer_unrecorded`: the answer of a tool is not on record.
 * - `tool_undeclared`, `arguments_undeclared`: the pack does not declare a tool, or the arguments of one.
 * - `only_observed`: a check failed, and was not enforced. `impure`: a function of the pack is not pure.
 * - `unverifiable`, `identity_undeclared`: a tool's effect cannot be verified, or has no key.
 * - `enforced_below`: the run enforces less than the last stage.
 */
export type Missing =
  | { readonly code: "chain_broken"; readonly fault: string }
  | { readonly code: "nothing_recorded" | "state_undeclared" }
  | { readonly code: "answer_unrecorded"; readonly tick: number; readonly tool: string | undefined }
  | {
      readonly code: "tool_undeclared" | "arguments_undeclared" | "unverifiable" | "identity_undeclared"
      readonly tool: string
    }
  | { readonly code: "only_observed"; readonly tick: number; readonly step: string; readonly id: string }
  | { readonly code: "impure"; readonly id: string; readonly message: string }
  | { readonly code: "enforced_below"; readonly stage: number }

/** A stage, whether the run meets it, and its missing requirements. */
export interface Stage {
  readonly stage: number
  readonly name: (typeof Enforcement.stages)[number]
  readonly holds: boolean
  readonly missing: ReadonlyArray<Missing>
}

/** The stages of a run: the enforced one, the last one that is met together with all before it, and all of them. */
export interface EnforcementStage {
  readonly enforced: number
  readonly reached: number | null
  readonly stages: ReadonlyArray<Stage>
}

/** Judges the stages of a run. */
export const of = (evidence: StageFacts): EnforcementStage => {
  const found = [observe, replay, contracts, full].map((missing) => missing(evidence))
  const stages = found.map((missing, stage) => ({
    stage,
    name: Enforcement.stages[stage]!,
    holds: found.slice(0, stage + 1).every((each) => each.length === 0),
    missing
  }))
  const reached = stages.findLast(({ holds }) => holds)?.stage ?? null
  return { enforced: enforcedBy(evidence).stage, reached, stages }
}

/** A recording was made elsewhere, so nothing of it was enforced here. */
const enforcedBy = ({ transitions }: StageFacts): Enforcement.Enforcement => {
  const [first] = transitions
  const began = first && Payload.of(first.body, "run.started")
  if (began?.source !== undefined) return { stage: 0, types: {} }
  return began?.enforcement ?? Enforcement.full
}

const observe = ({ broken, transitions }: StageFacts): ReadonlyArray<Missing> => [
  ...(broken === undefined ? [] : [{ code: "chain_broken", fault: broken } as const]),
  ...(transitions.length > 1 ? [] : [{ code: "nothing_recorded" } as const])
]

const replay = ({ pack, transitions }: StageFacts): ReadonlyArray<Missing> => {
  const missing: Array<Missing> = []
  if (pack === undefined || Object.keys({ ...pack.fields.world, ...pack.fields.working }).length === 0) {
    missing.push({ code: "state_undeclared" })
  }
  const answered = new Set(transitions.flatMap(({ body }) => (body.type === "action.result" ? [body.action?.id] : [])))
  for (const { body, tick } of transitions) {
    if (body.type !== "action.request" || answered.has(body.action?.id)) continue
    missing.push({ code: "answer_unrecorded", tick, tool: body.action?.tool })
  }
  return missing
}

const contracts = ({ pack, transitions }: StageFacts): ReadonlyArray<Missing> => {
  const missing: Array<Missing> = []
  for (const tool of toolsIn(transitions)) {
    const contract = TaskPack.tool(pack, tool)
    if (!contract.known) missing.push({ code: "tool_undeclared", tool })
    else if (ToolContract.isMutating(contract) && Object.keys(contract.input).length === 0) {
      missing.push({ code: "arguments_undeclared", tool })
    }
  }
  for (const { body, tick } of transitions) {
    for (const { id, step } of body.policy?.observed ?? []) missing.push({ code: "only_observed", id, step, tick })
  }
  return missing
}

const full = (evidence: StageFacts): ReadonlyArray<Missing> => {
  const { impure, pack, transitions } = evidence
  const missing: Array<Missing> = impure.map(({ id, message }) => ({ code: "impure", id, message }))
  for (const tool of toolsIn(transitions)) {
    const contract = TaskPack.tool(pack, tool)
    if (!contract.known || !ToolContract.isMutating(contract)) continue
    if (contract.readback === undefined && contract.status !== "by_key") missing.push({ code: "unverifiable", tool })
    if (contract.identity === undefined) missing.push({ code: "identity_undeclared", tool })
  }
  const { stage } = enforcedBy(evidence)
  if (stage < 3) missing.push({ code: "enforced_below", stage })
  return missing
}

const toolsIn = (transitions: ReadonlyArray<Transition>): ReadonlyArray<string> => [
  ...new Set(
    transitions.flatMap(({ body }) =>
      body.type === "action.request" && body.action?.tool !== undefined ? [body.action.tool] : []
    )
  )
]
