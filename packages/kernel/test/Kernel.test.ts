import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as Fold from "@backstitch/reducer/Fold"
import * as Part from "@backstitch/reducer/Part"
import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../src/decision/Command.ts"
import { end } from "../src/decision/Decision.ts"
import type { Outcome } from "../src/decision/Outcome.ts"
import * as Kernel from "../src/Kernel.ts"
import * as Check from "../src/payload/Check.ts"
import * as StandardFold from "../src/StandardFold.ts"
import * as DecisionTerms from "../src/state/DecisionTerms.ts"
import * as ExpressionScope from "../src/state/ExpressionScope.ts"
import * as Goal from "../src/state/Goal.ts"
import * as HandledCommands from "../src/state/HandledCommands.ts"
import { Bench, call, ends } from "./lab.ts"

describe("Kernel", () => {
  it("begins a run once: a run with a state has begun", () => {
    const { terms } = new Bench()
    const begun = { world: {}, working: {}, kernel: { contract: { extensions: [], pack: "" } } }
    const start = {
      _tag: "Start",
      goal: "g",
      text: "t",
      clauses: {},
      pack: undefined,
      fold: "",
      initial: Digest.zero
    } as const
    assert.deepStrictEqual(Kernel.decide(terms, begun, start).drafts, [])
    assert.lengthOf(Kernel.decide(terms, { ...begun, kernel: {} }, start).drafts, 1)
  })

  it("pins in run.started all that the trace depends on (decision 0015)", () => {
    const bench = new Bench()
    const { body } = bench.transitions[0]!
    assert.strictEqual(body.type, "run.started")
    assert.deepStrictEqual(Object.keys(body.data ?? {}).sort(), [
      "clauses",
      "engine",
      "fold",
      "format",
      "goal",
      "initial",
      "ontology",
      "pack",
      "rules",
      "tenant"
    ])
    assert.strictEqual(body.data?.["pack"], bench.pack.digest)
    assert.strictEqual(body.data?.["fold"], bench.fold.version)
  })

  it("is composed of named and versioned parts, and of further ones (StandardFold)", () => {
    const quota = Part.make("@acme/quota", { version: 3, init: { calls: 0 }, on: {} })
    const kernel = Kernel.withParts(Kernel.standard, quota)
    const { version } = Fold.make({ parts: kernel.parts, sources: { rules: () => undefined } })
    assert.deepStrictEqual(version.split(" "), [...StandardFold.parts.map(Part.pin), "@acme/quota@3"])
    assert.strictEqual(new Set(StandardFold.parts.map(({ name }) => name)).size, StandardFold.parts.length)
  })

  it("records an analysis as the kernel's own", () => {
    const bench = new Bench()
    const data = { heuristic: true, links: [], omitted: 0, onset: 3 } as const
    const command: Command = { _tag: "Annotate", type: "causal.chain", data }
    ends(bench.does(command), "Done")
    assert.deepStrictEqual([bench.last.body.author, bench.last.body.data], ["kernel", data])
  })

  it("names the anomaly that the runtime noticed", () => {
    const bench = new Bench()
    bench.does({ _tag: "Annotate", type: "kernel.anomaly", data: { kind: "replay.missing_output" } })
    assert.deepStrictEqual(bench.last.body.data, { kind: "replay.missing_output" })
  })
})

describe("Goal", () => {
  it("keeps the goal and its clauses, and the tick at which it was declared reached", () => {
    const bench = new Bench()
    assert.deepStrictEqual(Goal.of(bench.state), { clauses: { max: 200 }, id: "goal", text: "a trip" })
    bench.proposes({ type: "plan.update", data: { plan: "a" } })
    bench.proposes({ type: "goal.complete" })
    assert.strictEqual(Goal.of(bench.state).completedAt, 3)
  })
})

describe("Commands", () => {
  it("remembers where a command was carried out, and the action that it became", () => {
    const bench = new Bench()
    bench.proposes({ type: "observation.add", data: { text: "x" }, command: "note" })
    bench.proposes({ tool: "look", params: { q: "x" }, command: "look" })
    bench.proposes({ tool: "look", params: {}, command: "wrong" })
    assert.deepStrictEqual(HandledCommands.find(bench.state, "note"), { tick: 2 })
    assert.deepStrictEqual(HandledCommands.find(bench.state, "look"), { tick: 3, action: "a3" })
    assert.isUndefined(HandledCommands.find(bench.state, "wrong"))
  })
})

describe("Check", () => {
  it("names the check that failed first, and keeps no words of others", () => {
    const about = { condition: "args.price > 100" }
    const failed = Check.fail("guard", "cheap", "guard.refuses", about, "said by an engine")
    const why = { args: about, code: "guard.refuses" } as const
    const alone = { ...why, args: { ...about, name: "cheap" } }
    assert.deepStrictEqual(Check.reason([Check.pass("schema", "book"), failed]), alone)
    assert.isUndefined(Check.reason([Check.pass("schema", "book")]))
    assert.deepStrictEqual(Check.kept(failed), { id: "cheap", step: "guard", why })
    assert.deepStrictEqual([failed, { ...failed, observed: true } as const].map(Check.isOk), [false, true])
  })
})

describe("Decision", () => {
  it("is flushed at once if it ends with an outcome", () => {
    const outcome: Outcome = { _tag: "Failed", tick: 1, error: "full" }
    assert.deepStrictEqual(end(outcome), { content: {}, flush: "now", next: { _tag: "End", outcome } })
  })
})

describe("Terms", () => {
  it("stamps drafts with the time of the decision, folded and unfolded", () => {
    const terms = new Bench().terms
    const draft = DecisionTerms.draft(
      terms,
      { author: "kernel", data: { kind: "author" }, type: "kernel.anomaly" },
      { stamp: { key: "k" } }
    )
    assert.deepStrictEqual(draft.stamp, { asOf: terms.now, key: "k" })
    assert.deepStrictEqual(draft.envelope, { ts: terms.now })
  })

  it("tells the head of the run once a decision is committed; a run that was never written is at 0", () => {
    const { terms } = new Bench()
    assert.strictEqual(DecisionTerms.standsAt({ ...terms, tick: 8 }), 7)
    assert.strictEqual(DecisionTerms.standsAt({ ...terms, tick: 8 }, 2), 9)
    assert.strictEqual(DecisionTerms.standsAt({ ...terms, tick: 0 }), 0)
  })

  it("binds fields of both sections under state, the world's first", () => {
    const state = { world: { a: 1 }, working: { a: 2, b: 3 }, kernel: {} }
    assert.deepStrictEqual(ExpressionScope.bindings(state, { args: 4 })["state"], { a: 1, b: 3 })
  })

  it("binds the facts of an action that the state does not hold, and nothing if it has no key and no answer", () => {
    const bench = new Bench()
    const request = call(bench.proposes({ tool: "look", params: { q: "x" } }))
    const open = OpenActions.of(bench.state)[request.action]
    assert.isDefined(open)
    const { state: _, ...names } = ExpressionScope.actionBindings(bench.state, open, 7)
    assert.deepInclude(names, { actual: 7, args: { q: "x" }, key: "", observed: null })
  })
})
