import type * as Fold from "@backstitch/reducer/Fold"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Contributors, OnsetQuestion, Scan, Step, Unit } from "../src/index.ts"
import * as Limits from "../src/Limits.ts"
import * as Lab from "./lab.ts"

/** `data.add` adds to fields of `working`. */
const adding = (predicates: ReadonlyArray<Rules.Predicate>): Fold.Fold =>
  Lab.foldOf({
    initial: { world: {}, working: { total: 0 } },
    apply: (before, { body }) => {
      const add = body.data?.["add"] as { readonly [field: string]: number } | undefined
      if (add === undefined) return before
      const working = { ...before.working }
      for (const [field, value] of Object.entries(add)) working[field] = Number(working[field] ?? 0) + value
      return { ...before, working }
    },
    predicates
  })

const over = (limit: number): Rules.Predicate =>
  Lab.predicate({
    id: "over",
    holds: ({ state }) => Number(state.working["total"]) > limit,
    reads: ["working.total"]
  })

const add = (total: number, body: Partial<Transition.Body> = {}): Transition.Body => ({
  author: "agent",
  type: "observation.add",
  ...body,
  data: { add: { total } }
})

const request = (id: string): Transition.Body => ({
  action: { id, tool: "buy" },
  author: "agent",
  type: "action.request"
})
const settled = (id: string, total: number): Transition.Body =>
  add(total, { action: { id }, author: "kernel", type: "action.reconciled" })

const search = (bodies: ReadonlyArray<Transition.Body>, predicate: Rules.Predicate, budget?: number) => {
  const fold = adding([predicate])
  const transitions = Lab.seal([Lab.started, ...bodies]).map(Transition.open)
  const question = OnsetQuestion.predicate(predicate.id, new Set([predicate.id]))
  const end = [...Step.walk(fold, State.empty, transitions)].at(-1)!.after
  const onset = OnsetQuestion.latched(question, end)
  return onset === undefined
    ? undefined
    : { onset, found: Contributors.find({ fold, transitions, question, onset, predicate, budget }) }
}

const ticks = (found: Contributors.Contributors) => found.contributors.map(({ tick }) => tick)

describe("Contributors", () => {
  it("finds the one step that mattered among many that did not", () => {
    const bodies = [
      ...Array.from({ length: 40 }, () => add(0.1)),
      add(50),
      ...Array.from({ length: 20 }, () => add(0.1))
    ]
    const { found, onset } = search([...bodies, add(30)], over(80))!
    assert.strictEqual(onset, 63)
    assert.deepStrictEqual(ticks(found), [42])
    assert.strictEqual(found.verdict, "minimal")
    assert.deepInclude(found.contributors[0]!.effects[0]![0], { code: "changed", path: "working.total" })
    assert.deepInclude(found, { exactFor: "the reducer", heuristicFor: "the agent" })
  })

  it("finds that two harmless steps were needed together, and leaves the onset out", () => {
    // Either of the fifties alone, and the fall of 40 between them, would have stayed below 100.
    const { found, onset } = search([add(50), add(-40), add(50), Lab.note("pause"), add(45)], over(100))!
    assert.strictEqual(onset, 6)
    assert.deepStrictEqual(ticks(found), [2])
    assert.strictEqual(found.verdict, "minimal")
  })

  it("takes an action out as a whole, from its request to its settlement", () => {
    const bodies = [request("a2"), Lab.note("wait"), settled("a2", 60), add(1), request("a6"), settled("a6", 60)]
    const { found, onset } = search(bodies, over(100))!
    assert.strictEqual(onset, 7)
    // The request of the onset's own action stays: no result without its request.
    assert.deepStrictEqual(
      found.contributors.map((each) => each.ticks),
      [[2, 4]]
    )
    assert.strictEqual(found.contributors[0]!.type, "action.request")
  })

  it("says so when the onset is enough by itself", () => {
    const { found } = search([add(1), add(2), add(500)], over(100))!
    assert.deepStrictEqual([found.verdict, found.contributors], ["none found", []])
  })

  it("finds a step whose absence helps only while other steps stay", () => {
    const below = Lab.predicate({
      id: "overdrawn",
      holds: ({ state }) => Number(state.working["total"]) < 0,
      reads: ["working.total"]
    })
    // Without the income, everything is overdrawn.
    const { found, onset } = search([add(100), add(-60), add(-60)], below)!
    assert.deepStrictEqual([onset, ticks(found), found.verdict], [4, [3], "minimal"])
  })

  it("does not call its result minimal when the budget ends", () => {
    const bodies = [...Array.from({ length: 200 }, () => add(1)), add(1)]
    const { found, onset } = search(bodies, over(200), 6)!
    assert.strictEqual(onset, 202)
    assert.strictEqual(found.verdict, "not minimal")
    assert.isAtMost(found.folds, 6)
    assert.strictEqual(search(bodies, over(200), 0)!.found.verdict, "undecided")
  })

  it("counts a fold that cannot be evaluated as no proof", () => {
    const needs = Lab.predicate({
      id: "ratio",
      holds: ({ state }) => {
        if (state.working["base"] === undefined) throw new Error("no base")
        return Number(state.working["total"]) / Number(state.working["base"]) > 2
      },
      reads: ["working.total", "working.base"]
    })
    const base: Transition.Body = { ...add(0), data: { add: { base: 10 } } }
    const fold = adding([{ ...needs, scope: new Set(["plan.update"]) }])
    const bodies = [Lab.started, base, add(30), Lab.note("judge")]
    const transitions = Lab.seal(bodies).map(Transition.open)
    const question = OnsetQuestion.predicate("ratio", new Set(["ratio"]))
    const found = Contributors.find({ fold, transitions, question, onset: 4, predicate: needs })
    assert.deepStrictEqual(ticks(found), [3])
    assert.isAtLeast(found.unresolved, 1)
  })

  it("judges an unregistered expression at every tick of the trace without the steps", () => {
    const predicate = over(10)
    const fold = adding([])
    const transitions = Lab.seal([Lab.started, add(8), add(5), add(-9)]).map(Transition.open)
    const { onset } = Scan.run(predicate, Step.walk(fold, State.empty, transitions))
    const question: OnsetQuestion.OnsetQuestion = { _tag: "Expression", source: "over" }
    const found = Contributors.find({ fold, transitions, question, onset: onset!, predicate })
    assert.deepStrictEqual([onset, ticks(found), found.verdict], [3, [2], "minimal"])
  })

  it("allows so many folds for each halving of the ticks up to an onset, and for one at least", () => {
    const { foldsPerHalving } = Limits.pacing
    assert.deepStrictEqual(
      [1, 2, 256, 257].map(Contributors.budgetOf),
      [1, 1, 8, 9].map((halvings) => halvings * foldsPerHalving)
    )
  })

  it.prop(
    "prevents the violation, needs each of its members, and stays within its budget, on generated traces",
    { steps: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -20, maximum: 40 }))) },
    ({ steps }) => {
      const bodies = steps.map((step) => add(step))
      const predicate = over(60)
      const searched = search(bodies, predicate)
      if (searched === undefined) return
      const { found, onset } = searched
      assert.isAtMost(found.folds, Contributors.budgetOf(onset))
      const totals = (gone: ReadonlySet<number>) => {
        let total = 0
        return steps.slice(0, onset - 1).map((step, index) => (total += gone.has(index + 2) ? 0 : step))
      }
      const isHeld = (gone: ReadonlyArray<number>) => totals(new Set(gone)).some((total) => total > 60)
      assert.notInclude(ticks(found), onset)
      if (found.verdict === "none found") {
        for (let tick = 2; tick < onset; tick++) assert.isTrue(isHeld([tick]))
        return
      }
      assert.isFalse(isHeld(ticks(found)))
      if (found.verdict !== "minimal") return
      for (const tick of ticks(found)) assert.isTrue(isHeld(ticks(found).filter((other) => other !== tick)))
    },
    { arbitrary: { runs: 300 } }
  )
})

describe("Unit", () => {
  const unitsOf = (bodies: ReadonlyArray<Transition.Body>) =>
    Unit.all(Lab.seal([Lab.started, ...bodies]).map(Transition.open)).map((unit) => unit.ticks)

  it("joins an action, its undoing, and the kernel's reports of both", () => {
    const report: Transition.Body = {
      author: "kernel",
      data: { at: 4, predicate: "over" },
      type: "predicate.violation"
    }
    const undoing: Transition.Body = { action: { id: "a6", undoes: "a2" }, author: "agent", type: "action.request" }
    assert.deepStrictEqual(
      unitsOf([request("a2"), Lab.note("x"), settled("a2", 1), report, undoing, settled("a6", -1)]),
      [[2, 4, 5, 6, 7], [3]]
    )
  })

  it("joins a review with the request that it allowed", () => {
    const asked: Transition.Body = { author: "kernel", data: { review: "r1" }, type: "review.requested" }
    const decided: Transition.Body = { author: "user", data: { review: "r1" }, type: "review.decided" }
    const allowed: Transition.Body = { ...request("a5"), data: { approval: { id: "r1" } } }
    assert.deepStrictEqual(unitsOf([asked, Lab.note("x"), decided, allowed]), [[2, 4, 5], [3]])
  })

  it("leaves out the transitions that bind a run", () => {
    const extended: Transition.Body = { author: "institution", data: {}, type: "policy.contract_extension" }
    assert.deepStrictEqual(unitsOf([Lab.note("a"), extended, Lab.note("b")]), [[2], [4]])
  })
})
