/** A small contract, written by hand, whose transitions say which fields they change. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as List from "@backstitch/trace/List"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import type * as Transition from "@backstitch/trace/Transition"
import * as Fold from "../src/fold/Fold.ts"
import type * as Rules from "../src/pack/Rules.ts"
import * as State from "../src/state/State.ts"

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

/** `data.set` sets fields of `working`, `data.put` rows of `world.rows`, `data.append` appends to `working.log`. */
export const apply: Rules.Rules["apply"] = (before, { body: { data } }) => {
  let { working, world } = before
  if (data?.["set"] !== undefined) working = { ...working, ...(data["set"] as State.Section) }
  if (data?.["put"] !== undefined) {
    let rows = (world["rows"] ?? Table.empty) as Table.Table
    for (const [key, row] of Object.entries(data["put"] as JsonObject)) rows = rows.set(key, row!)
    world = { ...world, rows }
  }
  if (data?.["append"] !== undefined) {
    working = { ...working, log: ((working["log"] ?? List.empty) as List.List).append(data["append"]) }
  }
  return working === before.working && world === before.world ? before : { working, world }
}

export const rules = (predicates: ReadonlyArray<Rules.Predicate> = []): Rules.Rules => ({
  initial: { world: {}, working: {} },
  apply,
  predicates
})

export const foldOf = (bound: Rules.Rules): Fold.Fold =>
  Fold.make({ parts: Fold.base, sources: { rules: () => bound } })

export const fold = (predicates: ReadonlyArray<Rules.Predicate> = []): Fold.Fold => foldOf(rules(predicates))

export const started: Transition.Body = { author: "kernel", data: { pack }, type: "run.started" }

export const did = (data: NonNullable<Transition.Body["data"]>): Transition.Body => ({
  author: "agent",
  data,
  type: "observation.add"
})

export const at = (tick: number, body: Transition.Body): Transition.Transition => ({
  tick,
  body,
  envelope: { ts: tick },
  stamp: { asOf: tick }
})

export const transitions = (bodies: ReadonlyArray<Transition.Body>): ReadonlyArray<Transition.Transition> =>
  bodies.map((body, index) => at(index + 1, body))

/** States from tick 0, the one before the first, on. */
export const states = (on: Fold.Fold, bodies: ReadonlyArray<Transition.Body>): ReadonlyArray<State.State> => {
  const walked = [State.empty]
  for (const transition of transitions(bodies)) walked.push(on.evolve(walked[walked.length - 1]!, transition))
  return walked
}

export const head = (on: Fold.Fold, bodies: ReadonlyArray<Transition.Body>): State.State =>
  Fold.run(on, State.empty, transitions(bodies))

/** Seals bodies one after another, each a commit with its state digest. */
export const seal = (on: Fold.Fold, bodies: ReadonlyArray<Transition.Body>, run = "lab") => {
  let state = State.empty
  let sealedHead = HashChain.genesis(Run.make(run))
  return bodies.map((body) => {
    const draft = { body, envelope: { ts: 1 }, stamp: { asOf: 1 } }
    state = on.evolve(state, { tick: sealedHead.tick + 1, ...draft })
    const sealed = HashChain.seal(sealedHead, { ...draft, stamp: { asOf: 1, state: State.digest(state) } })
    sealedHead = HashChain.headOf(sealed)
    return sealed
  })
}
