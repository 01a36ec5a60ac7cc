/**
 * The planner of a case: it proposes the first step of its plan that is not done, from `working` alone.
 *
 * It is the default of the port {@link Planner}; a model can be used instead.
 */
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as State from "@backstitch/reducer/State"
import * as Schema from "effect/Schema"
import type * as Plan from "../universe/Plan.ts"
import * as World from "./World.ts"

/** A planner of the benchmark: the step to take in a state, or `undefined` if none is left. */
export interface Planner {
  readonly next: (working: Working) => Promise<Plan.Step | undefined>
}

/** The content of `working`. */
export interface Working {
  readonly state: string
  readonly facts: Readonly<Record<string, string>>
  readonly done: Readonly<Record<string, number>>
}

const Content = Schema.Struct({
  state: Schema.String,
  facts: Schema.Record(Schema.String, Schema.Struct({ value: Schema.String })),
  done: Schema.Record(Schema.String, Schema.Struct({ version: Schema.Int }))
})

/** Reads the content of `working` in a state of a run. */
export const workingOf = ({ working }: State.State): Working => {
  const { done, facts, state } = Schema.decodeUnknownSync(Content)(State.sectionToJson(working))
  return {
    state,
    facts: Object.fromEntries(Object.entries(facts).map(([key, { value }]) => [key, value])),
    done: Object.fromEntries(Object.entries(done).map(([key, { version }]) => [key, version]))
  }
}

/** The planner that follows a plan. */
export const make = (steps: ReadonlyArray<Plan.Step>): Planner => ({
  next: async ({ done }) => steps.find(({ id }) => !Object.hasOwn(done, id))
})

/** The proposal of a step. */
export const proposalOf = (
  { entity, id, previous = "", reads, tool, writes }: Plan.Step,
  { facts }: Working
): Proposal => ({
  tool,
  params: { entity, previous, key: writes, step: id, basis: World.basisOf(reads.map((key) => facts[key])) }
})
