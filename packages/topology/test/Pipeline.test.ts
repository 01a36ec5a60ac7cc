import * as Bisect from "@backstitch/version-control/Bisect"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Pipeline from "../src/shapes/Pipeline.ts"
import { cracksOf, declare, stateOf, Tape } from "./lab.ts"

const declared = declare("pipeline", { order: ["a", "b", "c", "d"] })
const gate = (stage: string, green = true) => ({ memo: "gate", stage, green })
const whole = (green: boolean, score?: number) => ({
  memo: "gate",
  stage: "whole",
  green,
  whole: true,
  ...(score === undefined ? {} : { score })
})
const stages = (tape: Tape) => ["a", "b", "c", "d"].reduce((at, stage) => at.note(gate(stage), stage), tape)

describe("Pipeline", () => {
  it("is poisoned where the whole is red and every stage is green, and the first stage is the suspect", () => {
    const found = cracksOf(stages(new Tape()).note(whole(false)), declared)
    assert.deepStrictEqual(found, [
      {
        crack: "cascading_poison",
        signal: "whole_red_stages_green",
        tick: 5,
        evidence: [1, 2, 3, 4, 5],
        agent: "a",
        subject: "a"
      }
    ])
  })

  it("is not poisoned where a gate did its work, or where the stage was done again", () => {
    const caught = new Tape().note(gate("a")).note(gate("b", false)).note(whole(false))
    assert.deepStrictEqual(cracksOf(caught, declared), [])
    assert.strictEqual(Pipeline.lastClean(stateOf<Pipeline.Pipeline>(caught, declared)), "a")
    const again = stages(new Tape()).note(gate("b", false)).note(gate("b")).note(gate("c")).note(whole(true))
    assert.deepStrictEqual(cracksOf(again, declared), [])
    assert.strictEqual(Pipeline.lastClean(stateOf<Pipeline.Pipeline>(again, declared)), "c")
  })

  it("decays where the score of the whole falls while everything is green", () => {
    const tape = stages(stages(new Tape()).note(whole(true, 0.9))).note(whole(true, 0.75))
    assert.deepStrictEqual(cracksOf(tape, declared), [])
    const worse = stages(tape).note(whole(true, 0.65))
    assert.deepInclude(cracksOf(worse, declared)[0], { crack: "silent_decay", signal: "whole_score_falls" })
  })

  it.prop(
    "finds the first poisoned stage, and the last clean one, as a scan does, within ⌈log2(n + 1)⌉ probes (T5)",
    [Schema.Natural.check(Schema.isLessThan(30)), Schema.Natural.check(Schema.isLessThan(32))],
    ([length, from]) => {
      const names = Array.from({ length }, (_, index) => `s${index}`)
      const search = Bisect.run(Bisect.start({ length }), (place) => place > from)
      const { lastClean, probes, stage } = Pipeline.foundIn(names, search)
      assert.strictEqual(stage, names[from])
      assert.strictEqual(lastClean, from >= length ? names.at(-1) : names[from - 1])
      assert.isAtMost(probes, Math.ceil(Math.log2(length + 1)))
    }
  )
})
