import type { Command } from "@backstitch/kernel/Command"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Reviews from "@backstitch/kernel/Reviews"
import type * as Part from "@backstitch/reducer/Part"
import type * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as Explorer from "../src/explorer/Explorer.ts"
import * as PersonLaws from "../src/explorer/PersonLaws.ts"
import type * as Scenario from "../src/explorer/Scenario.ts"
import { short } from "./scenes.ts"

const isSoak = process.env["BACKSTITCH_SOAK"] === "1"

/** A payment that a person has to approve. */
const approved = (faults: Partial<Scenario.Faults>, changes: Partial<Scenario.Scenario> = {}) =>
  short("both", { approvals: 1, ...faults }, { approvedFor: 1, horizon: 1, ...changes })

/** A payment that is asked for again once it has failed, and whose provider contradicts what it was settled as. */
const insisting = (faults: Partial<Scenario.Faults>, changes: Partial<Scenario.Scenario> = {}) =>
  short("asked", { contradictions: 1, verdicts: 1, ...faults }, { insists: true, horizon: 2, ...changes })

/** A tool that answers with the record of another act; the effect is undone afterwards. */
const confused = () => short("both", { confusions: 1 }, { undoes: true, reversal: "apart", horizon: 0 })

/** A scope, and the depth at which it is cut outside of a soak. */
const scopes: ReadonlyArray<readonly [string, Scenario.Scenario, number?]> = [
  ["approved, denied or expired", approved({ approvals: 2 })],
  ["approved or denied, one crash", approved({ crashes: 1 }), 14],
  ["approved or denied, asked about only", approved({}, { kind: "asked" }), 14],
  ["a failure that its provider contradicts", insisting({ refusals: 1 }), 14],
  ["a person whom a provider contradicts", insisting({ verdicts: 2 }), 15],
  ["a success that its provider contradicts", short("both", { contradictions: 1 }, { horizon: 1 })],
  ["the record of another act", confused(), 30]
]

describe("PersonLaws", () => {
  for (const [name, scenario, depthMax] of scopes) {
    const cut = isSoak ? undefined : depthMax
    const explored = Explorer.explore(scenario, { depthMax: cut, statesMax: isSoak ? 1_000_000 : 300_000 })
    it(Explorer.summary(name, explored), () => {
      assert.isUndefined(explored.violation)
      assert.isTrue(explored.isComplete || isSoak || depthMax !== undefined)
    })
  }

  const [consent, once, denial] = PersonLaws.all.map(({ name }) => name)
  const found = (scenario: Scenario.Scenario, kernel: Kernel.Kernel) => Explorer.explore(scenario, { kernel }).violation

  /** A kernel that reads another approval rule than the pack has. */
  const ruled = (change: (rules: Pack["approvals"]) => Pack["approvals"]): Kernel.Kernel => ({
    ...Kernel.standard,
    decide: ({ pack, ...terms }, state, command) =>
      Kernel.decide({ ...terms, pack: pack && { ...pack, approvals: change(pack.approvals) } }, state, command)
  })

  /** A kernel whose fold keeps another verdict of a person than they gave. */
  const folded = (change: (reviews: Table.Table<Reviews.Review>, id: string) => Table.Table<Reviews.Review>) => {
    const { on } = Reviews.part
    const decided: Part.Evolve<Table.Table<Reviews.Review>> = (self, transition, before) => {
      const next = on["review.decided"]!(self, transition as never, before)
      const { review } = (transition.body.data ?? {}) as { readonly review?: string }
      return review === undefined ? next : change(next, review)
    }
    const part = { ...Reviews.part, on: { ...on, "review.decided": decided } } as Part.Any
    const parts = Kernel.standard.parts.map((each) => (each.name === part.name ? part : each))
    return { ...Kernel.standard, parts }
  }

  it("find a kernel that asks nobody", () => {
    const violation = found(
      approved({ approvals: 0 }),
      ruled(() => ({}))
    )
    assert.strictEqual(violation?.law, consent)
    assert.deepStrictEqual(violation?.trace, ["P1 starts", "P1 commits action.request, action.started"])
  })

  it("find a kernel that takes a denial for consent", () => {
    const kernel = folded((reviews, id) => reviews.set(id, { ...reviews.get(id)!, verdict: "approved" }))
    const violation = found(approved({}), kernel)
    assert.strictEqual(violation?.law, consent)
    assert.include(violation?.trace.join(), "denied")
  })

  it("find a kernel that lets an approval count for ever", () => {
    const kernel = ruled(({ pay }) => {
      const { expiresMillis: _, ...rule } = pay!
      return { pay: rule }
    })
    const violation = found(approved({}), kernel)
    assert.strictEqual(violation?.law, consent)
    assert.include(violation?.trace.join(), "the clock shows 1")
  })

  it("find a kernel that asks a question twice which was answered", () => {
    const kernel = folded((reviews, id) => {
      const { by: _, calls: __, decidedAt: ___, role: ____, verdict: _____, ...open } = reviews.get(id)!
      return reviews.set(id, open)
    })
    assert.strictEqual(found(approved({ approvals: 2 }), kernel)?.law, once)
  })

  it("find the first rules, by which somebody who has looked lets an act be begun again (decision 0082)", () => {
    const kernel: Kernel.Kernel = { ...Kernel.standard, rules: { version: 1, changes: [] } }
    const violation = found(insisting({ refusals: 1 }, { horizon: 0 }), kernel)
    assert.strictEqual(violation?.law, denial)
    assert.include(violation?.trace.join(), "noted")
  })

  it("find a kernel that commits a fact about an action which nobody has requested (decision 0025)", () => {
    const strange: Kernel.Kernel = {
      ...Kernel.standard,
      decide: (...asked) => {
        const decision = Kernel.decide(...asked)
        const drafts = decision.drafts.map((draft) =>
          draft.body.type === "action.result" ? { ...draft, body: { ...draft.body, action: { id: "a99" } } } : draft
        )
        return { ...decision, drafts }
      }
    }
    const violation = found(short("both", { refusals: 1 }, { horizon: 0 }), strange)
    assert.strictEqual(violation?.law, "nothing is decided that the table of states refuses (decision 0025)")
  })

  it("find a kernel that undoes what a tool merely named as its own (L10)", () => {
    const believing: Kernel.Kernel = {
      ...Kernel.standard,
      decide: (terms, state, command) => Kernel.decide(terms, state, owning(command))
    }
    const violation = found(confused(), believing)
    assert.strictEqual(violation?.law, "no effect happens twice, and none is undone twice (L14)")
    assert.include(violation?.trace.join(), "the record of another act is shown")
  })
})

type Pack = NonNullable<Parameters<Kernel.Kernel["decide"]>[0]["pack"]>

/** Takes a key that nobody knows for one that has done it. */
const owning = (command: Command): Command =>
  command._tag === "Compensate" && command.original?.via === "status"
    ? { ...command, original: { ...command.original, evidence: { _tag: "Ok", output: { amount: 1 } } } }
    : command
