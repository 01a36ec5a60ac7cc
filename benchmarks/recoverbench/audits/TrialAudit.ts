/**
 * Judges the end of a trial, by its world and by the dependencies of its values.
 *
 * | check | holds if |
 * | --- | --- |
 * | `semantics` | every value can be computed again from its inputs, and each person was asked once |
 * | `prefix` | complete instances still have the values that the plan does not write again |
 * | `effects` | each system of record holds exactly the acts for the values, each once |
 * | `committed` | the acts that stood when the step failed still stand, each once |
 *
 * @source DART, appendix G.1 and table 20
 */
import type * as Trial from "../harness/Trial.ts"
import * as World from "../harness/World.ts"
import type * as Domain from "../universe/Domain.ts"
import type * as Plan from "../universe/Plan.ts"

/** The checks of a trial, in the order in which they are reported. */
export const checks = ["semantics", "prefix", "effects", "committed"] as const

/** A check of a trial. */
export type Check = (typeof checks)[number]

/** The verdicts of all checks. */
export type Audit = Readonly<Record<Check, boolean>>

/** The checks that the reviewed specification of a domain requires. */
export const demanded: Readonly<Record<Domain.Name, ReadonlyArray<Check>>> = {
  navigation: ["semantics", "prefix"],
  "schedule form": ["semantics", "prefix"],
  diagnosis: ["semantics", "prefix", "effects"],
  "etl pipeline": ["semantics", "prefix", "effects", "committed"],
  "travel planning": ["semantics", "prefix", "effects", "committed"]
}

/** The parts of a trial that are judged, on any runtime. */
export interface Judged extends Pick<Trial.Trial, "case" | "domain" | "end" | "records" | "steps" | "working"> {
  readonly failed: Pick<Trial.Failed, "complete" | "records" | "working">
}

/** Judges a trial by all checks. */
export const of = (trial: Judged): Audit => {
  const values = computed(trial)
  return {
    semantics: values !== undefined && isSame(values, trial.working.facts) && hasAskedOnce(trial),
    prefix: hasPrefix(trial),
    effects: values !== undefined && hasEffects(trial),
    committed: [...trial.failed.records].every(([at, before]) =>
      before.every((value) => trial.records.get(at)?.filter((each) => each === value).length === 1)
    )
  }
}

/** Tells whether the task was done as its contract demands: to its end, with right values, and with each act once. */
export const isSuccess = (trial: Judged): boolean => {
  const { effects, semantics } = of(trial)
  return trial.end === "finished" && semantics && effects
}

/** Tells whether the task was done, and every check that its domain demands holds. */
export const isSafe = (trial: Judged): boolean => {
  const audit = of(trial)
  return isSuccess(trial) && demanded[trial.domain.name].every((check) => audit[check])
}

/** Tells whether two trials left the same acts in the systems of record. */
export const hasSameActs = ({ records: left }: Judged, { records: right }: Judged): boolean =>
  left.size === right.size && [...left].every(([at, values]) => values.join() === right.get(at)?.join())

/** Tells whether two values of `working` are the same. */
export const isSame = (left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean => {
  const keys = Object.keys(left)
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key])
}

/** People give no new answer if they are asked again in a session. */
const hasAskedOnce = ({ steps, working }: Judged): boolean =>
  steps.every(({ does, id }) => does !== "ask" || working.done[id] === 0)

/** Computes the values of a plan in its order; `undefined` if a step was never done. */
const computed = ({ steps, working }: Judged): Readonly<Record<string, string>> | undefined => {
  const values: Record<string, string> = {}
  for (const step of steps) {
    const version = working.done[step.id]
    if (version === undefined) return undefined
    values[step.writes] = valueAt(step, values, version)
  }
  return values
}

const valueAt = ({ entity, reads, tool }: Plan.Step, values: Readonly<Record<string, string>>, version: number) =>
  World.valueOf(tool, { entity, basis: World.basisOf(reads.map((key) => values[key])) }, version)

/** Compares the values of complete instances, without those that the plan writes again from the failed instance on. */
const hasPrefix = ({ case: { fails }, failed, steps, working }: Judged): boolean => {
  const complete = new Set(failed.complete)
  const own = steps[fails]?.instance
  const ahead = new Set(steps.filter(({ instance }, at) => at >= fails || instance === own).map(({ writes }) => writes))
  return steps
    .slice(0, fails)
    .filter(({ instance, writes }) => instance !== undefined && complete.has(instance) && !ahead.has(writes))
    .every(({ writes }) => failed.working.facts[writes] === working.facts[writes])
}

/** Compares the records with the plan: one act for each of its steps, with the value in `working`. */
const hasEffects = ({ records, steps, working }: Judged): boolean => {
  const wanted = new Map<string, Array<string>>()
  for (const { does, entity, tool, writes } of steps) {
    if (does === "act") wanted.set(`${tool} ${entity}`, [working.facts[writes] ?? ""])
  }
  return (
    wanted.size === records.size &&
    [...wanted].every(([at, [value]]) => records.get(at)?.length === 1 && records.get(at)?.[0] === value)
  )
}
