import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../src/decision/Command.ts"
import * as CommitContent from "../src/decision/CommitContent.ts"
import * as ForkDecision from "../src/fork/ForkDecision.ts"
import { Bench, ends } from "./lab.ts"

const note = { type: "observation.add", data: { text: "x" } }
const child = Run.make("child")

const used = (steps: number, budgets: object = { steps: 10 }) => {
  const bench = new Bench({ changes: { budgets, violations: [] } })
  for (let index = 0; index < steps; index++) ends(bench.proposes(note), "Done")
  return bench
}

const slices = (amounts: object): Command & { readonly _tag: "Slice" } =>
  ({ _tag: "Slice", amounts, child: child.id }) as Command & { readonly _tag: "Slice" }

/** Commits a decision, and gives its drafts and its outcome. */
const decided = (bench: Bench, of: (terms: Bench["terms"]) => ReturnType<typeof ForkDecision.give>) => {
  const { next, content } = of(bench.terms)
  const drafts = CommitContent.drafts(bench.terms, content)
  return { drafts, tag: next._tag === "End" ? next.outcome._tag : next._tag }
}

const given = (bench: Bench, amounts: object) =>
  decided(bench, (terms) => ForkDecision.give(terms, bench.state, slices(amounts)))

const begun = (bench: Bench, amounts: object) =>
  decided(bench, (terms) => {
    const { head } = bench.at
    const begins = { head, last: head.tick, parent: bench.run }
    return ForkDecision.begin({ ...terms, run: child }, bench.state, { _tag: "Fork", amounts: { ...amounts }, begins })
  })

describe("ForkDecision", () => {
  it("never gives or begins with more than the remaining amount, and begins with the given one (L13)", () => {
    for (const [steps, gives, asks] of [0, 4, 9].flatMap((steps) =>
      [0, 1, 6, 7, 12].flatMap((gives) => [0, 1, 6, 7, 12].map((asks) => [steps, gives, asks] as const))
    )) {
      const bench = used(steps)
      const left = 10 - steps
      const { drafts, tag } = given(bench, { steps: gives })
      assert.strictEqual(tag, gives <= left ? "Done" : "Refused")
      assert.strictEqual(begun(bench, { steps: asks }).tag, asks <= left ? "Done" : "Refused")
      assert.strictEqual(drafts.length, tag === "Done" ? 1 : 0)
      if (tag === "Refused") continue
      bench.commits(drafts)
      const [first] = begun(bench, { steps: asks }).drafts
      assert.deepStrictEqual(first?.body.data?.["budget"], { steps: gives })
    }
  })

  it("begins a fork with nothing of a budget that is used up, or has been exceeded", () => {
    for (const shared of [false, true]) {
      const bench = used(2, { shared, steps: 2 })
      for (let times = 0; times < 2; times++) ends(bench.proposes(note), "Refused")
      if (shared) bench.commits(given(bench, { steps: 0 }).drafts)
      const { drafts, tag } = begun(bench, { steps: 0 })
      assert.deepStrictEqual([tag, drafts[0]?.body.data?.["budget"]], ["Done", { steps: 0 }])
      assert.strictEqual(begun(used(3), { steps: 8 }).tag, "Refused")
    }
  })

  it("gives a fork its share once", () => {
    const bench = used(1)
    bench.commits(given(bench, { steps: 4 }).drafts)
    assert.deepStrictEqual(given(bench, { steps: 2 }), { drafts: [], tag: "Done" })
  })

  it("gives all that is left if budgets are shared, and begins nothing that was given nothing", () => {
    const bench = used(2, { shared: true, steps: 10 })
    assert.strictEqual(begun(bench, {}).tag, "Refused")
    bench.commits(given(bench, {}).drafts)
    assert.deepStrictEqual(begun(bench, {}).drafts[0]?.body.data?.["budget"], { steps: 8 })
  })
})
