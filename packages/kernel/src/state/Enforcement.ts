/**
 * The stage to which a run enforces its pack.
 *
 * | stage | effect |
 * | --- | --- |
 * | 0 observe | everything is recorded; violations of the pack and impure functions are named |
 * | 1 replay | as 0; a run that continues is folded again, and a state that differs is named |
 * | 2 contracts | as 1, and the pack is enforced |
 * | 3 full | as 2, and impure functions are refused, so that every state comes out the same again |
 *
 * A function whose text shows that it is impure never runs: a call of it fails, and the fold records that. A function
 * that only its samples show to be impure runs at stages where it is only named.
 *
 * A stage is set for a run when it begins, changed for single types or tools, and inherited by forks. Authorship,
 * keys and held targets are enforced at every stage: they protect the trace and the world, not the pack.
 *
 * @source Dendrer, section 6
 */

import * as Part from "@backstitch/reducer/Part"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Policy } from "@backstitch/trace/Transition"
import * as Check from "../payload/Check.ts"
import type * as Payload from "../payload/Payload.ts"

/** The stages by number. */
export const stages = ["observe", "replay", "contracts", "full"] as const

/** The enforcement of a run: a stage, and other stages for some types or tools. */
export interface Enforcement extends JsonObject {
  readonly stage: number
  readonly types: { readonly [name: string]: number }
}

/** The enforcement of a run that declares none: everything. */
export const full: Enforcement = { stage: 3, types: {} }

/** The part of the fold that keeps what a run enforces. */
export const part: Part.Part<Enforcement> = Part.make<Enforcement, typeof Payload.payloads>("enforcement", {
  version: 1,
  init: full,
  on: {
    "run.started": (self, { body }) => read(body.data.enforcement) ?? self,
    "run.fork": (self, { body }) => read(body.data.enforcement) ?? self
  }
})

/** Reads the enforcement of a run. */
export const of = (state: State): Enforcement => Part.get(part, state)

/** The stage of an intent: that of its tool, else of its type, else of the run. */
const stageOf = (state: State, subjects: ReadonlyArray<string>): number => {
  const { stage, types } = of(state)
  for (const subject of subjects) {
    const own = types[subject]
    if (own !== undefined) return own
  }
  return stage
}

/**
 * Tells whether a run is folded again as it continues. It is not at the stage that only observes, nor where all
 * functions are pure.
 */
export const isReplayed = (state: State): boolean => {
  const { stage } = of(state)
  return stage === 1 || stage === 2
}

/** Tells whether the pack is only observed for an intent. */
export const isObserved = (state: State, subjects: ReadonlyArray<string>): boolean => stageOf(state, subjects) < 2

const protects = new Set<Check.CommitPathStep>(["authorship", "key", "target"])

/** Applies the stage to checks: if the pack is only observed, a failing check is noted and passes. */
export const applied = (
  state: State,
  subjects: ReadonlyArray<string>,
  checks: ReadonlyArray<Check.Check>
): ReadonlyArray<Check.Check> =>
  isObserved(state, subjects)
    ? checks.map((check) => (Check.isOk(check) || protects.has(check.step) ? check : { ...check, observed: true }))
    : checks

/** The checks that failed and were only observed, as a policy keeps them; nothing if there are none. */
export const observed = (checks: ReadonlyArray<Check.Check>): Pick<Policy, "observed"> => {
  const found = checks.flatMap(({ id, observed, step, why }) =>
    observed === true && why !== undefined ? [{ id, step, why }] : []
  )
  return found.length === 0 ? {} : { observed: found }
}

/** Reads a stage. Only numbers from 0 to 3 are stages. */
const read = (value: Json | undefined): Enforcement | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const { stage, types } = value as JsonObject
  if (!isStage(stage)) return undefined
  const own = Canonical.isObject(types) ? Object.entries(types) : []
  return { stage, types: Object.fromEntries(own.filter((entry): entry is [string, number] => isStage(entry[1]))) }
}

/** Tells whether a value is a stage. */
const isStage = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < stages.length
