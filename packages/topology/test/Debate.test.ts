import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Debate from "../src/shapes/Debate.ts"
import { cracksOf, declare, stateOf, Tape } from "./lab.ts"

const declared = declare("debate", { roundsMax: 3 })
const round = (at: number, draft: string, more = {}) => ({ memo: "round", round: at, draft, ...more })
const state = (tape: Tape) => stateOf<Debate.Debate>(tape, declared)
const text = "the quick brown fox jumps over a lazy dog near the river bank today"

describe("Debate", () => {
  it("is deadlocked at the cap if the last round still changes the draft", () => {
    const tape = new Tape().note(round(1, "short")).note(round(2, "much longer")).note(round(3, "shorter again"))
    assert.deepInclude(cracksOf(tape, declared)[0], { crack: "deadlock", signal: "rounds_at_cap", evidence: [1, 2, 3] })
    const converged = new Tape().note(round(1, "short")).note(round(2, text)).note(round(3, text))
    assert.deepStrictEqual(cracksOf(converged, declared), [])
  })

  it("is no deadlock where each round changes half of what the last one did, or is clearly better by its score", () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`)
    const changed = (count: number) =>
      words.map((word, index) => (index < count ? `other${count}${index}` : word)).join(" ")
    const converging = new Tape().note(round(1, changed(0))).note(round(2, changed(20)))
    const twenty = changed(20).split(" ")
    const last = [...twenty.slice(0, 35), "a", "b", "c", "d", "e"].join(" ")
    assert.deepStrictEqual(cracksOf(converging.note(round(3, last)), declared), [])
    const better = new Tape()
    for (const [index, score] of [0.4, 0.6, 0.8].entries()) better.note(round(index + 1, `draft${index}`, { score }))
    assert.deepStrictEqual(cracksOf(better, declared), [])
    const rising = new Tape()
    for (const [index, score] of [0.4, 0.41, 0.42].entries()) rising.note(round(index + 1, `draft${index}`, { score }))
    assert.strictEqual(cracksOf(rising, declared)[0]?.crack, "deadlock")
  })

  it("is deadlocked where two drafts take turns", () => {
    const tape = new Tape()
    for (const [index, draft] of ["long draft", "brief", "long draft", "brief"].entries()) {
      tape.note(round(index + 1, draft))
    }
    const free = declare("debate", { roundsMax: 20 })
    assert.deepInclude(cracksOf(tape, free)[0], { crack: "deadlock", signal: "drafts_alternate", tick: 4 })
  })

  it("gives in where two rounds in a row are worse than the best one, and ships the best", () => {
    const scores = [0.7, 0.8, 0.6, 0.5]
    const tape = new Tape()
    for (const [index, score] of scores.entries()) tape.note(round(index + 1, `${text} ${index}`, { score }))
    const free = declare("debate", { roundsMax: 20 })
    assert.deepInclude(cracksOf(tape, free)[0], { crack: "capitulation", evidence: [2, 3, 4] })
    assert.deepStrictEqual(Debate.resume(state(tape), free), { _tag: "Ship", round: 2, tick: 2 })
  })

  it("is ended by one round that is clearly worse, which is no crack yet, wherever the scores lie", () => {
    const free = declare("debate", { roundsMax: 20 })
    for (const scores of [
      [0.8, 0.7],
      [0.9, 0.8],
      [0.3, 0.2]
    ]) {
      const tape = new Tape()
      for (const [index, score] of scores.entries()) tape.note(round(index + 1, `draft${index}`, { score }))
      assert.deepStrictEqual(cracksOf(tape, free), [])
      assert.deepStrictEqual(Debate.resume(state(tape), free), { _tag: "Ship", round: 1, tick: 1 })
    }
  })

  it("gives in where later rounds take back what earlier ones have fixed", () => {
    const drafts = [text, `${text} alpha`, text, `${text} beta`, text]
    const tape = new Tape()
    for (const [index, draft] of drafts.entries()) tape.note(round(index + 1, draft, { delta: 0.2 }))
    const free = declare("debate", { roundsMax: 20 })
    assert.strictEqual(cracksOf(tape, free)[0]?.crack, "capitulation")
  })

  it("undoes nothing where texts are no versions of one draft", () => {
    const tape = new Tape()
    for (let index = 1; index < 8; index++) tape.note(round(index, `${"abcdefgh"[index]} ${index} words of ${index}x`))
    assert.deepStrictEqual(cracksOf(tape, declare("debate", { roundsMax: 99 })), [])
  })

  it("goes on with the next round, gives a tie to the judge, and begins with the first", () => {
    assert.deepStrictEqual(Debate.resume(state(new Tape()), declared), { _tag: "Round", round: 1 })
    const two = new Tape().note(round(1, "short")).note(round(2, "much longer"))
    assert.deepStrictEqual(Debate.resume(state(two), declared), { _tag: "Round", round: 3 })
    const three = two.note(round(3, "shorter again"))
    assert.deepStrictEqual(Debate.resume(state(three), declared), { _tag: "Ship", round: 3, tick: 3 })
    const judged = { ...declared, agents: { judge: "carol" } }
    assert.deepStrictEqual(Debate.resume(state(three), judged), { _tag: "Judge", judge: "carol", rounds: [2, 3] })
  })

  it.prop(
    "ships no draft that is worse than another complete one, and never more rounds than its cap (T7)",
    [Schema.Array(Schema.Literals([0, 0.25, 0.5, 0.75, 1]))],
    ([scores]) => {
      const tape = new Tape()
      for (const [index, score] of scores.entries()) tape.note(round(index + 1, `${text} ${index}`, { score }))
      const next = Debate.resume(state(tape), declared)
      if (next._tag === "Ship") assert.strictEqual(scores[next.round - 1], Math.max(...scores))
      else assert.isBelow(scores.length, 3)
    }
  )
})
