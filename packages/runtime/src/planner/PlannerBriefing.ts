/**
 * The view of a planner as plain JSON, for a planner that reads text: a model, or a program in another language.
 *
 * It says the same as the view and no more. Fields that are too long for a context are shortened, as the answers of
 * tools are.
 */
import * as Check from "@backstitch/kernel/Check"
import * as Goal from "@backstitch/kernel/Goal"
import * as Observation from "@backstitch/reconciliation/Observation"
import * as State from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type * as PlannerView from "./PlannerView.ts"

/** One action of the run: its arguments, how it stands, and what is known of its result. */
export interface BriefedAction {
  readonly action: string
  readonly tool: string
  readonly params: Json
  readonly class: string
  readonly status: PlannerView.ViewedAction["status"]
  readonly success: boolean
  readonly says: string
  /** The authoritative state of a success, or the declared fields of an answer. */
  readonly output: Json
  readonly error?: string | undefined
  readonly discrepancy?: string | undefined
  /** It has left what it worked in as nobody intended. */
  readonly dirty?: true
}

/** The outcome of the last proposal in words. */
export interface LastOutcome {
  readonly outcome: PlannerView.LastProposal["_tag"]
  readonly success: boolean
  readonly says?: string | undefined
  readonly next?: ReadonlyArray<string> | undefined
  readonly output?: Json | undefined
  /** Budgets that do not cover what was proposed. */
  readonly exceeded?: ReadonlyArray<string> | undefined
}

/** All that a planner is shown. */
export interface Briefing {
  readonly goal: { readonly id: string; readonly text: string; readonly isReached: boolean }
  readonly specification: PlannerView.PlannerView["specification"]
  readonly world: JsonObject
  readonly working: JsonObject
  readonly actions: ReadonlyArray<BriefedAction>
  readonly remaining: PlannerView.PlannerView["remaining"]
  readonly tools: PlannerView.PlannerView["tools"]
  readonly records: PlannerView.PlannerView["records"]
  readonly last: LastOutcome | undefined
}

/** Makes the briefing of a view. */
export const of = (view: PlannerView.PlannerView): Briefing => {
  const { actions, last, records, remaining, specification, state, tools } = view
  const { completedAt, id, text } = Goal.of(state)
  return {
    goal: { id, text, isReached: completedAt !== undefined },
    specification,
    world: shortened(state.world),
    working: shortened(state.working),
    actions: actions.map(actOf),
    remaining,
    tools,
    records,
    last: last === undefined ? undefined : lastOf(last)
  }
}

const shortened = (section: State.Section): JsonObject =>
  Object.fromEntries(
    Object.entries(State.sectionToJson(section)).map(([name, value]) => [name, Observation.bounded(value ?? null)])
  )

const actOf = (act: PlannerView.ViewedAction): BriefedAction => {
  const { action, discrepancy, isDirty, observation, params, says, state, status, success, tool } = act
  const error = observation?.error?.code
  return {
    action,
    tool,
    params: Observation.bounded(params),
    class: act.class,
    status,
    success,
    says,
    output: state ?? observation?.fields ?? null,
    ...(error === undefined ? {} : { error }),
    ...(discrepancy === null ? {} : { discrepancy }),
    ...(isDirty ? { dirty: true as const } : {})
  }
}

const exceeded = (checks: ReadonlyArray<Check.Check>): Pick<LastOutcome, "exceeded"> => {
  const names = Check.failing(checks).flatMap(({ id, step }) => (step === "budget" ? [id] : []))
  return names.length === 0 ? {} : { exceeded: names }
}

const lastOf = (last: PlannerView.LastProposal): LastOutcome => {
  const { success } = last
  switch (last._tag) {
    case "Done":
      return { outcome: last._tag, success, output: last.output }
    case "Refused":
      return { outcome: last._tag, success, says: last.reason, next: last.next, ...exceeded(last.checks) }
    case "Held":
      return { outcome: last._tag, success, says: last.says }
    case "Parked":
      return { outcome: last._tag, success, says: last.why }
    case "Failed":
      return { outcome: last._tag, success, says: last.error.code }
  }
}
