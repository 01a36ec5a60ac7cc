import { assert, describe, it } from "@effect/vitest"
import { declare, diagnosed, Tape } from "./lab.ts"

const gate = (stage: string, green: boolean, more: object = {}) => ({ memo: "gate", stage, green, ...more })
const whole = (green: boolean, item?: string) =>
  gate("b", green, { whole: true, ...(item === undefined ? {} : { item }) })

const treated = (tape: Tape, declared: ReturnType<typeof declare>) =>
  diagnosed(tape, { declared }).cracks.map(({ crack, treated: found }) => [crack, found?.tick])

describe("Treatment", () => {
  it("of a poison is a whole that is green, of each item of which it was red", () => {
    const declared = declare("pipeline", { order: ["a", "b"] })
    const poisoned = () => new Tape().note(gate("a", true)).note(gate("b", true)).note(whole(false))
    assert.deepStrictEqual(treated(poisoned(), declared), [["cascading_poison", undefined]])
    const mended = poisoned().note(gate("a", false)).note(gate("a", true)).note(gate("b", true))
    assert.deepStrictEqual(treated(mended, declared), [["cascading_poison", undefined]])
    assert.deepStrictEqual(treated(mended.note(whole(true)), declared), [["cascading_poison", 7]])
    const other = mended.note(gate("a", true, { item: "2" })).note(whole(false, "2"))
    assert.deepStrictEqual(treated(other, declared), [["cascading_poison", undefined]])
    assert.deepStrictEqual(treated(other.note(whole(true, "2")), declared), [["cascading_poison", 10]])
  })

  it("of a lost handoff is the collection of its result, and of a second order there is none", () => {
    const declared = declare("orchestrator", { silenceMillis: 1000 })
    const order = { memo: "dispatch", task: "t1", worker: "ann" }
    const lost = new Tape().note(order).wait(2000).note(order)
    assert.deepStrictEqual(treated(lost, declared), [["lost_handoff", undefined]])
    lost.note({ memo: "report", task: "t1", result: 7 }, "ann").note({ memo: "collect", task: "t1" })
    assert.deepStrictEqual(treated(lost, declared), [["lost_handoff", 4]])
    assert.deepStrictEqual(treated(lost.note(order), declared), [
      ["boss_death", undefined],
      ["lost_handoff", 4]
    ])
  })

  it("of a lost stage is another pass of it, and of a lost step a new plan", () => {
    const pipeline = declare("pipeline", { order: ["a", "b"], silenceMillis: 1000 })
    const stage = new Tape().note({ memo: "dispatch", task: "a, pass 1", worker: "ann" }, "judge").wait(2000)
    stage.note(gate("b", true), "bob")
    assert.deepStrictEqual(treated(stage, pipeline), [["lost_handoff", undefined]])
    assert.deepStrictEqual(treated(stage.note(gate("a", true), "ann"), pipeline), [["lost_handoff", 3]])
    const plan = { memo: "plan", steps: ["enter"] }
    const order = { memo: "dispatch", task: "t1", worker: "ann" }
    const declared = declare("plan_execute", { silenceMillis: 1000 })
    const lost = (tape: Tape) => tape.note(order).wait(2000).note({ memo: "collect", task: "t9" }).note(plan)
    assert.deepStrictEqual(treated(lost(new Tape().note(plan)), declared), [["lost_handoff", undefined]])
    const step = new Tape().note(plan).note({ memo: "step", step: 1, status: "begun" })
    assert.deepStrictEqual(treated(lost(step), declared), [["lost_handoff", 5]])
  })

  it("of a debate without an end is a draft that was shipped", () => {
    const tape = new Tape()
    for (const round of [1, 2, 3]) tape.note({ memo: "round", round, draft: `${round}a ${round}b ${round}c` })
    assert.deepStrictEqual(treated(tape, declare("debate")), [["deadlock", undefined]])
    assert.deepStrictEqual(treated(tape.finish(), declare("debate")), [["deadlock", 4]])
  })

  it("of a stale plan is a new one, behind the last step that failed", () => {
    const declared = declare("plan_execute", { planMillis: 1000 })
    const plan = { memo: "plan", steps: ["enter"] }
    const failed = { memo: "step", step: 1, status: "failed", missing: "door" }
    const stale = new Tape().note(plan).note(failed)
    assert.deepStrictEqual(treated(stale, declared), [["stale_plan", undefined]])
    assert.deepStrictEqual(treated(stale.note(plan), declared), [["stale_plan", 3]])
    assert.deepStrictEqual(treated(stale.note(failed), declared), [["stale_plan", undefined]])
  })
})
