import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "../src/Limits.ts"
import * as ReActLoop from "../src/shapes/ReActLoop.ts"
import { cracksOf, declare, Happenings, stateOf, Tape, tapeOf, watched } from "./lab.ts"

const { alternationsMax, circlesMax, idleCallsMax, pendingCallsMax, staleCallsMax } = Limits.pacing
const loop = (limits = {}) => declare("react", limits)

describe("ReActLoop", () => {
  it("runs away where one tool is called again and again without anything new", () => {
    const tape = new Tape()
    for (let index = 0; index <= idleCallsMax; index++) tape.call("search", { q: "hotels in lugano", page: 1 }, [])
    const [crack, ...others] = cracksOf(tape, loop())
    assert.deepInclude(crack, { crack: "runaway", signal: "no_progress", subject: "search" })
    assert.strictEqual(crack?.tick, 2 * idleCallsMax + 2)
    assert.deepStrictEqual(others, [])
  })

  it("runs away past the last page, later than in a circle, and not while some pages have something", () => {
    const paged = (pages: number, isFull: (page: number) => boolean) => {
      const tape = new Tape()
      for (let page = 0; page < pages; page++) {
        tape.call("search", { q: "hotels in lugano", page }, isFull(page) ? `hotel ${page}` : [])
      }
      return cracksOf(tape, loop())
    }
    assert.deepStrictEqual(
      paged(staleCallsMax, () => false),
      []
    )
    assert.deepInclude(paged(staleCallsMax + 2, () => false)[0], { crack: "runaway", subject: "search" })
    assert.deepStrictEqual(
      paged(100, (page) => page % 15 === 0),
      []
    )
  })

  it("runs away in a circle that notes interrupt, and waits longer for a job that is under way", () => {
    const noted = new Tape()
    for (let turn = 1; turn <= staleCallsMax + 2; turn++) {
      noted.call("search", { q: "hotels in lugano" }, [])
      if (turn % 4 === 0) noted.call("note", { text: `turn ${turn}` }, `note ${turn}`)
    }
    assert.deepInclude(cracksOf(noted, loop())[0], { crack: "runaway", subject: "search" })
    const polled = (polls: number) => {
      const tape = new Tape()
      for (let poll = 0; poll < polls; poll++) tape.call("job_status", { job: 17 }, { status: "IN_PROGRESS" })
      return cracksOf(tape, loop())
    }
    assert.deepStrictEqual(polled(pendingCallsMax), [])
    assert.strictEqual(polled(pendingCallsMax + 2)[0]?.crack, "runaway")
  })

  it("makes progress where each answer is new, or where something else brings something new meanwhile", () => {
    const pages = new Tape()
    for (let page = 0; page < 40; page++) pages.call("search", { q: "lugano", page }, `hotel ${page}`)
    assert.deepStrictEqual(cracksOf(pages, loop()), [])
    const polls = new Tape()
    for (let index = 0; index < 40; index++) {
      polls.call("status", { id: 1 }, "pending")
      if (index % 5 === 0) polls.call("read", { index }, `chapter ${index}`)
    }
    assert.deepStrictEqual(cracksOf(polls, loop()), [])
  })

  it("counts an answer as known although its times and random ids differ", () => {
    const tape = new Tape()
    for (let index = 10; index < 30; index++) {
      tape.call("status", { id: 1 }, `as of 2026-01-01T10:00:${index}Z: nothing, took ${index} ms`)
    }
    assert.strictEqual(cracksOf(tape, loop())[0]?.crack, "runaway")
  })

  it("makes progress on a walk through the slots of a day, and not where only the answer has other hours", () => {
    const walked = (asks: (hour: string) => JsonObject) => {
      const tape = new Tape()
      for (let slot = 0; slot < 24; slot++) {
        const hour = `${String(slot).padStart(2, "0")}:30`
        tape.call("is_free", asks(hour), { free: false, from: `2026-03-01T${hour}:00Z`, room: "blue" })
      }
      return cracksOf(tape, loop())
    }
    assert.deepStrictEqual(
      walked((hour) => ({ from: `2026-03-01T${hour}`, room: "blue" })),
      []
    )
    assert.deepStrictEqual(
      walked((hour) => ({ at: hour, day: "2026-03-01", room: "blue" })),
      []
    )
    assert.deepInclude(walked(() => ({ day: "2026-03-01", room: "blue" }))[0], { crack: "runaway", subject: "is_free" })
  })

  it("is near its cap from four fifths of it on", () => {
    const tape = new Tape()
    for (let index = 1; index <= 8; index++) tape.call("read", { index }, `${index}`)
    assert.deepStrictEqual(cracksOf(tape, loop({ stepsMax: 10 })), [])
    tape.call("read", { index: 9 }, "9")
    assert.deepInclude(cracksOf(tape, loop({ stepsMax: 10 }))[0], { signal: "steps_near_cap", tick: 17 })
  })

  it("oscillates where two calls take turns with answers that differ, and not where both wait for the same", () => {
    const tape = new Tape()
    for (let index = 0; index < 3; index++) tape.call("ask_a", { id: 1 }, "open").call("ask_b", { id: 1 }, "closed")
    assert.deepInclude(cracksOf(tape, loop())[0], { crack: "oscillation", evidence: [1, 3, 5, 7, 9, 11, 12] })
    const polls = new Tape()
    for (let index = 0; index < 4; index++) polls.call("ask_a", { id: 1 }, "wait").call("ask_b", { id: 1 }, "wait")
    assert.deepStrictEqual(cracksOf(polls, loop()), [])
  })

  it("oscillates where one call takes back what another did, although both are answered alike", () => {
    const tape = new Tape()
    for (let index = 0; index < alternationsMax; index++) {
      tape.call("edit", { path: "a.ts", old: "true", new: "false" }, "updated")
      tape.call("edit", { path: "a.ts", old: "false", new: "true" }, "updated")
    }
    assert.deepInclude(cracksOf(tape, loop())[0], { crack: "oscillation", tick: 4 * alternationsMax })
    const edits = new Tape()
    for (let index = 0; index < 8; index++)
      edits.call("edit", { path: "a.ts", old: `${index}`, new: `${index + 1}` }, "ok")
    assert.deepStrictEqual(cracksOf(edits, loop()), [])
  })

  it("oscillates in a circle of three or four calls, and not where one of them waits for a job", () => {
    const around = (answers: ReadonlyArray<string>, times: number) => {
      const tape = new Tape()
      for (let time = 0; time < times; time++) {
        for (const [index, answer] of answers.entries()) tape.call(`tool_${index}`, {}, answer)
      }
      return cracksOf(tape, loop()).map(({ crack }) => crack)
    }
    for (const answers of [
      ["a", "b", "c"],
      ["a", "b", "a", "c"]
    ]) {
      assert.deepStrictEqual(around(answers, circlesMax - 1), [])
      assert.deepStrictEqual(around(answers, circlesMax), ["oscillation"])
    }
    assert.deepStrictEqual(around(["slept", "in progress"], circlesMax), [])
    assert.deepStrictEqual(around(["same", "same", "same"], circlesMax), [])
  })

  it("does not oscillate where a monitor reads several things, unless answers about one of them contradict", () => {
    const reads = { class: "read_only" }
    type Read = readonly [tool: string, params: JsonObject, answer: string]
    const around = (circle: ReadonlyArray<Read>, more = reads) => {
      const tape = new Tape()
      for (let time = 0; time < circlesMax; time++) {
        for (const [tool, params, answer] of circle) tape.call(tool, params, answer, more)
      }
      return tape
    }
    const monitor: ReadonlyArray<Read> = [
      ["cpu", {}, "3 %"],
      ["memory", {}, "40 %"],
      ["status", { host: "a" }, "up"],
      ["status", { host: "b" }, "down"]
    ]
    for (const circle of [monitor, monitor.slice(1), monitor.slice(2)]) {
      assert.deepStrictEqual(cracksOf(around(circle), loop()), [])
      // The alarm of an earlier decider stays in accord with its run.
      assert.strictEqual(watched(around(circle), loop()).retired[0]?.crack, "oscillation")
      assert.strictEqual(cracksOf(around(circle, { class: "medium_risk_write" }), loop())[0]?.crack, "oscillation")
    }
    const contradicted: ReadonlyArray<ReadonlyArray<Read>> = [
      [
        ["crm", { order: 7 }, "open"],
        ["erp", { order: 7 }, "closed"],
        ["cpu", {}, "3 %"]
      ],
      [
        ["door", {}, "open"],
        ["cpu", {}, "3 %"],
        ["door", {}, "closed"],
        ["cpu", {}, "3 %"]
      ]
    ]
    for (const circle of contradicted) {
      const { cracks, retired } = watched(around(circle), loop())
      assert.deepInclude(cracks[0], { crack: "oscillation", signal: "answers_alternate" })
      assert.deepStrictEqual(retired, [])
    }
  })

  it("stops too early with an item of the checklist open, or with a call that has no answer", () => {
    const declared = loop({ checklist: ["book", "pay"] })
    const early = new Tape().call("book", {}, "booked").finish()
    assert.deepInclude(cracksOf(early, declared)[0], { crack: "premature_stop", signal: "items_open", subject: "pay" })
    const refused = new Tape().call("book", {}, "booked").call("pay", {}, "no", { ok: false }).finish()
    assert.strictEqual(cracksOf(refused, declared)[0]?.subject, "pay")
    const whole = new Tape().call("book", {}, "booked").call("pay", {}, "paid").finish()
    assert.deepStrictEqual(cracksOf(whole, declared), [])
    const unanswered = new Tape().call("book", {}).finish()
    assert.deepInclude(cracksOf(unanswered, loop())[0], { signal: "call_unanswered", evidence: [1, 2] })
  })

  it.prop("carries exactly the calls on record over, whatever came in between (T3)", [Happenings], ([happenings]) => {
    const tape = tapeOf(happenings)
    const calls = happenings.filter((each) => "call" in each).length
    const declared = loop({ stepsMax: 5 })
    const carried = ReActLoop.carried(stateOf<ReActLoop.ReActLoop>(tape, declared), declared)
    assert.deepStrictEqual(carried, { used: calls, left: Math.max(0, 5 - calls) })
  })
})
