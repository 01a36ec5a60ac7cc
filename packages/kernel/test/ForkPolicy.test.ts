import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ForkPolicy from "../src/state/ForkPolicy.ts"
import { forks } from "./branch.ts"
import { Bench, bookOf, call, ends, failing } from "./lab.ts"

const look = { tool: "look", params: { q: "x" } }

describe("ForkPolicy", () => {
  it("refuses from the fork on each act for which its conditions hold, and says how to avoid it", () => {
    const bench = new Bench()
    call(bench.proposes(bookOf("LX1", 80)))
    forks(bench, { policy: "tool == 'book' && args.price > 50" })
    const decision = bench.proposes(bookOf("LX2", 80))
    assert.deepStrictEqual(failing(decision), ["policy tool == 'book' && args.price > 50"])
    call(bench.proposes(bookOf("LX2", 50)))
    call(bench.proposes(look))
  })

  it("sees state, clauses and arguments", () => {
    for (const policy of [
      "world.spent == 0",
      "clause.max == 200",
      "working.mad == false",
      "state.spent == 0",
      "args.q == 'x'"
    ]) {
      const bench = new Bench()
      forks(bench, { policy: [policy] })
      assert.deepStrictEqual(failing(bench.proposes(look)), [`policy ${policy}`])
    }
  })

  it("takes a condition alone, and a list of them, of each fork on the way", () => {
    const bench = new Bench()
    forks(bench, { policy: ["args.q == 'y'"] })
    call(bench.proposes(look))
    forks(bench, { policy: "args.q == 'z'" })
    for (const q of ["y", "z"]) {
      assert.deepStrictEqual(failing(bench.proposes({ ...look, params: { q } })), [`policy args.q == '${q}'`])
    }
  })

  it("refuses if a condition cannot be evaluated or read: silence is not permission", () => {
    for (const policy of ["args.nothing > 1", "args.price >", "1"]) {
      const bench = new Bench()
      forks(bench, { policy: [policy] })
      assert.deepStrictEqual(failing(bench.proposes(look)), [`policy ${policy}`])
    }
    assert.isTrue(Result.isFailure(ForkPolicy.compile("args.price >")))
    assert.isTrue(Result.isSuccess(ForkPolicy.compile("args.price > 1")))
  })

  it("reads conditions and rules of tools, and says of each that it cannot keep why", () => {
    const { pack } = new Bench()
    const read = (policy: ReadonlyArray<string>, toolPolicy: ReadonlyArray<string>) =>
      ForkPolicy.read(pack, { policy, toolPolicy })
    const problem = (...asked: Parameters<typeof read>) => Result.getOrThrow(Result.flip(read(...asked)))
    assert.deepStrictEqual(Result.getOrThrow(read([], [])), {})
    assert.deepStrictEqual(Result.getOrThrow(read(["args.q == 'x'"], [" book = deny", "look=approve"])), {
      policy: ["args.q == 'x'"],
      toolPolicy: { book: "deny", look: "approve" }
    })
    assert.deepInclude(problem(["args.price >"], []), { rule: "args.price >" })
    assert.strictEqual(problem(["args.price >"], []).problem.code, "expression_invalid")
    assert.deepStrictEqual(problem([], ["book"]), { rule: "book", problem: { code: "rule_unreadable" } })
    const type = "observation.add"
    assert.deepStrictEqual(problem([`tool == '${type}' && args.risk > 0.5`], []).problem, {
      code: "judges_nothing",
      type
    })
    assert.isTrue(Result.isSuccess(read([`tool == "rogue" || tool != '${type}'`], [])))
    const writes = {
      ...pack,
      tools: { ...pack.tools, "memory.write": { ...pack.tools["book"]!, name: "memory.write" } }
    }
    const named = ForkPolicy.read(writes, { policy: ["tool == 'memory.write'"], toolPolicy: [] })
    assert.isTrue(Result.isSuccess(named))
    const toolless = ForkPolicy.read({ ...pack, tools: {} }, { policy: ["args.q == 'x'"], toolPolicy: [] })
    assert.deepStrictEqual(Result.getOrThrow(Result.flip(toolless)).problem, { code: "judges_nothing" })
    const unknown = { code: "tool_unknown", tool: "__proto__" } as const
    assert.deepInclude(problem([], ["__proto__=deny"]).problem, unknown)
    const without = Result.flip(ForkPolicy.read(undefined, { policy: [], toolPolicy: ["__proto__=deny"] }))
    assert.deepStrictEqual(Result.getOrThrow(without).problem, { ...unknown, tools: [] })
  })

  it("denies tools, or asks a person before they are used", () => {
    const bench = new Bench()
    forks(bench, { toolPolicy: { book: "deny", look: "approve" } })
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1"))), ["policy tool.book"])
    assert.deepStrictEqual(ends(bench.proposes(look), "Parked").needs, ["operator"])
    call(bench.proposes({ tool: "fax", params: { to: "1" } }))
  })

  it("is inherited by the fork of a fork, which can add to it", () => {
    const bench = new Bench()
    forks(bench, { policy: "tool == 'book'", toolPolicy: { fax: "deny" } })
    forks(bench, { policy: "tool == 'look'" })
    forks(bench)
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1"))), ["policy tool == 'book'"])
    assert.deepStrictEqual(failing(bench.proposes(look)), ["policy tool == 'look'"])
    assert.deepStrictEqual(failing(bench.proposes({ tool: "fax", params: { to: "1" } })), ["policy tool.fax"])
  })

  it("permits nothing that the pack refuses", () => {
    const bench = new Bench()
    forks(bench, { policy: "false", toolPolicy: { book: "allow", refund: "allow", launch: "allow" } })
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 500))), ["guard cheap"])
    ends(bench.proposes({ tool: "refund", params: { amount: 60 } }), "Parked")
    ends(bench.proposes({ tool: "launch", params: {} }), "Parked")
  })
})
