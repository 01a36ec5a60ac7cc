/**
 * The progress of a run towards its goal after each tick: three signals from its transitions, and their composite.
 *
 * | signal | share of |
 * | --- | --- |
 * | `structural_completion` | subgoals that an artifact or a completion names |
 * | `constraint_satisfaction` | clauses and predicates of the pack that hold now |
 * | `skeptic_survival_rate` | recent proposals that were not turned down |
 *
 * `progress` is w1 completion + w2 constraints − w3 (1 − survival), divided by the sum of the weights.
 *
 * **Gotchas**
 *
 * A heuristic: it can rise while a run fails. No search for the onset of a violation depends on it.
 *
 * @source Dendrer, section 9.5
 */
import * as Progress from "@backstitch/contracts/Progress"
import * as Latch from "@backstitch/reducer/Latch"
import type * as Rules from "@backstitch/reducer/Rules"
import type { Body } from "@backstitch/trace/Transition"
import type { Step } from "../compare/Step.ts"
import * as Payload from "../payload/Payload.ts"
import * as Monotonicity from "../predicates/Monotonicity.ts"

/** The signals after a tick, with the names for the command line. */
export interface Signals {
  readonly structural_completion: number
  readonly constraint_satisfaction: number
  readonly skeptic_survival_rate: number
  readonly progress: number
}

/** Names of the signals and of their composite. */
export const metrics: ReadonlyArray<keyof Signals> = [
  "progress",
  "structural_completion",
  "constraint_satisfaction",
  "skeptic_survival_rate"
]

/** A meter under way. */
export interface ProgressMeter {
  readonly declared: Progress.Progress
  readonly constraints: ReadonlyArray<Rules.Predicate>
  readonly reached: ReadonlySet<string>
  readonly kept: number
  /** Recent proposals, with the action that each began, and whether it was turned down. */
  readonly proposals: ReadonlyArray<{ readonly action: string | undefined; readonly isTurnedDown: boolean }>
}

/** Begins before the first tick. */
export const start = (options: {
  readonly declared?: Progress.Progress | undefined
  readonly constraints: ReadonlyArray<Rules.Predicate>
}): ProgressMeter => ({
  declared: options.declared ?? Progress.standard,
  constraints: options.constraints.map(Monotonicity.everyRow),
  reached: new Set(),
  kept: 1,
  proposals: []
})

/** Adds the next step. */
export const step = (self: ProgressMeter, at: Step): ProgressMeter => {
  const { body } = at.transition
  const subgoal = subgoalOf(self, body)
  return {
    ...self,
    reached: subgoal === undefined || self.reached.has(subgoal) ? self.reached : new Set([...self.reached, subgoal]),
    kept: at.before === at.after ? self.kept : keptOf(self.constraints, at, self.kept),
    proposals: proposalsOf(self, body)
  }
}

/** Reads the signals of the meter. */
export const signals = ({ declared, kept, proposals, reached }: ProgressMeter): Signals => {
  const completion = reached.size / Math.max(1, declared.subgoals.length)
  const turnedDown = proposals.filter(({ isTurnedDown }) => isTurnedDown).length
  const survival = proposals.length === 0 ? 1 : 1 - turnedDown / proposals.length
  const { weights } = declared
  const sum = weights.completion + weights.constraints + weights.survival
  const whole = weights.completion * completion + weights.constraints * kept - weights.survival * (1 - survival)
  return {
    structural_completion: completion,
    constraint_satisfaction: kept,
    skeptic_survival_rate: survival,
    progress: sum === 0 ? 0 : whole / sum
  }
}

const subgoalOf = ({ declared }: ProgressMeter, body: Body): string | undefined => {
  const isWhole = body.type === "goal.complete"
  if (body.type !== "artifact.write" && !isWhole) return undefined
  if (declared.subgoals.length === 0) return isWhole ? "" : undefined
  const { subgoal } = Payload.of(body, "artifact.write") ?? Payload.of(body, "goal.complete") ?? {}
  return typeof subgoal === "string" && declared.subgoals.includes(subgoal) ? subgoal : undefined
}

/** Judges each constraint. One that cannot be evaluated yet is neither kept nor broken. */
const keptOf = (constraints: ReadonlyArray<Rules.Predicate>, at: Step, before: number): number => {
  const verdicts = constraints
    .map((predicate) => Latch.evaluate(predicate, at))
    .filter((verdict) => verdict !== "error")
  return verdicts.length === 0 ? before : verdicts.filter((verdict) => verdict === "ok").length / verdicts.length
}

const proposalsOf = ({ declared, proposals }: ProgressMeter, body: Body): ProgressMeter["proposals"] => {
  const { action, author, result, type } = body
  if (author === "agent" && type !== "anomaly.flag") return recent({ action: action?.id, isTurnedDown: false })
  if (type === "intent.refused") return recent({ action: undefined, isTurnedDown: true })
  const failed = result !== undefined && result.status !== "ok"
  if (action !== undefined && (failed || type === "intent.dropped")) {
    return turnDown(proposals.findLastIndex((proposal) => proposal.action === action.id))
  }
  if (type === "anomaly.flag" || Payload.of(body, "review.decided")?.verdict === "denied") {
    return turnDown(proposals.length - 1)
  }
  return proposals

  function recent(proposal: ProgressMeter["proposals"][number]): ProgressMeter["proposals"] {
    return [...proposals, proposal].slice(-Math.max(1, declared.recent))
  }
  function turnDown(at: number): ProgressMeter["proposals"] {
    return proposals.map((proposal, index) => (index === at ? { ...proposal, isTurnedDown: true } : proposal))
  }
}
