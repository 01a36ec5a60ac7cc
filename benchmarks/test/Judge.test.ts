import { assert, describe, it } from "@effect/vitest"
import type * as Wanted from "../streambench/harness/Wanted.ts"
import type * as World from "../streambench/harness/World.ts"
import * as Judge from "../streambench/judge/Judge.ts"
import * as Setting from "../streambench/scenario/Setting.ts"
import { travel } from "../streambench/scenario/travel.ts"

const { steps } = Setting.make(travel, { ratio: 0.5, seed: 0 })

const wanted: Wanted.Wanted = {
  theme: "Oslo",
  ceiling: 900,
  people: ["Ada"],
  items: steps.slice(8).map(({ id }) => id),
  order: []
}

const termsOf = ({ carries }: Setting.PlannedStep): World.Terms => ({
  theme: carries.includes("theme") ? "Oslo" : "",
  total: carries.includes("total") ? 800 : 0,
  people: carries.includes("people") ? "Ada" : ""
})

const perfect = steps
  .filter(({ kind }) => kind !== "answer")
  .map(
    (step, index): World.Thing => ({
      ...termsOf(step),
      item: step.id,
      version: 1,
      kind: step.kind,
      at: index + 1,
      status: "standing",
      residue: 0
    })
  )

const declared = Object.fromEntries(steps.slice(8).map((step) => [step.id, termsOf(step)]))

const judged = (things: ReadonlyArray<World.Thing>, more: Partial<Judge.Evidence> = {}) =>
  Judge.judge({ steps, things, wanted, declared: {}, ...more })

const changed = (item: string, change: Partial<World.Thing>) =>
  perfect.map((thing) => (thing.item === item ? { ...thing, ...change } : thing))

describe("Judge", () => {
  it("gives 5 where everything wanted stands under the terms of the goal, as declared", () => {
    assert.strictEqual(judged(perfect, { declared }).quality, 5)
  })

  it("takes 1 for each wanted thing of which nothing stands", () => {
    const verdict = judged(changed("hotel", { status: "cancelled" }))
    assert.deepInclude(verdict, { quality: 4, unmet: ["hotel"], contradicting: [] })
  })

  it("takes 1 for a thing with another theme, a total above the ceiling or none, or other people", () => {
    for (const change of [
      { theme: "Porto" },
      { total: 901 },
      { total: 0 },
      { people: "Kim" },
      { people: "Ada, Kim" }
    ]) {
      const verdict = judged(changed("itinerary", change))
      assert.deepInclude(verdict, { quality: 4, contradicting: ["itinerary"] }, JSON.stringify(change))
    }
  })

  it("does not hold terms against a thing that does not carry them", () => {
    assert.strictEqual(judged(changed("notice", { total: 5000 })).quality, 5)
  })

  it("takes 1 for an act that stands and is no longer wanted", () => {
    const without = { ...wanted, items: wanted.items.filter((id) => id !== "itinerary") }
    assert.deepInclude(judged(perfect, { wanted: without }), { quality: 4, contradicting: ["itinerary"] })
  })

  it("takes 1 for a second payment of the same thing, and none for a text that was written again", () => {
    const again = (item: string) =>
      perfect.filter((each) => each.item === item).map((each) => ({ ...each, version: 2 }))
    assert.deepInclude(judged([...perfect, ...again("hotel_payment")]), { contradicting: ["hotel_payment"] })
    const stale = changed("packing_list", { theme: "Porto" })
    assert.strictEqual(judged([...stale, ...again("packing_list")]).quality, 5)
  })

  it("takes 1 for an act that stands before another that the user wanted first", () => {
    const first = { ...wanted, order: [["flight", "itinerary"]] as const }
    assert.deepInclude(judged(perfect, { wanted: first }), { quality: 4, contradicting: ["itinerary"] })
    assert.strictEqual(judged(changed("itinerary", { at: 99 }), { wanted: first }).quality, 5)
  })

  it("takes 1 for declaring acts that the world does not show, however often", () => {
    const verdict = judged(changed("flight", { status: "cancelled" }), { declared })
    assert.deepInclude(verdict, { quality: 3, unmet: ["flight"], falselyDeclared: ["flight"] })
    const things = changed("flight", { people: "Kim" }).map((each) =>
      each.item === "notice" ? { ...each, people: "Kim" } : each
    )
    assert.deepInclude(judged(things), { quality: 3, falselyDeclared: [] })
    assert.deepInclude(judged(things, { declared }), { quality: 2, falselyDeclared: ["flight", "notice"] })
  })

  it("takes a half for each compensation with residue, at most 1, and nothing for one without", () => {
    const undone = (count: number, residue: number) =>
      Array.from(
        { length: count },
        (_, index): World.Thing => ({ ...perfect[4]!, version: index + 2, status: "corrected", residue })
      )
    assert.deepStrictEqual(
      [undone(1, 0), undone(1, 1), undone(2, 40), undone(5, 1)].map((more) => judged([...perfect, ...more]).quality),
      [5, 4.5, 4, 4]
    )
  })

  it("gives nothing below 1", () => {
    assert.strictEqual(judged([], { declared }).quality, 1)
  })
})
