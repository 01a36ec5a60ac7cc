import * as State from "@backstitch/reducer/State"
import * as Digest from "@backstitch/trace/Digest"
import * as Ontology from "@backstitch/trace/Ontology"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Proposal } from "../src/decision/Proposal.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

const types = Object.keys(Ontology.types).filter(Ontology.isType)
const foreign = types.filter((type) => !Ontology.mayAuthor("agent", type))
const own = types.filter((type) => Ontology.mayAuthor("agent", type) && type !== "action.request")

const maybe = <const L extends ReadonlyArray<string | number>>(...literals: L) =>
  Schema.UndefinedOr(Schema.Literals(literals))

const Noise = Schema.Struct({
  data: maybe("count", "action", "pack", "tool"),
  command: maybe("c1"),
  dependsOn: maybe("world.spent", "working.nothing"),
  tool: maybe("book", "launch"),
  tokens: maybe(0, 7)
})

const noisy = (type: string, noise: typeof Noise.Type): Proposal => ({
  ...(noise.tool === undefined ? {} : bookOf("LX1")),
  ...noise,
  type,
  data: noise.data === undefined ? {} : { [noise.data]: "a2" },
  dependsOn: noise.dependsOn === undefined ? undefined : [noise.dependsOn]
})

/** The parts of a state that an overstep may not touch. */
const untouched = ({ kernel, working, world }: State.State) => {
  const { anomalies, budget, latches, ...rest } = State.sectionToJson(kernel)
  return { rest, working: State.sectionToJson(working), world: State.sectionToJson(world) }
}

describe("authorship", () => {
  it.prop(
    "answers every type that is not an agent's with one kernel.anomaly and nothing else, whatever data it carries (L4)",
    [Schema.Literals(foreign), Noise],
    ([type, noise]) => {
      const bench = new Bench()
      const before = untouched(bench.state)
      const decision = bench.proposes(noisy(type, noise))
      assert.deepStrictEqual(failing(decision), [`authorship ${type}`])
      assert.deepStrictEqual(bench.types(1), ["kernel.anomaly"])
      assert.deepStrictEqual(bench.last.body.data, { author: "agent", kind: "author", type })
      assert.deepStrictEqual(untouched(bench.state), before)
    },
    { arbitrary: { runs: 400 } }
  )

  it("records with an overstep what it was for, and keeps the name of its command free", () => {
    const bench = new Bench()
    const more = { command: "cheat", description: "to end the run sooner", dependsOn: ["world.spent"] }
    bench.proposes({ type: "action.result", data: {}, ...more })
    assert.strictEqual(bench.last.body.type, "kernel.anomaly")
    assert.deepStrictEqual(bench.last.body.intent, {
      dependsOn: ["world.spent"],
      description: "to end the run sooner"
    })
    ends(bench.proposes({ type: "observation.add", data: { text: "x" }, command: "cheat" }), "Done")
    assert.strictEqual(bench.last.body.type, "observation.add")
  })

  it.prop(
    "lends the kernel's name to nobody: a proposal under it is an anomaly, whatever its type (L1, L4)",
    [Schema.Literals(types), Noise],
    ([type, noise]) => {
      const bench = new Bench()
      const before = untouched(bench.state)
      assert.deepStrictEqual(failing(bench.proposes({ ...noisy(type, noise), author: "kernel" })), [
        `authorship ${type}`
      ])
      assert.deepStrictEqual(bench.types(1), ["kernel.anomaly"])
      assert.deepStrictEqual(untouched(bench.state), before)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "keeps users and institutions to their own types",
    [Schema.Literals(types), Schema.Literals(["user", "institution"])],
    ([type, author]) => {
      const bench = new Bench()
      bench.proposes({ type, author, data: { text: "x" } })
      const overstepped = bench.types(1)[0] === "kernel.anomaly"
      assert.strictEqual(overstepped, !Ontology.mayAuthor(author, type))
    },
    { arbitrary: { runs: 300 } }
  )

  it("commits every type of an agent under the agent's name", () => {
    for (const type of own) {
      const bench = new Bench({ changes: { transitions: {}, reducers: { on: {} } } })
      ends(bench.proposes({ type, data: { text: "x", reports: [] }, agent: "scout" }), "Done")
      assert.deepStrictEqual(
        [bench.last.body.type, bench.last.body.author, bench.last.body.agent],
        [type, "agent", "scout"]
      )
    }
  })

  it("gives an observation that cites no action no trust, whatever it claims (decision 0041)", () => {
    const bench = new Bench()
    bench.proposes({ type: "observation.add", data: { text: "x", trust: 4 } })
    assert.strictEqual(bench.last.body.data?.["trust"], 0)
    // The beginning of the run, a note and a tick that is not there are no actions.
    for (const cites of ["a1", "a2", "a999", "2", ""]) {
      bench.proposes({ type: "observation.add", data: { text: "x", cites, trust: 4 } })
      assert.strictEqual(bench.last.body.data?.["trust"], 0)
    }
  })

  it("gives an observation the trust of an answer once the action that it cites has one (decision 0041)", () => {
    const bench = new Bench()
    const { action: cites } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
    const cite = () => {
      const proposal: Proposal = { type: "observation.add", data: { text: "x", cites, trust: 4 } }
      bench.does({ _tag: "Propose", proposal, cited: true })
      return bench.last.body.data?.["trust"]
    }
    assert.strictEqual(cite(), 0)
    bench.answers(cites, ok({ found: "y" }))
    assert.strictEqual(cite(), 1)
  })

  it("lets no author erase a value to which the trace has not committed (decision 0028)", () => {
    const bench = new Bench()
    const erases = (...values: ReadonlyArray<string>) => {
      const data = { by: "Ada", reach: "run", reason: "request 311", values }
      return bench.proposes({ type: "sealed.erased", author: "user", data })
    }
    const [first, second] = [Digest.ofBytes("1"), Digest.ofBytes("2")]
    bench.proposes({ type: "observation.add", data: { text: "x", passport: { $sealed: first } } })
    for (const values of [[second], [first, second]]) {
      assert.deepStrictEqual(failing(erases(...values)), ["schema sealed.erased"])
      assert.strictEqual(bench.last.body.type, "intent.refused")
    }
    assert.deepStrictEqual(failing(erases("no digest")), ["schema sealed.erased"])
    ends(erases(first), "Done")
    assert.strictEqual(bench.last.body.type, "sealed.erased")
  })

  it("leaves it to users, plans and instances to ask for one more of the same (decision 0035)", () => {
    const bench = new Bench()
    bench.books("LX1")
    const again: Proposal = { ...bookOf("LX1"), occurrence: 2 }
    assert.deepStrictEqual(failing(bench.proposes(again)), ["authorship occurrence"])
    assert.deepInclude(bench.last.body.data?.["checks"], {
      id: "occurrence",
      step: "authorship",
      why: { args: { occurrence: 2 }, code: "occurrence.author" }
    })
    for (const [index, occurrenceBy] of (["instance", "plan", "user"] as const).entries()) {
      const occurrence = index + 2
      const { action } = call(bench.proposes({ ...bookOf("LX1"), occurrence, occurrenceBy }))
      const request = bench.transitions.find(({ body }) => body.type === "action.request" && body.action?.id === action)
      assert.deepStrictEqual(request?.body.intent, { occurrence, occurrenceBy })
      bench.answers(action, { _tag: "Error", error: "sold out" })
    }
  })
})

const required = {
  "action.request": { required_state: ["working.plan"], hash_seeds: ["working.plan"] },
  book: { required_state: ["world.spent"], hash_seeds: ["world.spent"] }
}

const Depends = Schema.Array(Schema.Literals(["world.spent", "working.plan", "plan", "spent", "working.mad"]))

const planned = (plan: string) => {
  const bench = new Bench({ changes: { transitions: required } })
  bench.proposes({ type: "plan.update", data: { plan } })
  return bench
}

const hashOf = (bench: Bench, dependsOn: ReadonlyArray<string> | undefined) =>
  bench.decides({ _tag: "Propose", proposal: { ...bookOf("LX1"), dependsOn } }).drafts[0]?.body.intent?.contextHash

describe("required state", () => {
  it.prop(
    "binds the fields that the contract names, whatever a model declares or leaves out (L4)",
    [Schema.Literals(["a", "b"]), Schema.Literals(["a", "b"]), Schema.UndefinedOr(Depends)],
    ([one, two, dependsOn]) => {
      assert.strictEqual(hashOf(planned(one), dependsOn) === hashOf(planned(two), dependsOn), one === two)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is asked for, whatever a model declares (L4)",
    [Schema.UndefinedOr(Depends)],
    ([dependsOn]) => {
      const bench = new Bench({
        changes: { transitions: { book: { required_state: { "working.plan": "string" } } } }
      })
      const failed = failing(bench.proposes({ ...bookOf("LX1"), dependsOn }))
      assert.include(failed, "required_state working.plan")
    },
    { arbitrary: { runs: 300 } }
  )

  it("of every action.request is asked of each tool, beside the tool's own", () => {
    const bench = new Bench({
      changes: { transitions: { "action.request": { required_state: { "working.plan": "string" } } } }
    })
    assert.deepStrictEqual(failing(bench.proposes({ tool: "look", params: { q: "x" } })), [
      "required_state working.plan"
    ])
    bench.proposes({ type: "plan.update", data: { plan: "a" } })
    call(bench.proposes({ tool: "look", params: { q: "x" } }))
  })

  it("refuses a dependency that is not in the state: a field that cannot be bound justifies nothing", () => {
    assert.deepStrictEqual(failing(planned("a").proposes({ ...bookOf("LX1"), dependsOn: ["working.nothing"] })), [
      "required_state working.nothing"
    ])
  })
})
