import { assert, describe, it } from "@effect/vitest"
import * as Orchestrator from "../src/shapes/Orchestrator.ts"
import { cracksOf, declare, diagnosed, Happenings, stateOf, Tape, tapeOf, watched } from "./lab.ts"

const declared = declare("orchestrator", { silenceMillis: 1000 })
const dispatch = { memo: "dispatch", task: "t1", worker: "ann", brief: "Sum up the third chapter" } as const

describe("Orchestrator", () => {
  it("loses a handoff where a worker is silent past its time, and not before", () => {
    const tape = new Tape().note(dispatch).wait(1000).note({ memo: "load", waiting: 0, idle: 0 })
    assert.deepStrictEqual(cracksOf(tape, declared), [])
    tape.wait(1).note({ memo: "load", waiting: 0, idle: 0 })
    const found = {
      crack: "lost_handoff",
      signal: "silent_past_deadline",
      agent: "ann",
      subject: "t1",
      tick: 3
    } as const
    assert.deepInclude(cracksOf(tape, declared)[0], found)
  })

  it("knows a worker that hangs in a call from one that is lost", () => {
    const tape = new Tape().note(dispatch).call("flaky", {}, undefined, { agent: "ann" }).wait(1001)
    tape.note({ memo: "load", waiting: 0, idle: 0 })
    assert.deepInclude(cracksOf(tape, declared)[0], { crack: "worker_silence", agent: "ann" })
  })

  it("takes no report without a result, and none that repeats its brief", () => {
    const malformed = new Tape().note(dispatch).note({ memo: "report", task: "t1" }, "ann")
    assert.strictEqual(cracksOf(malformed, declared)[0]?.signal, "malformed_report")
    const echoed = new Tape().note(dispatch).note({ memo: "report", task: "t1", result: dispatch.brief }, "ann")
    assert.strictEqual(cracksOf(echoed, declared)[0]?.signal, "echoed_brief")
    const state = stateOf<Orchestrator.Orchestrator>(echoed, declared)
    assert.deepStrictEqual(Orchestrator.resume(state, { at: 0, gone: ["ann"] }, declared).dispatch, ["t1"])
  })

  it("shows a dead boss by a result that nobody takes over, or by a second order for it", () => {
    const report = { memo: "report", task: "t1", result: "Three pages" } as const
    const waiting = new Tape().note(dispatch).note(report, "ann").wait(1001).say("ann", "Anybody there?")
    assert.deepInclude(cracksOf(waiting, declared)[0], { crack: "boss_death", agent: "boss", evidence: [1, 2, 3] })
    const again = new Tape().note(dispatch).note(report, "ann").note({ memo: "collect", task: "t1" }).note(dispatch)
    assert.deepInclude(cracksOf(again, declared)[0], { signal: "dispatched_again", evidence: [3, 4] })
  })

  it("finds what is open at the end of a trace that is over, and at a completed goal", () => {
    const tape = new Tape().note(dispatch).note({ memo: "dispatch", task: "t2", worker: "bob" })
    tape.note({ memo: "report", task: "t2", result: 7 }, "bob")
    const last = diagnosed(tape, { isOver: true }).cracks.map(({ signal }) => signal)
    assert.deepStrictEqual(last, ["never_reported"])
    tape.say("bob", "handed in")
    assert.deepStrictEqual(diagnosed(tape).cracks, [])
    const signals = diagnosed(tape, { isOver: true }).cracks.map(({ signal }) => signal)
    assert.deepStrictEqual(signals, ["never_reported", "uncollected_report"])
    const ended = cracksOf(tape.finish(), declared).map(({ signal }) => signal)
    assert.deepStrictEqual(ended, ["never_reported", "uncollected_report"])
  })

  it("compares no words of a result that was found to fit", () => {
    const report = { memo: "report", task: "t1", result: dispatch.brief }
    assert.strictEqual(cracksOf(new Tape().note(dispatch).note(report), declared)[0]?.signal, "echoed_brief")
    const fitting = new Tape().note(dispatch).note({ ...report, fits: true })
    assert.deepStrictEqual(cracksOf(fitting, declared), [])
    assert.isDefined(stateOf<Orchestrator.Orchestrator>(fitting, declared).tasks["t1"]?.handedIn)
  })

  it("loses a handoff whose worker ends with an error", () => {
    const tape = new Tape().note(dispatch).note({ memo: "failure", task: "t1", reason: "no ink" }, "ann")
    assert.deepInclude(cracksOf(tape, declared)[0], { signal: "worker_failed", agent: "ann", subject: "t1", tick: 2 })
  })

  it("counts no time in which a person is waited for, and counts anew behind a word or a question", () => {
    const load = { memo: "load", waiting: 0, idle: 0 }
    const escalated = (agent: string) => {
      const policy = { decision: "escalate", checks: [], version: "1" } as const
      return new Tape().note(dispatch).add({ type: "policy.decision", author: "kernel", agent, policy }).wait(9000)
    }
    assert.strictEqual(cracksOf(escalated("eve").note(load), declared)[0]?.signal, "silent_past_deadline")
    const { cracks, retired } = watched(escalated("ann").note(load), declared)
    assert.deepStrictEqual(cracks, [])
    // An earlier decider raised an alarm here.
    assert.deepInclude(retired[0], { crack: "lost_handoff", tick: 3 })
    for (const turn of [
      { type: "review.decided", author: "user" },
      { type: "anomaly.flag", author: "agent", data: { asked: "lost_handoff", subjects: ["t1"] } }
    ] as const) {
      const tape = escalated("ann").add(turn)
      const state = () => stateOf<Orchestrator.Orchestrator>(tape, declared)
      assert.deepInclude(state().tasks["t1"], { since: 9000, tries: 1, triesSince: 0 })
      // Nobody was at work before the first memo behind the word.
      assert.deepStrictEqual(cracksOf(tape.wait(5000).note(load).wait(1000).note(load), declared), [], turn.type)
      assert.deepInclude(state().tasks["t1"], { since: 14_000 })
      assert.strictEqual(cracksOf(tape.wait(1).note(load), declared)[0]?.signal, "silent_past_deadline")
    }
  })

  it("counts no time in which a call waits that nobody knows the outcome of", () => {
    const tape = new Tape().note(dispatch).call("pay", {}, undefined, { agent: "ann" })
    const result = { status: "unknown" } as const
    tape.add({ type: "action.result", author: "kernel", action: { id: "a1", tool: "pay" }, result }).wait(2000)
    assert.deepStrictEqual(cracksOf(tape.note({ memo: "collect", task: "t9" }), declared), [])
    tape.call("look", {}, 1, { agent: "ann" }).note({ memo: "collect", task: "t9" })
    assert.deepStrictEqual(cracksOf(tape, declared), [])
    tape.wait(1001).note({ memo: "collect", task: "t9" })
    assert.strictEqual(cracksOf(tape, declared)[0]?.signal, "silent_past_deadline")
  })

  it("waits for no step of a plan that was made again, and for no stage that was judged under another name", () => {
    const step = (status: string) => ({ memo: "step", step: 1, status })
    const plan = { memo: "plan", steps: ["enter"] }
    const tape = new Tape()
      .note(plan)
      .note(step("begun"))
      .note({ ...dispatch, task: "plan 1, step 1" })
    assert.deepStrictEqual(cracksOf(new Tape().note(dispatch).note(plan).finish(), declared).length, 1)
    const { cracks, retired } = watched(tape.wait(2000).note(plan).wait(2000).note(step("begun")).finish(), declared)
    assert.deepStrictEqual(
      cracks.map(({ signal }) => signal),
      ["silent_past_deadline"]
    )
    assert.strictEqual(retired.length, 1)
    const prompt = new Tape().note(plan).note(step("begun")).note(dispatch).note(plan).finish()
    assert.deepStrictEqual(cracksOf(prompt, declared), [])
    const staged = new Tape().note({ ...dispatch, task: "write, pass 1" }, "judge")
    staged.note({ memo: "gate", stage: "write", green: true }, "ann").finish()
    assert.deepStrictEqual(cracksOf(staged, declared), [])
  })

  it("gives no task again that a new plan or another stage has superseded, and collects no result of it", () => {
    const step = { memo: "step", step: 1, status: "begun" } as const
    const planned = () => new Tape().note(step).note({ ...dispatch, task: "plan 1, step 1" })
    const plan = { memo: "plan", steps: ["enter"] }
    const tapes = {
      "a new plan": planned().note(plan),
      "a new plan, and a result behind it": planned()
        .note(plan)
        .note({ memo: "report", task: "plan 1, step 1", result: 7 }, "ann"),
      "a verdict on another stage": new Tape().note(dispatch).note({ memo: "gate", stage: "write", green: true }, "ann")
    }
    const none = { ask: [], await: [], collect: [], dispatch: [] }
    for (const [what, tape] of Object.entries(tapes)) {
      const state = stateOf<Orchestrator.Orchestrator>(tape, declared)
      for (const now of [
        { at: 500, gone: [] },
        { at: 500, gone: ["ann"] },
        { at: 5000, gone: [] }
      ])
        assert.deepStrictEqual(Orchestrator.resume(state, now, declared), none, what)
    }
    const again = stateOf<Orchestrator.Orchestrator>(
      planned()
        .note(plan)
        .note({ ...dispatch, task: "plan 1, step 1" }),
      declared
    )
    assert.deepStrictEqual(Orchestrator.resume(again, { at: 500, gone: [] }, declared).await, ["plan 1, step 1"])
  })

  it("asks a person after a second silence, instead of a third worker", () => {
    const tape = new Tape().note(dispatch).note(dispatch)
    const state = stateOf<Orchestrator.Orchestrator>(tape, declared)
    assert.deepStrictEqual(Orchestrator.resume(state, { at: 5000, gone: [] }, declared), {
      ask: ["t1"],
      await: [],
      collect: [],
      dispatch: []
    })
  })

  it.prop(
    "has each dispatched task in exactly one list after a crash, or as collected or superseded (T4)",
    [Happenings],
    ([some]) => {
      const state = stateOf<Orchestrator.Orchestrator>(tapeOf(some), declared)
      const lists = Orchestrator.resume(state, { at: 1500, gone: ["ann"] }, declared)
      const resumed = [...lists.collect, ...lists.await, ...lists.dispatch, ...lists.ask]
      const superseded = Object.keys(state.tasks).filter((task) => state.tasks[task]?.isSuperseded === true)
      const all = [...resumed, ...superseded, ...Object.keys(state.collected)].sort()
      const ordered = new Set(some.flatMap((happening) => ("dispatch" in happening ? [happening.dispatch] : [])))
      assert.deepStrictEqual(all, [...ordered].sort())
    }
  )

  it("decides the step about a task by its worker in this process, and otherwise by the record", () => {
    const ordered: Orchestrator.Ordered = {
      worker: "ann",
      tick: 5,
      at: 0,
      since: 0,
      tries: 1,
      triesSince: 1,
      brief: []
    }
    const triedOut = { ...ordered, triesSince: 2 }
    const handedIn = { ...ordered, handedIn: { tick: 6, at: 1 } }
    const none = { collect: [], await: [], dispatch: [], ask: [] }
    const step = (
      known: Orchestrator.Ordered | undefined,
      worker: Orchestrator.OrderedWorker,
      { askedAt = 0, ...lists }: Partial<Orchestrator.OrchestratorResumption> & { readonly askedAt?: number } = {}
    ) => Orchestrator.stepOf("t1", known, { worker, askedAt, next: { ...none, ...lists } })
    for (const worker of ["working", "over", "none"] as const) {
      assert.strictEqual(step(undefined, worker), "dispatch", worker)
      assert.strictEqual(step(handedIn, worker), "collect", worker)
    }
    assert.strictEqual(step(ordered, "working", { dispatch: ["t1"], askedAt: 9 }), "await")
    assert.strictEqual(step(ordered, "over"), "dispatch")
    assert.strictEqual(step(triedOut, "over", { askedAt: 9 }), "ask")
    assert.strictEqual(step(ordered, "none"), "begin")
    assert.strictEqual(step(ordered, "none", { dispatch: ["t1"] }), "dispatch")
    assert.strictEqual(step(triedOut, "none", { ask: ["t1"] }), "ask")
    assert.strictEqual(step(triedOut, "none", { ask: ["t1"], askedAt: 9 }), "dispatch")
  })
})
