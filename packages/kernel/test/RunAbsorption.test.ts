import * as Absorption from "@backstitch/absorber/Absorption"
import { assert, describe, it } from "@effect/vitest"
import * as RunAbsorption from "../src/revision/RunAbsorption.ts"
import { bookOf, call, ok } from "./lab.ts"
import { benchOf, books, changes, injects, judging, looks, planned } from "./revised.ts"

const toBritish = { change: "set", clause: "carrier", value: "BA" } as const
const tools = (found: ReadonlyArray<{ readonly tool: string }>) => found.map(({ tool }) => tool)

/** The reasons for which acts stay that a reversal is named for. */
const reasons = (acts: ReadonlyArray<RunAbsorption.RunAct>) => acts.flatMap(({ bound }) => bound ?? [])

describe("RunAbsorption", () => {
  it("finds conflicts by what contracts assume, in the states that the run had", () => {
    const bench = benchOf()
    const first = books(bench, "LX1", 90)
    const second = books(bench, "LX2", 60)
    injects(bench, { change: "set", clause: "max", value: 100 })
    const { absorption } = planned(bench)
    // Right after the first booking, 90 was within the new limit: the second one has gone beyond it.
    assert.deepStrictEqual(
      absorption.conflicts.map(({ action }) => action),
      [second]
    )
    assert.notInclude(absorption.discarded, first)
  })

  it("asks nobody where contracts decide", () => {
    const bench = benchOf()
    looks(bench, "LX1")
    books(bench, "LX1")
    injects(bench, toBritish)
    assert.deepStrictEqual(planned(bench).absorption.questions, [])
  })

  it("plans a revision as if it were injected, and the same plan once it is", () => {
    const bench = benchOf()
    books(bench, "LX1")
    const shown = RunAbsorption.preview(judging(bench), [toBritish])
    injects(bench, toBritish)
    const { absorption, revisions } = planned(bench)
    assert.deepStrictEqual(shown?.absorption, absorption)
    assert.deepStrictEqual([shown?.revisions, revisions], [[], [bench.at.head.tick]])
    assert.isUndefined(RunAbsorption.plan(judging(benchOf())))
  })

  it("counts an act that may not be undone as one that nothing undoes, and plans again", () => {
    const bench = benchOf()
    books(bench, "LX1")
    injects(bench, toBritish)
    const [undone] = planned(bench).absorption.undo
    const { absorption, acts, barred } = planned(bench, { barred: [undone?.undoes ?? ""] })
    assert.deepStrictEqual([absorption.undo, tools(absorption.lost), barred.length], [[], ["book"], 1])
    assert.deepStrictEqual(reasons(acts), ["relied"])
  })

  it("bars what lies behind a passed pivot, and gives it up as lost", () => {
    const skeletons = { trip: { tools: ["book", "tell"], pivot: ["tell"] } }
    const bench = benchOf({ skeletons })
    books(bench, "LX1")
    const { action } = call(bench.proposes({ tool: "tell", params: { to: "ada@acme.com" } }))
    bench.answers(action, ok({}))
    injects(bench, toBritish)
    const { absorption, acts, barred } = planned(bench)
    assert.deepStrictEqual([tools(absorption.undo), tools(absorption.lost), barred.length], [[], ["book"], 1])
    assert.deepStrictEqual(reasons(acts), ["pivot"])
  })

  it("bars what could not be verified", () => {
    const { readback: _, ...unbook } = changes.tools.unbook
    const bench = benchOf({ tools: { ...changes.tools, unbook } })
    books(bench, "LX1")
    injects(bench, toBritish)
    const { absorption, acts, barred } = planned(bench)
    assert.deepStrictEqual([absorption.undo, tools(absorption.lost), barred.length], [[], ["book"], 1])
    assert.deepStrictEqual(reasons(acts), ["unverifiable"])
  })

  it("leaves what a subtask forbids to undo by a machine, and says so", () => {
    const bench = benchOf({ skeletons: { trip: { effects: "forbid", tools: ["book"] } } })
    books(bench, "LX1")
    injects(bench, toBritish)
    assert.deepStrictEqual(reasons(planned(bench).acts), ["forbidden"])
  })

  it("waits for what is under way", () => {
    const bench = benchOf()
    books(bench, "LX1")
    bench.proposes(bookOf("LX2"))
    injects(bench, toBritish)
    assert.deepStrictEqual(
      planned(bench).obstacles.map(({ why }) => why?.code),
      ["undo.unsettled"]
    )
  })

  it("takes another planner of absorptions, for comparisons", () => {
    const bench = benchOf()
    books(bench, "LX1")
    injects(bench, { change: "withdraw", clause: "news" })
    const { absorption } = planned(bench, {
      by: (acts, options) =>
        Absorption.plan(
          acts.map((act) => ({ ...act, verdict: { _tag: "Conflict", clauses: ["news"] } })),
          options
        )
    })
    assert.deepStrictEqual(tools(absorption.undo), ["unbook"])
  })

  it("writes its command at the head of the run, with the patch that takes `working` back", () => {
    const bench = benchOf({ revisions: { rule: "earliest_conflict" } })
    books(bench, "LX1")
    looks(bench, "LX2")
    injects(bench, toBritish)
    const own = judging(bench)
    const { at, patch, says } = RunAbsorption.command(own, RunAbsorption.plan(own)!)
    assert.strictEqual(at, bench.at.head.tick)
    assert.deepStrictEqual(patch, [{ op: "remove", path: "/working/notes/0" }])
    assert.deepInclude(says, { rule: "earliest_conflict", undo: says.discarded.slice(0, 1), revisions: [at] })
  })

  it("leaves a field alone that the agent has changed since, by the rule that keeps independent work", () => {
    const bench = benchOf({ tools: { ...changes.tools, look: { ...changes.tools.look, reads: ["working.notes"] } } })
    books(bench, "LX1")
    looks(bench, "LX2")
    bench.proposes({ type: "observation.add", data: { text: "cold" } })
    injects(bench, toBritish)
    const own = judging(bench)
    const { patch, says } = RunAbsorption.command(own, RunAbsorption.plan(own)!)
    assert.deepStrictEqual(patch, [])
    assert.notProperty(says, "truncated")
  })

  describe("by the rule of the earliest conflict", () => {
    const noted = (...texts: ReadonlyArray<readonly ["agent" | "user", string]>) => {
      const bench = benchOf({ revisions: { rule: "earliest_conflict", reversible: "leave" } })
      const note = (author: "agent" | "user", text: string) =>
        bench.proposes({ author, type: "observation.add", data: { text } })
      note("agent", "before")
      books(bench, "LX1")
      for (const [author, text] of texts) note(author, text)
      injects(bench, toBritish)
      return judging(bench)
    }

    it("ends the context before the first conflicting act: notes since then go, and earlier ones stay", () => {
      const own = noted(["agent", "the hall is booked"])
      const { patch, says } = RunAbsorption.command(own, RunAbsorption.plan(own)!)
      assert.deepStrictEqual(patch, [{ op: "remove", path: "/working/notes/1" }])
      assert.deepInclude(says, { rule: "earliest_conflict", truncated: true })
    })

    it("keeps the word of a user, and a plan on record without the mark kept every note", () => {
      const own = noted(["user", "I have moved"])
      assert.deepStrictEqual(RunAbsorption.command(own, RunAbsorption.plan(own)!).patch, [])
      const older = noted(["agent", "the hall is booked"])
      const { patch, says } = RunAbsorption.command(older, RunAbsorption.plan(older)!, { keepsNotes: true })
      assert.deepStrictEqual(patch, [])
      assert.notProperty(says, "truncated")
    })

    it("leaves notes alone where nothing is in conflict", () => {
      const bench = benchOf({ revisions: { rule: "earliest_conflict" } })
      books(bench, "LX1")
      bench.proposes({ type: "observation.add", data: { text: "cold" } })
      injects(bench, { change: "set", clause: "max", value: 300 })
      const own = judging(bench)
      const { patch, says } = RunAbsorption.command(own, RunAbsorption.plan(own)!)
      assert.deepStrictEqual([patch, says.discarded], [[], []])
      assert.notProperty(says, "truncated")
    })
  })
})
