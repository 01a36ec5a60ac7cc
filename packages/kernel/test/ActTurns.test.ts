import * as SettledActions from "@backstitch/ledger/SettledActions"
import { assert, describe, it } from "@effect/vitest"
import * as ActTurns from "../src/identity/ActTurns.ts"
import { Bench, bookOf, call, definition, ends, told, wish } from "./lab.ts"

const readback = { source: "airline", expect: ["actual == null"] }
const benchOf = () =>
  new Bench({
    changes: {
      tools: { ...definition.tools, unbook: { ...definition.tools.unbook, readback } },
      skeletons: {}
    }
  })

const wanted = (...actions: ReadonlyArray<string>) =>
  ({ _tag: "Undo", wanted: { actions, because: wish("the user changed their mind"), cause: "revision" } }) as const

const booked = (bench: Bench, ...flights: ReadonlyArray<string>): ReadonlyArray<string> => {
  for (const flight of flights) bench.books(flight)
  return SettledActions.inOrder(bench.state).map(([action]) => action)
}

const by = { run: "other", action: "a7", tick: 12 }

describe("ActTurns", () => {
  it("have a name for each act and each ordinal (L7)", () => {
    const names = ["", "1", "bs_1", "bs_11"].flatMap((key) =>
      [1, 2, 11, 111].map((ordinal) => ActTurns.of(key, ordinal).name)
    )
    assert.strictEqual(new Set(names).size, 16)
    assert.deepStrictEqual(ActTurns.of("bs_1"), ActTurns.of("bs_1", 1))
  })

  it("are taken by the plan of an undoing, one for each act of it, and by no other decision", () => {
    const bench = benchOf()
    const actions = booked(bench, "LX1", "LX2")
    assert.isTrue(bench.transitions.every(({ body }) => Object.keys(ActTurns.takenBy(body)).length === 0))
    bench.does(wanted(...actions))
    const keys = bench.transitions.flatMap(({ stamp }) => (stamp.key === undefined ? [] : [stamp.key]))
    assert.deepStrictEqual(
      ActTurns.takenBy(bench.last.body),
      Object.fromEntries(actions.map((action, index) => [action, ActTurns.of(keys[index]!)]))
    )
    assert.isUndefined(ActTurns.metBy(bench.last.body))
  })

  it("are asked for one after the other, and earlier answers are read from the recorded decision", () => {
    const bench = benchOf()
    const [action = ""] = booked(bench, "LX1")
    const met = { next: { [action]: 3 }, relied: {} }
    bench.turns = met
    const [draft] = bench.decides(wanted(action)).drafts
    assert.strictEqual(ActTurns.takenBy(draft!.body)[action]?.ordinal, 3)
    assert.deepStrictEqual(ActTurns.metBy(draft!.body), met)
  })

  it("block a plan whose act another run relies on, and name that run (L10)", () => {
    const bench = benchOf()
    const [one = "", two = ""] = booked(bench, "LX1", "LX2")
    bench.turns = { next: {}, relied: { [one]: by } }
    const refused = bench.decides(wanted(one, two))
    assert.include(told(ends(refused, "Refused")), '"action":"a7","run":"other","tick":12')
    assert.deepStrictEqual(refused.drafts, [])
    assert.notStrictEqual(bench.decides(wanted(two)).next._tag, "End")
  })

  it("are taken by the run that takes an act over, with its request", () => {
    const bench = benchOf()
    const { key = "" } = call(bench.decides({ _tag: "Propose", proposal: bookOf("LX1") }))
    const taken = (turn?: number) => {
      const adopted = {
        action: "a7",
        run: "other",
        startedAt: bench.now,
        tick: 12,
        ...(turn === undefined ? {} : { turn })
      }
      const [draft] = bench.decides({ _tag: "Propose", proposal: bookOf("LX1"), adopted }).drafts
      return ActTurns.takenBy(draft!.body)[draft!.body.action?.id ?? ""]
    }
    assert.deepStrictEqual([taken(), taken(4)], [ActTurns.of(key), ActTurns.of(key, 4)])
  })
})
