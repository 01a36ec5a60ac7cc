import type * as ToolContract from "@backstitch/contracts/ToolContract"
import { assert, describe, it } from "@effect/vitest"
import * as Absorption from "../src/Absorption.ts"
import * as AdaptationCost from "../src/AdaptationCost.ts"
import * as Reversibility from "../src/Reversibility.ts"
import { act, actsOf, answersOf, conflict, Moves, ways } from "./lab.ts"

type Class = ToolContract.Reversibility

const classes = ["I", "R", "K", "X"] as const
const verdict = conflict("venue")

/** A trace that uses each of its tools once, as it stands in a title: with the bound of corollary 2 beside it. */
interface Trace {
  readonly classes: ReadonlyArray<Class>
  readonly name: string
  readonly bound: number
}

const traces = ["I", "R", "K", "X", "IR", "RK", "IRKX", "KIKR", "XKXK", "IIRK", "RIXRIRIR"].map((name): Trace => {
  const own = Array.from(name) as ReadonlyArray<Class>
  return { classes: own, name, bound: Reversibility.bound(own, own.length) }
})

const tracesWith = (kind: Class) => traces.filter((trace) => trace.classes.includes(kind))

/** The plans for a trace in which every act is in conflict, by all ways that treat acts of class R alike. */
const plansOf = (trace: Trace) => {
  const acts = trace.classes.map((each, index) => act(index + 1, { class: each, verdict }))
  const plans = ways
    .filter(({ reversible }) => reversible === "invert")
    .map((way) => ({ ...way, ...Absorption.plan(acts, way) }))
  return { acts, plans }
}

const actionsOf = ({ acts }: ReturnType<typeof plansOf>, kind: Class) =>
  acts.flatMap((each) => (each.class === kind ? [each.action] : []))

/** Asserts that the acts with a price which nobody can avoid are as many as the bound demands. */
const meets = ({ bound }: Trace, { lost, undo }: Absorption.Absorption) =>
  assert.strictEqual(lost.length + undo.filter(({ residue }) => residue).length, bound)

describe("an act in conflict", () => {
  it.each(tracesWith("I"))(
    "of class I costs nothing to take back (proposition 1, case 1): $name, at least $bound unavoidable (corollary 2)",
    (trace) => {
      const found = plansOf(trace)
      for (const plan of found.plans) {
        const taken = [...plan.undo.map(({ undoes }) => undoes), ...plan.lost.map(({ action }) => action)]
        for (const action of actionsOf(found, "I")) {
          assert.notInclude(taken, action)
          assert.notInclude(
            plan.conflicts.map((each) => each.action),
            action
          )
        }
        meets(trace, plan)
      }
    }
  )

  it.each(tracesWith("R"))(
    "of class R costs its inverse, without residue (proposition 1, case 2): $name, at least $bound unavoidable (corollary 2)",
    (trace) => {
      const found = plansOf(trace)
      for (const plan of found.plans) {
        for (const action of actionsOf(found, "R")) {
          const own = plan.undo.filter(({ undoes }) => undoes === action)
          assert.deepStrictEqual(
            own.map(({ residue, tool }) => [tool, residue]),
            [["undoR", false]]
          )
          const { compensation } = AdaptationCost.of(found.acts, { discarded: [], undo: own })
          assert.strictEqual(compensation, 1)
        }
        meets(trace, plan)
      }
    }
  )

  it.each(tracesWith("K"))(
    "of class K costs its compensation (proposition 1, case 3): $name, at least $bound unavoidable (corollary 2)",
    (trace) => {
      const found = plansOf(trace)
      for (const plan of found.plans) {
        for (const action of actionsOf(found, "K")) {
          const own = plan.undo.filter(({ undoes }) => undoes === action)
          assert.deepStrictEqual(
            own.map(({ residue, tool }) => [tool, residue]),
            [["undoK", true]]
          )
        }
        const { compensation } = AdaptationCost.of(found.acts, plan)
        assert.isAtLeast(compensation, actionsOf(found, "K").length)
        meets(trace, plan)
      }
    }
  )

  it.each(tracesWith("X"))(
    "of class X costs its clause (proposition 1, case 4): $name, at least $bound unavoidable (corollary 2)",
    (trace) => {
      const found = plansOf(trace)
      for (const plan of found.plans) {
        const undone = plan.undo.map(({ undoes }) => undoes)
        for (const action of actionsOf(found, "X")) {
          assert.notInclude(undone, action)
          assert.deepStrictEqual(
            plan.lost.filter((each) => each.action === action).map(({ clauses }) => clauses),
            [["venue"]]
          )
        }
        meets(trace, plan)
      }
    }
  )

  it("costs its clause if its contract names a class but no reversal, by every rule", () => {
    for (const way of ways) {
      const { lost, undo } = Absorption.plan([act(1, { class: "K", reversal: undefined, verdict })], way)
      assert.deepStrictEqual([undo, lost.map(({ clauses }) => clauses)], [[], [["venue"]]])
    }
  })

  it.prop(
    "has this price in any run and by every rule: no plan avoids what a standing act of class K or X costs",
    [Moves],
    ([moves]) => {
      const [acts, answers] = [actsOf(moves), answersOf(moves)]
      for (const way of ways) {
        const { lost, undo } = Absorption.plan(acts, { ...way, answers })
        const undone = undo.map(({ undoes }) => undoes)
        for (const each of acts) {
          if (!each.stands || each.verdict._tag !== "Conflict") continue
          const isCompensable = each.class === "K" && each.reversal !== undefined
          if (isCompensable) assert.strictEqual(undone.filter((action) => action === each.action).length, 1)
          if (each.class !== "X") continue
          assert.notInclude(undone, each.action)
          assert.deepInclude(lost, { action: each.action, tool: each.tool, clauses: each.verdict.clauses })
        }
      }
    },
    { arbitrary: { runs: 500 } }
  )
})

describe("the bound by the reversibility ratio", () => {
  /** All lists of a length over some values. */
  const lists = <A>(values: ReadonlyArray<A>, length: number): ReadonlyArray<ReadonlyArray<A>> =>
    length === 0 ? [[]] : lists(values, length - 1).flatMap((list) => values.map((value) => [...list, value]))

  it("is the mean number of acts with an unavoidable price over all traces of a length (corollary 2)", () => {
    for (const tools of [1, 2, 3].flatMap((count) => lists(classes, count))) {
      for (const length of [1, 2, 3]) {
        const unavoidable = lists(tools, length).map((trace) => {
          const acts = trace.map((each, index) => act(index + 1, { class: each, verdict }))
          const { lost, undo } = Absorption.plan(acts, { rule: "dependency_closure", reversible: "invert" })
          return lost.length + undo.filter(({ residue }) => residue).length
        })
        const mean = unavoidable.reduce((sum, each) => sum + each, 0) / unavoidable.length
        assert.closeTo(mean, Reversibility.bound(tools, length), 1e-9, `${tools} ${length}`)
      }
    }
  })
})
