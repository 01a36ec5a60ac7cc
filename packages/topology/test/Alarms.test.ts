import { assert, describe, it } from "@effect/vitest"
import * as Alarms from "../src/Alarms.ts"
import * as Crack from "../src/event/Crack.ts"
import { cracksOf, declare, Happenings, strict, Tape, tapeOf } from "./lab.ts"

const of = ({ transitions }: Pick<Tape, "transitions">, declared = declare("react", strict)) =>
  transitions.reduce((self, each) => Alarms.take(self, each, declared), Alarms.none)

const kinds = ["react", "orchestrator", "pipeline", "plan_execute", "debate", "hierarchical"] as const

describe("Alarms", () => {
  it.prop(
    "are the first cracks of the declared topology, and each is found again in a longer trace (T9)",
    [Happenings],
    ([each]) => {
      const tape = tapeOf(each)
      for (const kind of kinds) {
        const declared = declare(kind, strict)
        const expected = new Map<string, number>()
        for (const { crack, tick } of cracksOf(tape, declared)) {
          if (Crack.topologies[crack] === kind && !expected.has(crack)) expected.set(crack, tick)
        }
        const raised = [...of(tape, declared).raised.values()].map(({ crack, tick }) => [crack, tick] as const)
        assert.deepStrictEqual(new Map(raised), expected)
        const half = of({ transitions: tape.transitions.slice(0, tape.transitions.length / 2) }, declared)
        for (const [crack, found] of half.raised) assert.deepStrictEqual(of(tape, declared).raised.get(crack), found)
      }
    }
  )

  it.prop(
    "raise nothing else because of alarms on record, and are due until they are there (T9)",
    [Happenings],
    ([each]) => {
      const declared = declare("react", strict)
      const bare = of(tapeOf(each), declared)
      const recording = new Tape()
      let self = Alarms.none
      const add = (body: Parameters<Tape["add"]>[0]) => {
        recording.add(body)
        self = Alarms.take(self, recording.transitions.at(-1)!, declared)
      }
      for (const { body } of tapeOf(each).transitions) {
        add(body)
        const [first] = Alarms.due(self)
        if (first !== undefined) add({ author: "kernel", type: "predicate.violation", data: Alarms.dataOf(first) })
      }
      assert.deepStrictEqual([...self.raised.keys()], [...bare.raised.keys()])
      assert.isTrue(Alarms.due(self).length <= 1)
      for (const { body } of recording.transitions) assert.isTrue(Alarms.agrees(self, body))
    }
  )

  it("agree with no alarm of a crack that is not there, or of another tick", () => {
    const tape = new Tape()
    for (let index = 0; index < 12; index++) tape.call("search", { q: 1 }, [])
    const self = of(tape, declare("react"))
    const [runaway] = Alarms.due(self)
    const alarm = (predicate: string, at: number) =>
      ({ author: "kernel", type: "predicate.violation", data: { at, predicate } }) as const
    assert.isTrue(Alarms.agrees(self, alarm("topology.runaway", runaway!.tick)))
    assert.isFalse(Alarms.agrees(self, alarm("topology.runaway", runaway!.tick - 1)))
    assert.isFalse(Alarms.agrees(self, alarm("topology.oscillation", 3)))
    assert.isUndefined(Alarms.recordedIn(alarm("over_budget", 3)))
  })

  it("agree with one that an earlier decider raised, and raise and hold nothing by it", () => {
    const tape = new Tape()
    for (let index = 0; index < 5; index++) {
      for (const tool of ["cpu", "disk", "load"]) tape.call(tool, {}, `${tool} is fine`, { class: "read_only" })
    }
    const at = tape.transitions.length
    tape.add({ author: "kernel", type: "predicate.violation", data: { at, predicate: "topology.oscillation" } })
    const self = of(tape, declare("react"))
    assert.isTrue(Alarms.agrees(self, tape.transitions.at(-1)!.body))
    assert.deepStrictEqual(Alarms.due(self), [])
    assert.isUndefined(Alarms.unheard(self))
  })

  it("agree with one that rests on how an earlier decider read an answer or a draft, and raise none by it", () => {
    const walk = new Tape()
    for (let day = 1; day < 25; day++) {
      const date = `2026-03-${String(day).padStart(2, "0")}`
      walk.call("calendar", { day: date }, { day: date, free: true }, { class: "read_only" })
    }
    const draft = "今天我们去苏黎世看湖和山然后坐船回到卢加诺吃晚饭再走"
    const debate = new Tape()
    for (const [index, end] of ["一", "二", "三"].entries()) {
      debate.note({ memo: "round", round: index + 1, draft: `${draft}${end}` })
    }
    for (const [tape, kind] of [
      [walk, "react"],
      [debate, "debate"]
    ] as const) {
      const { transitions } = tape
      const declared = declare(kind)
      const former = transitions.reduce((self, each) => Alarms.take(self, each, declared), Alarms.unjudged)
      const [once] = former.former?.cracks ?? []
      assert.isDefined(once)
      assert.deepStrictEqual(Alarms.due(former), [])
      const data = Alarms.dataOf(once!)
      const alarm = (at: number) => ({ author: "kernel", type: "predicate.violation", data: { ...data, at } }) as const
      assert.isTrue(Alarms.agrees(former, alarm(once!.tick)))
      assert.isFalse(Alarms.agrees(former, alarm(once!.tick - 1)))
      assert.isFalse(Alarms.agrees(of(tape, declared), alarm(once!.tick)))
    }
  })

  it("begin anew where another kind is declared, and end where none is", () => {
    const tape = new Tape()
    for (let index = 0; index < 9; index++) tape.call("search", { q: 1 }, [])
    const [before, debate] = [declare("react"), declare("debate")]
    let self = of(tape, before)
    self = Alarms.take(self, new Tape().say("ann", "hello").transitions[0]!, debate)
    assert.deepStrictEqual(Object.keys(self.watch.states), ["debate"])
    const [last] = new Tape().finish().transitions
    assert.strictEqual(Alarms.take(self, last!, undefined), self)
  })

  it("hold until a person has written: the user, or an institution that decides, and no program", () => {
    for (const [author, type, isWord] of [
      ["user", "message.received", true],
      ["institution", "review.decided", true],
      ["institution", "langgraph.write" as never, false],
      ["agent", "message.sent", false],
      ["kernel", "action.result", false]
    ] as const) {
      const tape = new Tape()
      for (let index = 0; index < 12; index++) tape.call("search", { q: 1 }, [])
      const [alarm] = Alarms.due(of(tape, declare("react")))
      tape.add({ author: "kernel", type: "predicate.violation", data: Alarms.dataOf(alarm!) })
      tape.add({ author, type })
      assert.strictEqual(Alarms.unheard(of(tape, declare("react"))) === undefined, isWord, `${author} ${type}`)
    }
  })
})
