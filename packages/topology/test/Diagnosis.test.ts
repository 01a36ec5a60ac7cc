import { assert, describe, it } from "@effect/vitest"
import * as Diagnosis from "../src/Diagnosis.ts"
import * as ApparentTopology from "../src/event/ApparentTopology.ts"
import * as Addressee from "../src/event/addressee.ts"
import * as ImpliedMemos from "../src/event/ImpliedMemos.ts"
import { declare, diagnosed, Tape } from "./lab.ts"

const talk = (...turns: ReadonlyArray<string>) =>
  turns.reduce((tape, agent, index) => tape.say(agent, `message ${index}`), new Tape())

describe("ApparentTopology", () => {
  it("recognises each topology by the order of its agents", () => {
    assert.strictEqual(diagnosed(new Tape().call("read", {}, "x")).looksLike, "react")
    assert.strictEqual(diagnosed(talk("a", "b", "c", "d")).looksLike, "pipeline")
    assert.strictEqual(diagnosed(talk("a", "b", "a", "b", "a")).looksLike, "debate")
    assert.strictEqual(diagnosed(talk("o", "a", "o", "b", "o", "c", "o")).looksLike, "orchestrator")
    assert.strictEqual(diagnosed(talk("r", "m", "x", "m", "r", "n", "y", "n", "r")).looksLike, "hierarchical")
    assert.isUndefined(diagnosed(talk("a", "b", "c", "a", "d", "b", "d")).looksLike)
  })

  it("recognises it by memos first, and by what a pack declares before all", () => {
    const plan = { memo: "plan", steps: ["look"] }
    assert.deepInclude(diagnosed(new Tape().note(plan)), { looksLike: "plan_execute", by: "memos" })
    const passed = new Tape().note({ memo: "dispatch", task: "t1", worker: "ann" }, "root")
    passed.note({ memo: "dispatch", task: "t2", worker: "bob" }, "ann")
    assert.strictEqual(diagnosed(passed).looksLike, "hierarchical")
    assert.deepInclude(diagnosed(passed, { declared: declare("debate") }), { looksLike: "debate", by: "declared" })
    assert.deepStrictEqual(ApparentTopology.recognise([]), { kind: "react", by: "calls", agents: [] })
  })
})

describe("Addressee", () => {
  it("is read out of the words of a boss that begins its messages with names of agents", () => {
    const echoed = new Tape().say("Boss", "Ann: write the parser, all of it").say("Ann", "it has three parts")
    echoed.say("Boss", "Bob: please test the parser with all cases").say("Bob", "please test the parser with all cases")
    assert.deepInclude(diagnosed(echoed), { looksLike: "orchestrator" })
    assert.deepInclude(diagnosed(echoed).cracks[0], { crack: "lost_handoff", signal: "echoed_brief", agent: "Bob" })
    const circle = new Tape()
    for (let index = 0; index < 12; index++) circle.say("Boss", "ann: look once more").say("Ann", "nothing")
    assert.deepInclude(diagnosed(circle).cracks[0], { crack: "runaway", subject: "ask Ann" })
    assert.strictEqual(Diagnosis.onset(circle.transitions, "runaway"), diagnosed(circle).cracks[0]?.tick)
  })

  it("is nobody in labels and quotations, where two address each other, or where a message names its addressee", () => {
    const plain = (...said: ReadonlyArray<readonly [string, string, string?]>) => {
      const events = said.map(([agent, text, to]) => {
        return { _tag: "Said", tick: 1, at: 0, agent, text, ...(to === undefined ? {} : { to }) } as const
      })
      assert.strictEqual(Addressee.within(events), events)
    }
    plain(["a", "Note: it rains"], ["a", "Plan: wait"], ["b", "fine"])
    plain(["a", "b: too short, you said"], ["b", "I did"], ["a", "so I wrote more"], ["b", "good"])
    plain(["a", "b: hello"], ["b", "a: hello"], ["a", "b: how are you?"], ["b", "a: well"])
    plain(["a", "a: I am a"], ["a", "a: still"], ["b", "yes"])
    plain(["a", "b: one"], ["b", "x"], ["a", "b: two"], ["a", "three", "b"])
  })
})

describe("ImpliedMemos", () => {
  it("reads tasks out of messages to agents: who is asked, who answers, who takes the answer over", () => {
    const tape = new Tape().say("o", "search", "web").say("web", "found it").say("o", "thank you")
    assert.deepStrictEqual(diagnosed(tape, { isOver: true }).cracks, [])
    const silent = new Tape().say("o", "search", "web").say("o", "anybody?")
    assert.deepInclude(diagnosed(silent, { isOver: true }).cracks[0], { crack: "lost_handoff", agent: "web" })
    const echoed = new Tape().say("o", "look at page three", "web").say("web", "look at page three")
    assert.strictEqual(diagnosed(echoed).cracks[0]?.signal, "echoed_brief")
  })

  it("finds a boss that asks the same again and again, and drafts that take turns", () => {
    const tape = new Tape()
    for (let index = 0; index < 12; index++) tape.say("o", "please open page 3", "web").say("web", "it is blocked")
    assert.deepInclude(diagnosed(tape).cracks[0], { crack: "runaway", agent: "o", subject: "ask web" })
    const debate = new Tape()
    for (let index = 0; index < 4; index++) {
      debate.say("a", index % 2 === 0 ? "a long and winding draft" : "brief").say("b", "no")
    }
    assert.deepInclude(diagnosed(debate).cracks[0], { crack: "deadlock", signal: "drafts_alternate" })
  })

  it("reads nothing into a trace that has memos of its own", () => {
    const memo = { memo: "collect", task: "t1" } as const
    const events = [
      { _tag: "Noted", tick: 1, at: 0, memo },
      { _tag: "Said", tick: 2, at: 0, agent: "o", to: "web", text: "x" }
    ] as const
    assert.strictEqual(ImpliedMemos.within(events), events)
  })
})

describe("Diagnosis", () => {
  it("takes green stages before an end that a reader knows to be wrong as poisoned", () => {
    const tape = new Tape().call("read", {}, "x", { agent: "a" }).say("b", "so it is y").say("c", "y it is")
    assert.deepStrictEqual(diagnosed(tape).cracks, [])
    assert.deepInclude(diagnosed(tape, { isWrong: true }).cracks[0], { crack: "cascading_poison", agent: "a" })
    const failed = new Tape().call("read", {}, "no", { agent: "a", ok: false }).say("b", "so it is y").say("c", "y")
    assert.deepStrictEqual(diagnosed(failed, { isWrong: true }).cracks, [])
  })

  it("names an act that was done again although nobody knew what the first call came to", () => {
    const tape = new Tape().call("send_email", { to: "anna", text: "hello" })
    tape.call("send_email", { to: "anna", text: "hello" }, "sent")
    const [repeat] = diagnosed(tape).repeats
    assert.deepInclude(repeat, { tool: "send_email", tick: 2, after: "silence" })
  })

  it("tells the tick since which a crack is there, and none for one that only the end shows", () => {
    const tape = new Tape().note({ memo: "dispatch", task: "t1", worker: "ann" })
    for (let index = 0; index < 12; index++) tape.call("search", { q: 1 }, [])
    assert.strictEqual(Diagnosis.onset(tape.transitions, "runaway"), 23)
    assert.strictEqual(diagnosed(tape, { isOver: true }).cracks.length, 2)
    assert.isUndefined(Diagnosis.onset(tape.transitions, "lost_handoff"))
  })

  it("names the stage that a later gate found poisoned, and the first one where no gate did", () => {
    const declared = declare("pipeline", { order: ["gather", "cite"] })
    const gate = (stage: string, green: boolean, whole = false) => ({ memo: "gate", stage, green, whole })
    const tape = new Tape().note(gate("gather", true), "ann").note(gate("cite", true), "bob")
    tape.note(gate("cite", false, true), "judge")
    assert.deepInclude(diagnosed(tape, { declared }).cracks[0], { agent: "ann", subject: "gather" })
    tape
      .note(gate("cite", false), "judge")
      .note(gate("cite", true), "bob")
      .note(gate("cite", true, true), "judge")
    const expected = { agent: "bob", subject: "cite", tick: 3, evidence: [2, 3, 4] }
    assert.deepInclude(diagnosed(tape, { declared }).cracks[0], expected)
    const healthy = new Tape().note(gate("gather", false), "ann").note(gate("gather", true), "ann")
    assert.deepStrictEqual(diagnosed(healthy, { declared }).cracks, [])
  })

  it("puts the cracks of the recognised topology first, the earliest before those that may follow from it", () => {
    const tape = new Tape().call("list", {}, "HTL-117").call("book", { hotel: "HTL-117" }, "404", { ok: false })
    for (let index = 0; index < 3; index++) tape.call("ask_a", {}, "open").call("ask_b", {}, "closed")
    for (let index = 0; index < 12; index++) tape.call("search", { q: 1 }, [])
    const cracks = diagnosed(tape).cracks.map(({ crack }) => crack)
    assert.deepStrictEqual(cracks, ["oscillation", "runaway", "stale_plan"])
  })
})
