import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as ClaimHolder from "../src/claims/ClaimHolder.ts"
import { Bench, bookOf, call, ok } from "./lab.ts"

const holder = (transitions: ReadonlyArray<Transition>) => {
  const from = transitions.findIndex(({ body }) => body.type === "action.started")
  return ClaimHolder.of("trip", "a2", transitions.slice(from))!
}

describe("ClaimHolder", () => {
  it("tells evidence from belief, and keeps the latest of both", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const under = holder(bench.transitions)
    assert.deepInclude(under, { action, output: null, run: "trip", startedAt: 1_000_000, status: "unknown", tick: 3 })
    assert.isUndefined(under.settled)
    bench.answers(action, ok({ id: "B1" }))
    bench.readsBack(action, ok({ id: "B1", price: 80 }))
    const done = holder(bench.transitions)
    assert.deepInclude(done, { observed: { id: "B1" }, output: { id: "B1", price: 80 }, settled: 6, status: "ok" })
    assert.deepStrictEqual(done.actual, { id: "B1", price: 80 })
    assert.isTrue(ClaimHolder.hasDone(done, done.requestHash))
    assert.isFalse(ClaimHolder.hasDone(done, "another"))
    assert.isFalse(ClaimHolder.hasDone(under, under.requestHash))
  })

  it("has failed once that is settled, and has done nothing then", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    bench.answers(action, { _tag: "Error", error: "sold out" })
    const failed = holder(bench.transitions)
    assert.deepInclude(failed, { output: "sold out", status: "error" })
    assert.deepStrictEqual(
      [ClaimHolder.hasDone(failed, failed.requestHash), ClaimHolder.hasFailed(failed, failed.requestHash)],
      [false, true]
    )
    assert.isFalse(ClaimHolder.hasFailed(failed, "another"))
    // What was answered and is not settled may still turn out otherwise.
    const open = holder(bench.transitions.filter(({ body }) => body.type !== "action.reconciled"))
    assert.isFalse(ClaimHolder.hasFailed(open, open.requestHash))
  })

  it("is undone by a reversal that was verified, and by no other", () => {
    const bench = new Bench()
    bench.books("LX1")
    for (const trust of [1, 2] as const) {
      const reversal = { author: "kernel", type: "action.request", action: { id: "a9", undoes: "a2" } } as const
      const settled = { ...reversal, type: "action.reconciled", action: { id: "a9" }, result: { status: "ok", trust } }
      const more = [reversal, settled].map((body, index) => ({ ...bench.last, body, tick: 20 + index })) as never
      const found = holder([...bench.transitions, ...(more as ReadonlyArray<Transition>)])
      assert.deepStrictEqual(found.undone, trust === 1 ? undefined : { action: "a9", tick: 21 })
      assert.strictEqual(ClaimHolder.hasDone(found, found.requestHash), trust === 1)
    }
  })

  it("has a reversal under way that was only accepted, until a fact shows its outcome", () => {
    const bench = new Bench()
    bench.books("LX1")
    const arriving = (data: object, result: object) => {
      const asked = { author: "kernel", type: "action.request", action: { id: "a9", undoes: "a2" } } as const
      const bodies = [
        asked,
        { ...asked, type: "action.started", action: { id: "a9" } },
        { ...asked, type: "action.result", action: { id: "a9" }, data, result }
      ]
      const more = bodies.map((body, index) => ({ ...bench.last, body, tick: 20 + index })) as never
      return holder([...bench.transitions, ...(more as ReadonlyArray<Transition>)]).arriving
    }
    assert.strictEqual(arriving({ stage: "accepted" }, { status: "ok" }), bench.last.stamp.asOf)
    assert.strictEqual(arriving({}, { status: "unknown" }), bench.last.stamp.asOf)
    assert.isUndefined(arriving({}, { status: "ok" }))
    assert.isUndefined(arriving({}, { status: "error" }))
  })

  it("is doubtful once a planner took back a part of it, or all on a tool's word, and stands if that failed", () => {
    const bench = new Bench()
    bench.books("LX1")
    for (const [whole, status, trust, expected] of [
      [true, "ok", 3, "undone"],
      [true, "ok", 1, "doubtful"],
      [false, "ok", 3, "doubtful"],
      [false, "error", 3, undefined],
      [true, "error", 3, undefined]
    ] as const) {
      const data = { reverses: { action: "a2", whole } }
      const request = { author: "agent", type: "action.request", action: { id: "a9" }, data } as const
      const settled = { author: "kernel", type: "action.reconciled", action: { id: "a9" }, result: { status, trust } }
      const more = [request, settled].map((body, index) => ({ ...bench.last, body, tick: 20 + index })) as never
      const found = holder([...bench.transitions, ...(more as ReadonlyArray<Transition>)])
      const by = { action: "a9", tick: 21 }
      assert.deepStrictEqual(
        [found.undone, found.doubtful],
        [expected === "undone" ? by : undefined, expected === "doubtful" ? by : undefined]
      )
      assert.strictEqual(ClaimHolder.hasDone(found, found.requestHash), expected === undefined)
    }
  })

  it("does not stand once its undoing found it gone", () => {
    const bench = new Bench()
    bench.books("LX1")
    const body = { action: { id: "a2" }, author: "kernel", data: { absent: true }, type: "action.verified" } as const
    const found = holder([...bench.transitions, { ...bench.last, body, tick: 20 }])
    assert.deepStrictEqual(found.undone, { action: "a2", tick: 20 })
    assert.isFalse(ClaimHolder.hasDone(found, found.requestHash))
  })

  it("stands again if a person corrects that it was undone: no run does it once more (L14)", () => {
    const bench = new Bench()
    bench.books("LX1")
    const saying = (...undos: ReadonlyArray<string>) => {
      const more = undos.map((undo, index): Transition => {
        const data = { action: "a2", as: "success", by: "Ada", evidence: "phoned", plan: "u7", undo }
        const body = { action: { id: "a2" }, author: "user", data, type: "review.decided" } as const
        return { ...bench.last, body, tick: 20 + index }
      })
      return holder([...bench.transitions, ...more])
    }
    assert.deepStrictEqual(saying("attested").undone, { action: "a2", tick: 20 })
    for (const last of ["standing", "undo_abandoned"]) assert.isUndefined(saying("attested", last).undone)
    assert.deepStrictEqual(saying("attested", "standing", "attested").undone, { action: "a2", tick: 22 })
    const standing = saying("attested", "standing")
    assert.isTrue(ClaimHolder.hasDone(standing, standing.requestHash))
  })

  it("is not found if the transitions begin with another type", () => {
    const bench = new Bench()
    bench.books("LX1")
    assert.isUndefined(ClaimHolder.of("trip", "a2", bench.transitions))
    assert.isUndefined(ClaimHolder.of("trip", "a2", []))
  })
})
