/** A trip whose goal may be revised, its acts, and the plans of its absorptions. */
import type * as RevisedSpecification from "@backstitch/contracts/RevisedSpecification"
import * as Ontology from "@backstitch/trace/Ontology"
import type * as Step from "@backstitch/version-control/Step"
import * as RunAbsorption from "../src/revision/RunAbsorption.ts"
import * as RunActs from "../src/revision/RunActs.ts"
import type * as Goal from "../src/state/Goal.ts"
import { Bench, bookOf, call, type Definition, definition, ok } from "./lab.ts"

const { book, tell, unbook, weigh } = definition.tools

/** Bookings assume the limit and the carrier, messages serve the news, and nothing assumes more. */
export const changes = {
  specification: {
    carrier: { holds: "true", value: "string", default: "LX" },
    max: { holds: "world.spent <= clause.max", value: "int", default: 200 },
    news: { holds: "true" }
  },
  revisions: {},
  tools: {
    ...definition.tools,
    book: {
      ...book,
      reads: ["working.notes"],
      assumes: { carrier: "args.flight.startsWith(clause.carrier)", max: "world.spent <= clause.max" }
    },
    look: { ...definition.tools.look, assumes: [] },
    tell: { ...tell, assumes: [], serves: ["news"] },
    unbook: { ...unbook, assumes: [], readback: { ...book.readback, expect: ["actual.gone"] } },
    weigh: { ...weigh, assumes: [] }
  },
  guards: [],
  budgets: { steps: 400 }
} satisfies Partial<Definition>

export const benchOf = (more: Partial<Definition> = {}, follows?: ReadonlyArray<Goal.FollowedRun>): Bench =>
  new Bench({ changes: { ...changes, ...more }, follows, ontology: Ontology.version })

/** Books a flight until it is settled, and answers its action. */
export const books = (bench: Bench, flight: string, price = 80): string => {
  const { action } = call(bench.proposes(bookOf(flight, price)))
  bench.answers(action, ok({ id: flight, price }))
  bench.readsBack(action, ok({ id: flight, price }))
  return action
}

export const looks = (bench: Bench, q: string): string => {
  const { action } = call(bench.proposes({ tool: "look", params: { q } }))
  bench.answers(action, ok({ found: q }))
  return action
}

export const injects = (bench: Bench, ...revised: ReadonlyArray<RevisedSpecification.RevisionChange>) =>
  bench.proposes({ author: "user", data: { changes: revised }, type: "revision.injected" })

/** The run at its head: its acts are followed from its first transition on. */
export const judging = (bench: Bench): RunAbsorption.Judging => {
  const acts = RunActs.make()
  let before: Step.Step["before"] = { kernel: {}, working: {}, world: {} }
  for (const transition of bench.transitions) {
    const after = bench.fold.evolve(before, transition)
    RunActs.follow(acts, { before, transition, after }, bench.pack)
    before = after
  }
  return { acts, state: bench.state, terms: bench.terms }
}

export const planned = (bench: Bench, options?: RunAbsorption.Options): RunAbsorption.RunAbsorption => {
  const found = RunAbsorption.plan(judging(bench), options)
  if (found === undefined) throw new Error("no revision is pending")
  return found
}
