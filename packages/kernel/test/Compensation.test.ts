import * as SettledActions from "@backstitch/ledger/SettledActions"
import { assert, describe, it } from "@effect/vitest"
import * as Compensation from "../src/action/Compensation.ts"
import * as SagaSteps from "../src/action/SagaSteps.ts"
import { Bench, call, type Definition, definition } from "./lab.ts"

const changes: Partial<Definition> = {
  skeletons: {
    leg: { entity: "args.flight", tools: ["book", "tell"], pivot: ["tell"], aborts: ["tell"] },
    trip: { tools: ["book"] }
  }
}

const subject = ({ pack, state, terms }: Bench) => ({
  terms,
  state,
  id: "a2",
  contract: pack.tools["book"]!,
  open: {
    class: "x",
    params: { flight: "LX1" },
    heard: "record",
    state: "committed",
    tick: 2,
    tool: "book"
  } as const
})

const withUndo = (undo: NonNullable<Definition["tools"]>[string]["undo"]) =>
  new Bench({ changes: { tools: { ...definition.tools, book: { ...definition.tools.book, undo: undo! } } } })

describe("Compensation", () => {
  it("registers the subtasks of a call, each with its entity", () => {
    const bench = new Bench({ changes })
    const params = { flight: "LX1", traveller: "Ada", price: 80 }
    const contract = bench.pack.tools["book"]!
    assert.deepInclude(Compensation.registered(bench.terms, bench.state, { contract, params }), {
      within: { leg: "LX1", trip: null }
    })
  })

  it("fills in the arguments that only the record knows, and has no reversal while one has no answer", () => {
    const bench = withUndo({ class: "K", by: "unbook", with: { id: "actual.id" } })
    assert.deepStrictEqual(Compensation.resolved(subject(bench), { id: "B1" }), {
      by: "unbook",
      class: "K",
      with: { id: "B1" }
    })
    assert.deepStrictEqual(Compensation.resolved(subject(bench), {}), { by: "unbook", class: "K" })
    assert.isFalse(Compensation.isReversible(subject(bench), {}))
  })

  it("takes the instance for irreversible if the rule that narrows its class says so, or has no answer", () => {
    const narrows = "actual.final ? 'X' : 'R'"
    const bench = withUndo({ class: "K", by: "unbook", with: { id: "args.flight" }, narrows })
    const classes = [{ final: false }, { final: true }, {}].map(
      (actual) => Compensation.resolved(subject(bench), actual).class
    )
    assert.deepStrictEqual(classes, ["R", "X", "X"])
  })
})

describe("Workflow", () => {
  it("has the steps of one entity, in the order of their beginnings, with the pivot of its skeleton", () => {
    const bench = new Bench({ changes })
    bench.books("LX1")
    bench.books("LX2")
    const flying = call(
      bench.proposes({
        tool: "book",
        params: { flight: "LX1", traveller: "Bob", price: 1 },
        occurrence: 2,
        occurrenceBy: "plan"
      })
    )
    const [first = "", second = ""] = SettledActions.inOrder(bench.state).map(([id]) => id)
    const registered = SettledActions.of(bench.state).get(first)
    const [leg, trip] = SagaSteps.instancesOf(bench.terms, registered)
    assert.deepStrictEqual([leg?.entity, trip?.entity], ["LX1", null])
    const steps = SagaSteps.of(bench.terms, bench.state, [leg!])
    assert.deepStrictEqual(
      steps.map(({ action, state }) => [action, state]),
      [
        [first, "reconciled_success"],
        [flying.action, "executing"]
      ]
    )
    assert.deepStrictEqual(steps[0]?.compensation, { tool: "unbook", params: { id: "LX1" } })
    assert.deepStrictEqual(
      SagaSteps.all(bench.terms, bench.state).map(({ action }) => action),
      [first, second, flying.action]
    )
  })

  it("marks the step behind which nothing can be undone, by its skeleton or because it has no undoing", () => {
    const bench = new Bench({ changes: { skeletons: { leg: { tools: ["book", "tell"], pivot: ["book"] } } } })
    bench.books("LX1")
    const [step] = SagaSteps.all(bench.terms, bench.state)
    assert.deepInclude(step, { pivot: true, repeatable: true, reversibility: "K" })
  })
})
