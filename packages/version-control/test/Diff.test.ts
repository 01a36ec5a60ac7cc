import * as Payload from "@backstitch/trace/Payload"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Diff } from "../src/index.ts"
import { payloads } from "../src/payload/Payload.ts"
import * as Lab from "./lab.ts"

const side = (run: string, bodies: ReadonlyArray<Body>, asOf = 1): Diff.Side => {
  const fold = Lab.fold([Lab.predicate({ id: "rich", holds: ({ state }) => Number(state.working["total"] ?? 0) > 3 })])
  const steps = Lab.steps(fold, bodies)
  return {
    run,
    length: steps.length,
    transitions: steps.map(({ transition }) => ({ ...transition, stamp: { asOf } })),
    state: Lab.stateAt(steps, steps.length)
  }
}

// Few types, fields and numbers, so that generated runs often agree.
const Small = Schema.Natural.check(Schema.isLessThanOrEqualTo(4))
const Move = Schema.Struct({ kind: Schema.Literals(["set", "note", "request"]), value: Small, confidence: Small })
const Moves = Schema.Array(Move).check(Schema.isMaxLength(14))

const bodyOf = ({ confidence, kind, value }: typeof Move.Type, index: number): Body => {
  if (kind === "set") return Lab.set({ total: value }, { confidence: confidence / 4 })
  if (kind === "note") return { ...Lab.note(`note ${value}`), confidence: confidence / 4 }
  return { action: { id: `a${index}`, tool: `tool${value % 2}` }, author: "agent", type: "action.request" }
}

const run = (name: string, moves: typeof Moves.Type, asOf?: number) =>
  side(name, [Lab.started, ...moves.map(bodyOf)], asOf)

const kinds = (diff: Diff.Diff) => diff.differences.map((difference) => difference.kind)

describe("Diff", () => {
  it.prop(
    "finds nothing between a run and itself, whenever it was made",
    [Moves],
    ([moves]) => {
      assert.deepStrictEqual(Diff.compare(run("a", moves, 1), run("a", moves, 999)).differences, [])
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is antisymmetric: the other way round is the mirror",
    [Moves, Moves],
    ([left, right]) => {
      const [a, b] = [run("a", left), run("b", right)]
      assert.deepStrictEqual(Diff.compare(b, a), Diff.mirror(Diff.compare(a, b)))
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "finds something whenever the bodies differ",
    [Moves, Moves],
    ([left, right]) => {
      const [a, b] = [run("a", left), run("b", right)]
      const said = (moves: typeof Moves.Type) => JSON.stringify(moves.map((move) => ({ ...bodyOf(move, 0) })))
      assert.strictEqual(Diff.compare(a, b).differences.length === 0, said(left) === said(right))
    },
    { arbitrary: { runs: 300 } }
  )

  it("reports one difference for one inserted transition, whatever follows it", () => {
    const moves = Array.from({ length: 100 }, (_, index) => ({
      confidence: 1,
      kind: "request" as const,
      value: index % 5
    }))
    const based =
      (shift: number) =>
      (body: Body, index: number): Body => ({
        ...body,
        action: { ...body.action!, id: `a${index + shift}` },
        intent: { basis: index + shift }
      })
    const left = side("a", [Lab.started, ...moves.map(bodyOf).map(based(2))])
    const right = side("b", [Lab.started, Lab.note("inserted"), ...moves.map(bodyOf).map(based(3))])
    const diff = Diff.compare(left, right)
    assert.deepStrictEqual(diff.differences, [
      { kind: "structural", right: { about: "inserted", tick: 2, type: "plan.update" } }
    ])
    assert.strictEqual(diff.same, 101)
  })

  const undoing = (shift: number, undone = 2): ReadonlyArray<Body> => {
    const [act, plan, review] = [`a${undone + shift}`, `u${4 + shift}`, `v${6 + shift}`]
    const because = { args: { action: act }, code: "saga.failed" }
    const steps = [{ params: { seat: "a12" }, residue: false, tool: "cancel", undoes: act }]
    const request = (tick: number): Body => ({
      action: { id: `a${tick + shift}`, tool: "book" },
      author: "agent",
      data: { holder: { action: act, tick: undone + shift } },
      type: "action.request"
    })
    return [
      request(2),
      request(3),
      { author: "kernel", data: { plan: { because, cause: "saga", masks: [], steps } }, type: "recovery.decided" },
      { author: "kernel", data: { because, plan, residue: [], undone: [act] }, type: "recovery.restored" },
      { author: "kernel", data: { plan, review, turns: { [act]: { ordinal: 1 } } }, type: "review.requested" }
    ]
  }

  it("finds an undo plan the same behind an inserted transition, whose ids and ticks moved", () => {
    const left = side("a", [Lab.started, ...undoing(0)])
    const right = side("b", [Lab.started, Lab.note("inserted"), ...undoing(1)])
    assert.deepStrictEqual(kinds(Diff.compare(left, right)), ["structural"])
    assert.deepStrictEqual(kinds(Diff.compare(right, left)), ["structural"])
  })

  it("finds a plan that undoes another action, also under the same id, and shows ids as they are in each run", () => {
    const left = side("a", [Lab.started, ...undoing(0, 3)])
    const right = side("b", [Lab.started, Lab.note("inserted"), ...undoing(1, 2)])
    const values = Diff.compare(left, right).differences.flatMap((each) => ("values" in each ? each.values : []))
    // Action a3 is the second request of one run, and the first of the other.
    assert.deepInclude(values, { left: "a3", path: "/data/plan/steps/0/undoes", right: "a3" })
    assert.deepInclude(values, { left: 3, path: "/data/holder/tick", right: 3 })
    assert.deepInclude(values, { left: { ordinal: 1 }, path: "/data/turns/a3" })
    assert.notInclude(JSON.stringify(values), "seat")
    assert.deepStrictEqual(Diff.mirror(Diff.compare(right, left)).differences, Diff.compare(left, right).differences)
  })

  it("takes no person for a position, also one whose name reads like an id", () => {
    const bodies: ReadonlyArray<Body> = [
      { author: "institution", data: { as: "approved", by: "u3" }, type: "review.decided" },
      { author: "agent", data: { approval: { approver: "a2", id: "v1" } }, type: "action.request" },
      { author: "kernel", data: { actor: "a3" }, type: "action.started" },
      { author: "kernel", data: { word: { by: "v4", why: "seen" } }, type: "action.reconciled" }
    ]
    const left = side("a", [Lab.started, ...bodies])
    const right = side("b", [Lab.started, Lab.note("inserted"), ...bodies])
    assert.deepStrictEqual(kinds(Diff.compare(left, right)), ["structural"])
  })

  it("tells structural, semantic, confidence and outcome apart", () => {
    const left = side("a", [
      Lab.started,
      Lab.note("look"),
      { ...Lab.note("think"), confidence: 0.9 },
      Lab.set({ total: 2 }),
      Lab.note("only here")
    ])
    const right = side("b", [
      Lab.started,
      Lab.note("look"),
      { ...Lab.note("think"), confidence: 0.3 },
      Lab.set({ total: 5 }),
      { author: "agent", type: "goal.complete" }
    ])
    const diff = Diff.compare(left, right)
    assert.deepStrictEqual(kinds(diff), ["confidence", "semantic", "structural", "outcome"])
    assert.deepStrictEqual(diff.counts, { structural: 1, semantic: 1, confidence: 1, outcome: 1 })
    assert.deepStrictEqual(diff.differences[0], {
      kind: "confidence",
      left: { about: "think", tick: 3, type: "plan.update" },
      right: { about: "think", tick: 3, type: "plan.update" },
      values: [{ left: 0.9, path: "/confidence", right: 0.3 }]
    })
    assert.deepStrictEqual(diff.differences[1], {
      kind: "semantic",
      left: { tick: 4, type: "observation.add" },
      right: { tick: 4, type: "observation.add" },
      values: [{ left: 2, path: "/data/set/total", right: 5 }]
    })
    assert.deepStrictEqual(diff.differences[3], {
      kind: "outcome",
      values: [
        { left: 2, path: "/working/total", right: 5 },
        { path: "/kernel/latches/rich", right: 4 }
      ]
    })
  })

  it("tells an act that has an intent from one that has none by the intent as a whole", () => {
    const plain: Body = { type: "goal.complete", author: "agent" }
    const meant: Body = { ...plain, intent: { description: "it is done" } }
    const { differences } = Diff.compare(side("a", [Lab.started, plain]), side("b", [Lab.started, meant]))
    assert.deepStrictEqual(
      differences.flatMap((each) => ("values" in each ? each.values : [])),
      [{ path: "/intent", right: { description: "it is done" } }]
    )
  })

  it("keeps differences of the kinds and ticks that are asked for", () => {
    const left = side("a", [Lab.started, Lab.note("x"), Lab.set({ total: 1 }), Lab.note("z")])
    const right = side("b", [Lab.started, Lab.note("y"), Lab.set({ total: 2 }), Lab.note("z")])
    assert.deepStrictEqual(kinds(Diff.compare(left, right, { kinds: new Set(["semantic"]) })), ["semantic", "semantic"])
    const late = Diff.compare(left, right, { from: 3 })
    assert.deepStrictEqual(kinds(late), ["semantic", "outcome"])
    const early = Diff.compare(left, right, { to: 2, kinds: new Set(["semantic"]) })
    assert.strictEqual(early.differences.length, 1)
    assert.deepStrictEqual([late.omitted, early.omitted, Diff.compare(left, right).omitted], [1, 1, 0])
  })

  it("reports the fields that differ in the end when both did the same under different packs", () => {
    const bodies = [Lab.started, Lab.set({ total: 1 })]
    const left = side("a", bodies)
    const right = { ...side("b", bodies), state: { ...left.state, working: { total: 1, extra: { a: [1, 2] } } } }
    assert.deepStrictEqual(Diff.compare(left, right).differences, [
      { kind: "outcome", values: [{ path: "/working/extra", right: { a: [1, 2] } }] }
    ])
  })

  it("can be put on the record", () => {
    const body = Diff.toBody(Diff.compare(run("a", []), run("b", [{ confidence: 0, kind: "note", value: 1 }])))
    assert.strictEqual(body.type, "diff.summary")
    assert.deepStrictEqual(
      body.data.differences.map(({ kind }) => kind),
      ["structural"]
    )
    assert.isUndefined(Payload.checker(payloads["diff.summary"])(body.data))
  })
})
