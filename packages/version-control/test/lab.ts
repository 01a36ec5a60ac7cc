/** Traces whose transitions say which fields they set, so that a test reads like the trace that it is about. */
import * as Fold from "@backstitch/reducer/Fold"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import * as Step from "../src/compare/Step.ts"

export const pack = "ab".repeat(32)

export const predicate = (
  options: Partial<Rules.Predicate> & Pick<Rules.Predicate, "id" | "holds">
): Rules.Predicate => ({
  scope: undefined,
  window: "after",
  reads: undefined,
  each: undefined,
  monotone: "lift",
  ...options
})

/** `data.set` sets fields of `working`. */
export const rules = (predicates: ReadonlyArray<Rules.Predicate> = []): Rules.Rules => ({
  initial: { world: {}, working: {} },
  apply: (before, { body }) => {
    const set = body.data?.["set"] as State.Section | undefined
    return set === undefined ? before : { ...before, working: { ...before.working, ...set } }
  },
  predicates
})

export const foldOf = (bound: Rules.Rules): Fold.Fold =>
  Fold.make({ parts: Fold.base, sources: { rules: () => bound } })

export const fold = (predicates: ReadonlyArray<Rules.Predicate> = []): Fold.Fold => foldOf(rules(predicates))

export const started: Transition.Body = { author: "kernel", data: { pack }, type: "run.started" }

export const set = (
  fields: Transition.Body["data"] & object,
  body: Partial<Transition.Body> = {}
): Transition.Body => ({
  author: "agent",
  type: "observation.add",
  ...body,
  data: { ...body.data, set: fields }
})

export const note = (description: string): Transition.Body => ({
  author: "agent",
  intent: { description },
  type: "plan.update"
})

/** Seals bodies one after another, and commits the state digest with each when `digests` is set. */
export const seal = (
  bodies: ReadonlyArray<Transition.Body>,
  options: {
    readonly run?: string
    readonly from?: HashChain.Head
    readonly digests?: Fold.Fold
    readonly asOf?: number
  } = {}
): ReadonlyArray<Transition.Sealed> => {
  let head = options.from ?? HashChain.genesis(Run.make(options.run ?? "lab"))
  let state = State.empty
  return bodies.map((body, index) => {
    const asOf = (options.asOf ?? 1_000) + index
    const draft: Transition.Draft = { body, envelope: { ts: asOf }, stamp: { asOf } }
    if (options.digests !== undefined) state = options.digests.evolve(state, { tick: head.tick + 1, ...draft })
    const stamp = options.digests === undefined ? draft.stamp : { ...draft.stamp, state: State.digest(state) }
    const sealed = HashChain.seal(head, { ...draft, stamp })
    head = HashChain.headOf(sealed)
    return sealed
  })
}

export const steps = (on: Fold.Fold, bodies: ReadonlyArray<Transition.Body>): ReadonlyArray<Step.Step> => [
  ...Step.walk(on, State.empty, seal(bodies).map(Transition.open))
]

/** The state at a tick, 0 for the one before the first. */
export const stateAt = (walked: ReadonlyArray<Step.Step>, tick: number): State.State =>
  tick === 0 ? State.empty : walked[tick - 1]!.after
