import { assert, describe, it } from "@effect/vitest"
import * as Origin from "../src/event/Origin.ts"
import * as TopologyEvent from "../src/event/TopologyEvent.ts"
import { diagnosed, Happenings, Tape, tapeOf } from "./lab.ts"

const of = ({ transitions }: Tape, task = "") => Origin.of(transitions.flatMap(TopologyEvent.of), task)

describe("Origin", () => {
  it("is where a value of the result appears first, however its thousands are written", () => {
    const tape = new Tape()
      .say("planner", "look both towns up")
      .say("expert", "the towns have 737,015 and 4,965 people")
      .say("writer", "so it is 732050, that is 737015 - 4965")
      .say("planner", "TERMINATE")
    assert.deepInclude(of(tape), { agent: "expert", tick: 2 })
  })

  it("counts what a call answers as brought in by who called", () => {
    const tape = new Tape()
      .call("search", { q: "games" }, "JPN 1, CHN 1", { agent: "clerk" })
      .say("judge", "the answer is CHN")
    assert.deepInclude(of(tape), { agent: "clerk", tick: 2, value: "CHN" })
  })

  it("is none for values that the task gave, for small numbers, and for words that end a conversation", () => {
    const tape = new Tape().say("ann", "in 1928 there were 4, DONE")
    assert.isUndefined(of(tape, "how many in 1928?"))
    assert.deepInclude(of(tape, "how many?"), { value: "1928" })
    assert.isUndefined(of(new Tape()))
  })

  it("makes the agent behind it the first suspect, where the result is known to be wrong", () => {
    const tape = new Tape()
      .add({ type: "message.received", author: "user", data: { content: "how many in 2020?" } })
      .say("planner", "in 2020, let us see")
      .say("expert", "there were 4711")
      .say("writer", "4711 it is")
    const [suspect] = diagnosed(tape, { isOver: true, isWrong: true }).cracks
    assert.deepInclude(suspect, { crack: "cascading_poison", agent: "expert", subject: "expert", evidence: [3, 4] })
    const retried = new Tape()
      .call("look", {}, "timed out", { agent: "ann", ok: false })
      .call("look", {}, "4711", { agent: "ann" })
    const [found] = diagnosed(retried.say("bob", "4711"), { isOver: true, isWrong: true }).cracks
    assert.strictEqual(found?.agent, "ann")
  })

  it.prop("is an event of the trace, with the value that it names", [Happenings], ([each]) => {
    const tape = tapeOf(each).say("ann", "t1 and t2, 4711")
    const found = of(tape)
    assert.isDefined(found)
    assert.isTrue(found!.tick >= 1 && found!.tick <= tape.transitions.length)
  })
})
