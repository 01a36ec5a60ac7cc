/** The picture of a run: a lane for each action, with what happened to it, and one for the run itself. */
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import type * as Report from "@backstitch/runtime/Report"
import * as Memo from "@backstitch/topology/Memo"
import type { Step } from "@backstitch/version-control/Step"
import * as TickLine from "../TickLine.ts"

/** Evidence that a mark is: what was asked for, sent, answered, read back, settled, and everything else. */
export type Sign = "answered" | "asked" | "other" | "read" | "sent" | "settled"

/** Something that happened at a tick, and what it tells about the whole run. */
export interface Mark {
  readonly tick: number
  readonly type: string
  readonly told: string
  readonly sign: Sign
  readonly tone: Tone | "other"
}

/** An action from its request on, or a task of a topology from its order on. */
export interface Lane {
  readonly of: "action" | "task"
  readonly id: string
  /** The tool of an action, or the agent that has the task. */
  readonly by: string
  readonly marks: ReadonlyArray<Mark>
  readonly tone: Tone
  /** The sentence that may be told about it. */
  readonly say: string
  /** The action that it undoes. */
  readonly undoes: string | undefined
}

/** A lane without what happened in it. */
type Begun = Omit<Lane, "marks">

/** A picture: the lanes in the order of their beginning, and what belongs to none. */
export interface Picture {
  readonly from: number
  readonly to: number
  readonly run: ReadonlyArray<Mark>
  readonly lanes: ReadonlyArray<Lane>
}

/** The way in which an action stands: done, not done, taken back, still open, or a matter for a person. */
export type Tone = "back" | "done" | "failed" | "look" | "open"

/**
 * The tone of a standing, by the way in which planning continues after it. Only what was verified is done (L8): an
 * answer that nobody checked, a recording, and the word of a person or a tool are open.
 */
export const toneOf = (at: Report.Report["standing"]): Tone => {
  if (ReconciliationStatus.isReversed(at) || at === "reversed_in_part" || at === "rolled_back") return "back"
  if (at === "not_attempted" || at === "attempted" || at === "recorded") return "open"
  return adapted[ReconciliationStatus.adapt(at, {})]
}

const adapted: { readonly [A in ReconciliationStatus.Adaptation]: Tone } = {
  success: "done",
  pending: "open",
  failure: "failed",
  partial: "look",
  unknown: "look",
  wrong_target: "look",
  compensation_failed: "look"
}

const signs: { readonly [type: string]: Sign } = {
  "action.request": "asked",
  "action.started": "sent",
  "action.result": "answered",
  "action.verified": "read",
  "action.reconciled": "settled"
}

const memoSigns: { readonly [memo: string]: Sign } = { dispatch: "asked", report: "answered", collect: "settled" }

/** Draws a part of a run up, from its steps and its report. */
export const of = (steps: ReadonlyArray<Step>, report: Report.Report): Picture => {
  const reports = new Map(report.actions.map((each) => [each.action, each]))
  const lanes = new Map<string, Begun & { readonly marks: Array<Mark> }>()
  const run: Array<Mark> = []
  for (const step of steps) {
    const mark = markOf(step)
    const begun = laneOf(step, reports)
    if (begun === undefined) {
      run.push(mark)
      continue
    }
    // A task may have the name of an action.
    const name = `${begun.of} ${begun.id}`
    const lane = lanes.get(name) ?? { ...begun, marks: [] }
    lane.marks.push(mark)
    lanes.set(name, reports.has(begun.id) && begun.of === "action" ? lane : { ...lane, ...endOf(step, mark, begun) })
  }
  const ticks = steps.map(({ transition }) => transition.tick)
  return { from: ticks[0] ?? 1, to: ticks.at(-1) ?? 1, run, lanes: [...lanes.values()] }
}

/** The end of a lane of which no report tells: of a task that was collected, or of a call that only reads. */
const endOf = (step: Step, { sign }: Mark, begun: Begun): Partial<Begun> => {
  if (begun.of === "task") return sign === "settled" ? { tone: "done", say: "Its result was taken over." } : {}
  if (sign !== "answered") return {}
  const { status } = step.transition.body.result ?? {}
  return { tone: status === "ok" ? "done" : status === "error" ? "failed" : "open" }
}

const markOf = (step: Step): Mark => {
  const { body, tick } = step.transition
  const { notes: told, type } = TickLine.parts(step)
  const memo = Memo.of(body)
  const sign = (memo === undefined ? signs[type] : memoSigns[memo.memo]) ?? "other"
  return { tick, type, told, sign, tone: memo?.memo === "gate" ? (memo.green ? "done" : "failed") : ofType(type) }
}

/** The lane to which a step belongs, as it begins; `undefined` for what concerns the run. */
const laneOf = (step: Step, reports: ReadonlyMap<string, Report.ActionReport>): Begun | undefined => {
  const { body } = step.transition
  const { action } = body
  if (action !== undefined) {
    const told = reports.get(action.id)
    const tone = told === undefined ? "open" : toneOf(told.standing)
    const say = told?.say ?? "It only reads."
    return { of: "action", id: action.id, by: step.tool ?? "", tone, say, undoes: action.undoes }
  }
  const memo = Memo.of(body)
  const task = memo !== undefined && "task" in memo ? memo.task : undefined
  if (memo === undefined || task === undefined) return undefined
  const by = memo.memo === "dispatch" ? memo.worker : (body.agent ?? "")
  return { of: "task", id: task, by, tone: "open", say: "Its result was not taken over yet.", undoes: undefined }
}

const ofType = (type: string): Tone | "other" => {
  if (type === "predicate.violation" || type === "kernel.anomaly" || type === "budget.exhausted") return "failed"
  if (type === "intent.refused" || type === "anomaly.flag" || type.startsWith("review.")) return "look"
  if (type === "goal.complete") return "done"
  return type.startsWith("revision.") || type.startsWith("recovery.") ? "back" : "other"
}
