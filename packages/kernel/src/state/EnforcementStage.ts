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
export interface Evidence {
  readonly transitions: ReadonlyArray<Transition>
  readonly pack: TaskPack.TaskPack | undefined
  /** The fault that the verification of the chain found, if there is one. */
  readonly broken: string | undefined
  /** Functions of the pack that are not pure. */
  readonly impure: ReadonlyArray<{ readonly id: string; readonly message: string }>
}

/** A requirement of a stage that the run does not meet. */
export interface Missing {
  readonly what: string
  readonly where: string
  readonly remedy: string
}

/** A stage, whether the run meets it, and its missing requirements. */
export interface Stage {
  readonly stage: number
  readonly name: string
  readonly gives: string
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
export const of = (evidence: Evidence): EnforcementStage => {
  const found = [observe, replay, contracts, full].map((missing) => missing(evidence))
  const stages = found.map((missing, stage) => ({
    stage,
    name: Enforcement.stages[stage]!,
    gives: gives[stage]!,
    holds: found.slice(0, stage + 1).every((each) => each.length === 0),
    missing
  }))
  const reached = stages.findLast(({ holds }) => holds)?.stage ?? null
  return { enforced: enforcedBy(evidence).stage, reached, stages }
}

const gives = [
  "structured history, diff between runs, forks as a picture",
  "bisect one can rely on, post-mortems that come out again, functions named that are not pure",
  "refusals before the effect, cherry-picks that cannot be wrong in silence, declared dependencies",
  "sound bisect, keys before effects, reconciled truth, accountability for every transition"
]

/** A recording was made elsewhere, so nothing of it was enforced here. */
const enforcedBy = ({ transitions }: Evidence): Enforcement.Enforcement => {
  const [first] = transitions
  const began = first && Payload.of(first.body, "run.started")
  if (began?.source !== undefined) return { stage: 0, types: {} }
  return began?.enforcement ?? Enforcement.full
}

const observe = ({ broken, transitions }: Evidence): ReadonlyArray<Missing> => [
  ...(broken === undefined ? [] : [{ what: broken, where: "the chain", remedy: "restore the trace from a copy" }]),
  ...(transitions.length > 1
    ? []
    : [{ what: "the run has no transitions after its first", where: "tick 1", remedy: "record what the agent does" }])
]

const replay = ({ pack, transitions }: Evidence): ReadonlyArray<Missing> => {
  const missing: Array<Missing> = []
  if (pack === undefined || Object.keys({ ...pack.fields.world, ...pack.fields.working }).length === 0) {
    missing.push({
      what: "nothing folds into a state",
      where: "the contract",
      remedy: "declare state, and what each tool's answer changes"
    })
  }
  const answered = new Set(transitions.flatMap(({ body }) => (body.type === "action.result" ? [body.action?.id] : [])))
  for (const { body, tick } of transitions) {
    if (body.type !== "action.request" || answered.has(body.action?.id)) continue
    const what = `the answer of ${body.action?.tool ?? "a tool"} is not on the record`
    missing.push({ what, where: `tick ${tick}`, remedy: "record the tool's output, so that replay need not call it" })
  }
  return missing
}

const contracts = ({ pack, transitions }: Evidence): ReadonlyArray<Missing> => {
  const missing: Array<Missing> = []
  for (const tool of toolsIn(transitions)) {
    const contract = TaskPack.tool(pack, tool)
    if (!contract.known) {
      missing.push({ what: "it has no contract", where: `tools.${tool}`, remedy: "declare it, with its class" })
    } else if (ToolContract.isMutating(contract) && Object.keys(contract.input).length === 0) {
      missing.push({ what: "its arguments are not declared", where: `tools.${tool}.input`, remedy: "declare them" })
    }
  }
  for (const { body, tick } of transitions) {
    for (const { id, step } of body.policy?.observed ?? []) {
      const what = `observed, not enforced: ${step} ${id}`
      missing.push({ what, where: `tick ${tick}`, remedy: "change the agent or the contract before enforcing it" })
    }
  }
  return missing
}

const full = (evidence: Evidence): ReadonlyArray<Missing> => {
  const { impure, pack, transitions } = evidence
  const missing: Array<Missing> = impure.map(({ id, message }) => ({
    what: message,
    where: id,
    remedy: "make it a function of its arguments alone"
  }))
  for (const tool of toolsIn(transitions)) {
    const contract = TaskPack.tool(pack, tool)
    if (!contract.known || !ToolContract.isMutating(contract)) continue
    if (contract.readback === undefined && contract.status !== "by_key") {
      const remedy = "declare a readback, or status: by_key"
      missing.push({ what: "what it did can never be verified", where: `tools.${tool}`, remedy })
    }
    if (contract.identity === undefined) {
      missing.push({ what: "it has no key", where: `tools.${tool}.identity`, remedy: "declare its identity fields" })
    }
  }
  const { stage } = enforcedBy(evidence)
  if (stage < 3) {
    const what = stage === 0 ? "its commits were made elsewhere, or are only observed" : `it enforces stage ${stage}`
    missing.push({ what, where: "tick 1", remedy: "run the agent on the runtime at stage 3" })
  }
  return missing
}

const toolsIn = (transitions: ReadonlyArray<Transition>): ReadonlyArray<string> => [
  ...new Set(
    transitions.flatMap(({ body }) =>
      body.type === "action.request" && body.action?.tool !== undefined ? [body.action.tool] : []
    )
  )
]
