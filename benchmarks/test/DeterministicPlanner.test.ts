import { assert, describe, it } from "@effect/vitest"
import * as DeterministicPlanner from "../streambench/harness/DeterministicPlanner.ts"
import * as ScenarioPack from "../streambench/harness/ScenarioPack.ts"
import * as Wanted from "../streambench/harness/Wanted.ts"
import { eventPlanning } from "../streambench/scenario/eventPlanning.ts"
import * as Setting from "../streambench/scenario/Setting.ts"

const nothing: DeterministicPlanner.Facts = { answers: {}, things: {} }

/** Follows a plan to its end from some facts, as if every step succeeded. */
const finish = (setting: Setting.Setting, wanted: Wanted.Wanted, begun = nothing) => {
  let facts = begun
  const taken: Array<string> = []
  for (;;) {
    const due = DeterministicPlanner.next(setting, wanted, facts)
    if (due === undefined) return { facts, taken }
    const { step, terms } = due
    taken.push(step.id)
    assert.isBelow(taken.length, 100)
    const price = (form: "full" | "short") =>
      step.priced === true ? Setting.priceOf(setting, { form, item: step.id, theme: terms.theme }) : 0
    const version = (facts.things[step.id]?.version ?? 0) + 1
    facts =
      step.kind === "answer"
        ? {
            ...facts,
            answers: { ...facts.answers, [step.id]: { about: terms.theme, full: price("full"), short: price("short") } }
          }
        : { ...facts, things: { ...facts.things, [step.id]: { ...terms, version, status: "standing" } } }
  }
}

const wantedAfter = (setting: Setting.Setting, kinds: ReadonlyArray<keyof Setting.Setting["revisions"]> = []) =>
  Wanted.of(
    setting,
    ScenarioPack.of(setting),
    Wanted.revised(
      setting,
      kinds.map((kind) => setting.revisions[kind])
    )
  )

describe("DeterministicPlanner", () => {
  const setting = Setting.make(eventPlanning, { ratio: 0.5, seed: 3 })
  const done = finish(setting, wantedAfter(setting))

  it("takes each step of the plan once, in its order", () => {
    assert.deepStrictEqual(
      done.taken,
      setting.steps.map(({ id }) => id)
    )
  })

  it("writes the short form once the ceiling is too low for the full one", () => {
    const totals = [wantedAfter(setting), wantedAfter(setting, ["restrictive"])].map(
      (wanted) => finish(setting, wanted).facts.things["venue"]?.total ?? 0
    )
    assert.isTrue(totals[0]! > wantedAfter(setting, ["restrictive"]).ceiling && totals[1]! < totals[0]!)
  })

  it("asks and writes again under another theme, and repeats nothing that was sent, booked or paid", () => {
    const { facts, taken } = finish(setting, wantedAfter(setting, ["substitutive"]), done.facts)
    const again = setting.steps.filter(
      ({ carries, class: reversibility }) =>
        (reversibility === "I" && carries.includes("theme")) ||
        (reversibility === "R" && (carries.includes("theme") || carries.includes("total")))
    )
    assert.deepStrictEqual(
      taken,
      again.map(({ id }) => id)
    )
    assert.strictEqual(facts.things["proposal"]?.theme, setting.clauses["setting"])
    assert.notStrictEqual(facts.things["plan"]?.theme, setting.clauses["setting"])
  })

  it("makes an act that was taken back again, as a later version", () => {
    const proposal = { ...done.facts.things["proposal"]!, status: "corrected" }
    const facts = { ...done.facts, things: { ...done.facts.things, proposal } }
    const due = DeterministicPlanner.next(setting, wantedAfter(setting), facts)
    assert.strictEqual(due?.step.id, "proposal")
    assert.deepInclude(due && DeterministicPlanner.proposalOf(setting, facts, due).params, { version: 2 })
  })

  it("leaves out unwanted acts, and keeps the order that the user asked for", () => {
    assert.notInclude(finish(setting, wantedAfter(setting, ["cancellation"])).taken, "proposal")
    const { taken } = finish(setting, wantedAfter(setting, ["priority_shift"]))
    assert.isBelow(taken.indexOf("venue"), taken.indexOf("proposal"))
    assert.lengthOf(taken, 15)
  })

  it("declares the terms in force of every standing act, except for acts that it knows to be lost", () => {
    const wanted = wantedAfter(setting, ["substitutive"])
    const declared = DeterministicPlanner.declare(setting, wanted, done.facts, new Set(["deposit"]))
    assert.strictEqual(declared["proposal"]?.theme, wanted.theme)
    assert.sameMembers(
      Object.keys(declared),
      wanted.items.filter((id) => id !== "deposit")
    )
  })
})
