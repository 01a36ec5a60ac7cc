import * as Topology from "@backstitch/contracts/Topology"
import * as Canonical from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as CrackWatch from "../src/CrackWatch.ts"
import * as Crack from "../src/event/Crack.ts"
import * as TopologyEvent from "../src/event/TopologyEvent.ts"
import * as Shapes from "../src/Shapes.ts"
import * as Shape from "../src/shapes/Shape.ts"
import { cracksOf, declare, Happenings, strict, Tape, tapeOf } from "./lab.ts"

describe("CrackWatch", () => {
  it.prop("finds in every longer trace what it found in a prefix, at the same tick (T1)", [Happenings], ([each]) => {
    const declared = declare("react", strict)
    const whole = cracksOf(tapeOf(each), declared)
    for (let length = 0; length <= each.length; length++) {
      const found = cracksOf(tapeOf(each.slice(0, length)), declared)
      assert.deepStrictEqual(found, whole.slice(0, found.length))
    }
  })

  it.prop("goes on from its state alone, written down as JSON (T2)", [Happenings], ([each]) => {
    const declared = declare("react", strict)
    let kept = CrackWatch.start()
    let written = CrackWatch.start()
    for (const event of tapeOf(each).transitions.flatMap(TopologyEvent.of)) {
      kept = CrackWatch.step(kept, event, declared)
      written = Canonical.parse(Canonical.encode(CrackWatch.step(written, event, declared))) as CrackWatch.CrackWatch
    }
    assert.deepStrictEqual(Canonical.encode(written), Canonical.encode(kept))
  })

  it("lists cracks of one moment by the ticks of their tasks, in whatever order a stored state has these (T2)", () => {
    const declared = declare("orchestrator", strict)
    const orders = (["t2", "t1", "__proto__"] as const).map((dispatch) => ({ dispatch, worker: "ann" }) as const)
    let kept = CrackWatch.start()
    for (const event of tapeOf([...orders, { wait: 2000 }, { end: true }]).transitions.flatMap(TopologyEvent.of)) {
      kept = Canonical.parse(Canonical.encode(CrackWatch.step(kept, event, declared))) as CrackWatch.CrackWatch
    }
    const lost = kept.cracks.filter(({ crack }) => crack === "lost_handoff")
    assert.deepStrictEqual(
      lost.map(({ subject }) => subject),
      ["t2", "t1", "__proto__"]
    )
  })

  it("keeps a crack once, and stays the same value where nothing changes", () => {
    const tape = new Tape()
    for (let index = 0; index < 60; index++) tape.call("search", { q: 1 }, [])
    assert.strictEqual(cracksOf(tape, declare("react")).length, 1)
    const [event] = TopologyEvent.of(new Tape().say("ann", "hello").transitions[0]!)
    const watch = CrackWatch.start()
    assert.strictEqual(CrackWatch.step(watch, event!, declare("react")), watch)
  })
})

describe("Shapes", () => {
  it("has a decider, a limit and a signature crack for every topology", () => {
    for (const kind of Topology.kinds) {
      assert.strictEqual(Shapes.all[kind].kind, kind)
      assert.strictEqual(Crack.topologies[Crack.signatures[kind]], kind)
      assert.isFalse(Shapes.detector(declare(kind)).isOn)
      assert.isTrue(Shapes.detector(declare(kind, { ...strict, order: ["a", "b"] })).isOn)
    }
    assert.isFalse(Shape.isOn(Shapes.all.pipeline, declare("pipeline", { order: ["alone"] })))
  })
})
