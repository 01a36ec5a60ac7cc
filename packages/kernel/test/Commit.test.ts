import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Commit from "../src/decision/Commit.ts"
import { Bench, call } from "./lab.ts"

const spend = (bench: Bench) => {
  for (const flight of ["LX1", "LX2", "LX3"]) bench.books(flight, 80)
}

describe("Commit", () => {
  it("reports each newly latched predicate in the commit that caused it, once", () => {
    const bench = new Bench()
    spend(bench)
    const violations = bench.transitions.filter(({ body }) => body.type === "predicate.violation")
    assert.deepStrictEqual(
      violations.map(({ body, tick }) => [body.data, tick]),
      [[{ at: 16, predicate: "over" }, 17]]
    )
    assert.strictEqual(bench.transitions[15]?.body.type, "action.reconciled")
  })

  it("reports a predicate that cannot be evaluated as a kernel.anomaly: silence is not innocence", () => {
    const bench = new Bench({ changes: { violations: [{ id: "broken", when: "working.notes[0] == 'x'" }] } })
    bench.proposes({ type: "plan.update", data: { plan: "a" } })
    bench.proposes({ type: "observation.add", data: { text: "x" } })
    const found = bench.transitions.filter(({ body }) => body.type === "kernel.anomaly")
    assert.deepStrictEqual(
      found.map(({ body }) => body.data?.["predicate"]),
      ["broken"]
    )
  })

  it("digests the state once a commit, at its end (decision 0033)", () => {
    const bench = new Bench()
    const { drafts } = bench.decides({ _tag: "Propose", proposal: { tool: "look", params: { q: "x" } } })
    const note = bench.decides({ _tag: "Propose", proposal: { type: "observation.add", data: { text: "x" } } })
    const commit = Commit.assemble(bench.fold, { run: bench.run, at: bench.at, drafts: [...drafts, ...note.drafts] })
    const opened = commit.sealed.map(Transition.open)
    assert.deepStrictEqual(
      opened.map(({ stamp }) => stamp.state),
      [undefined, State.digest(commit.position.state)]
    )
    assert.strictEqual(commit.position.head.link, commit.sealed[1]?.link)
    assert.deepStrictEqual(commit.position.head, HashChain.headOf(commit.sealed[1]!))
  })

  it("never lets time run backwards within a run (decision 0038)", () => {
    const bench = new Bench()
    bench.now = 5
    bench.proposes({ type: "observation.add", data: { text: "x" } })
    assert.strictEqual(bench.last.stamp.asOf, 1_000_000)
    assert.strictEqual(bench.last.envelope.ts, 5)
    assert.strictEqual(bench.at.asOf, 1_000_000)
  })

  it("takes the names that the transitions take, and releases them at settlement (L7)", () => {
    const bench = new Bench()
    const decision = bench.decides({ _tag: "Propose", proposal: { tool: "fax", params: { to: "1" } } })
    const taken = Commit.assemble(bench.fold, { run: bench.run, at: bench.at, drafts: decision.drafts }).claims
    const { action, key } = call(decision)
    assert.deepStrictEqual(taken, [
      {
        release: [],
        take: [
          { namespace: "key", name: key ?? "", owner: action },
          { namespace: "target", name: "fax/1", owner: action }
        ],
        tick: 3
      }
    ])
    bench.commits(decision.drafts)
    const settled = bench.decides({ _tag: "Answered", action, via: "call", evidence: { _tag: "Ok", output: 1 } })
    const freed = Commit.assemble(bench.fold, { run: bench.run, at: bench.at, drafts: settled.drafts }).claims
    assert.deepStrictEqual(
      freed.map(({ release }) => release),
      [[{ namespace: "target", name: "fax/1", owner: action }]]
    )
  })
})
