import { assert, describe, it } from "@effect/vitest"
import * as KeylessAct from "../src/identity/KeylessAct.ts"
import { forks } from "./branch.ts"
import { Bench, call, definition, ends, ok } from "./lab.ts"

const { fax } = definition.tools
const changes = { tools: { ...definition.tools, fax: { ...fax, identity: "none" as const, target: "none" } } }
const send = { tool: "fax", params: { to: "ada" } }
const hash = "ab".repeat(32)
const same: KeylessAct.Same = { action: "a7", run: "other", startedAt: 5, tick: 9 }

const of = (bench: Bench, met?: KeylessAct.ActsBefore, request = hash) =>
  KeylessAct.of(bench.terms, bench.state, request, met)

const origin = { source: { link: "ab".repeat(32), run: "other", tick: 3 } }

describe("KeylessAct", () => {
  it("has one name in a lineage and another in a goal, for each request and each time", () => {
    const bench = new Bench()
    const { takes } = of(bench)
    const names = [
      takes,
      of(bench, undefined, "cd".repeat(32)).takes,
      of(bench, { failed: { goal: 1, lineage: 1 } }).takes
    ].flatMap((each) => Object.values(each))
    assert.strictEqual(new Set(names).size, 6)
    assert.deepStrictEqual(of(new Bench({ run: "second" })).takes.goal, takes.goal)
    assert.notStrictEqual(of(new Bench({ run: "second" })).takes.lineage, takes.lineage)
    assert.notStrictEqual(of(new Bench({ goal: "another" })).takes.goal, takes.goal)
  })

  it("claims no name under which it has met an act, and counts the failures by name", () => {
    const bench = new Bench()
    assert.deepStrictEqual(Object.keys(of(bench, { goal: same }).takes), ["lineage"])
    assert.deepStrictEqual(Object.keys(of(bench, { lineage: same }).takes), ["goal"])
    const once = KeylessAct.meeting({}, "lineage", { ...same, hasFailed: true })
    const twice = KeylessAct.meeting(KeylessAct.meeting(once, "lineage", { ...same, hasFailed: true }), "goal", {
      ...same,
      hasFailed: false
    })
    assert.deepStrictEqual(twice, { failed: { lineage: 2 }, goal: same })
    assert.strictEqual(of(bench, twice).ordinal, 3)
  })

  it("is counted by its own history, which a fork shares", () => {
    const bench = new Bench({ changes })
    const ordinals: Array<unknown> = []
    const sends = () => {
      const { action } = call(bench.proposes(send))
      ordinals.push(bench.last.body.data?.["act"])
      bench.answers(action, ok(null))
    }
    sends()
    forks(bench)
    sends()
    call(bench.proposes({ ...send, params: { to: "bob" } }))
    ordinals.push(bench.last.body.data?.["act"])
    assert.deepStrictEqual(
      ordinals.map((act) => (act as KeylessAct.KeptIdentity).ordinal),
      [1, 2, 1]
    )
  })

  it("waits for a person if its lineage made the same request, and not if a person imports it", () => {
    const bench = new Bench({ changes })
    const met = { lineage: same }
    const parked = ends(bench.decides({ _tag: "Propose", met, proposal: send }), "Parked")
    assert.deepInclude(parked.why, { code: "act.repeated" })
    assert.deepInclude(parked.why.args, { action: "a7", run: "other", tick: 9 })
    call(bench.decides({ _tag: "Import", met, origin, proposal: send }))
    const { drafts } = bench.decides({ _tag: "Propose", met: { goal: same }, proposal: send })
    assert.deepStrictEqual(drafts[0]?.body.data, { met: { goal: same } })
  })

  it("is of calls alone that change something and have no key", () => {
    const bench = new Bench()
    const drafts = [
      { tool: "look", params: { q: "x" } },
      { tool: "tell", params: { to: "ada@example.org" } }
    ].flatMap((proposal) => bench.decides({ _tag: "Propose", proposal }).drafts)
    assert.lengthOf(drafts, 3)
    for (const { body } of drafts) assert.isUndefined(body.data?.["act"])
  })
})
