import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as PlanExecute from "../src/shapes/PlanExecute.ts"
import { cracksOf, declare, stateOf, Tape } from "./lab.ts"

const declared = declare("plan_execute", { planMillis: 60_000 })
const plan = { memo: "plan", steps: ["read notes.md", "write report.md"], assumes: { price: 10 } }
const step = (at: number, status: string, more = {}) => ({ memo: "step", step: at, status, ...more })
const state = (tape: Tape, by = declared) => stateOf<PlanExecute.PlanExecute>(tape, by)

describe("PlanExecute", () => {
  it("is stale once a step begins after the time of the plan", () => {
    const tape = new Tape().note(plan).wait(60_000).note(step(1, "begun"))
    assert.deepStrictEqual(cracksOf(tape, declared), [])
    const late = { crack: "stale_plan", signal: "plan_expired", tick: 3, evidence: [1, 3] } as const
    assert.deepInclude(cracksOf(tape.wait(1).note(step(2, "begun")), declared)[0], late)
  })

  it("is stale where a step does not find its object", () => {
    const tape = new Tape().note(plan).note(step(1, "failed", { missing: "notes.md" }))
    assert.deepInclude(cracksOf(tape, declared)[0], { signal: "object_not_found", subject: "notes.md" })
  })

  it("is stale where a call does not find what was shown before, without a memo too", () => {
    const tape = new Tape()
      .call("list", {}, "HTL-117, HTL-118")
      .call("book", { hotel: "HTL-117" }, "404", { ok: false })
    const found = { signal: "object_not_found", subject: "HTL-117", evidence: [2, 3, 4] } as const
    assert.deepInclude(cracksOf(tape, declared)[0], found)
    const several = new Tape().call("list", {}, "HTL-117 and CARD-4")
    several.call("book", { hotel: "HTL-117", card: "CARD-4" }, "payment method not found", { ok: false })
    assert.deepStrictEqual(cracksOf(several, declared), [])
    const buried = new Tape()
      .call("list", {}, "/srv/app")
      .call("sh", { run: "cd /srv/app && publish" }, "404", { ok: false })
    assert.deepStrictEqual(cracksOf(buried, declared), [])
    const never = new Tape().call("list", {}, "HTL-118").call("book", { hotel: "HTL-117" }, "404", { ok: false })
    assert.deepStrictEqual(cracksOf(never, declared), [])
  })

  it("is not stale where the run itself took the object away, or where it was refused for another reason", () => {
    const own = new Tape().call("list", {}, "notes.md").call("delete", { path: "notes.md" }, "done")
    own.call("read", { path: "notes.md" }, "no such file", { ok: false })
    assert.deepStrictEqual(cracksOf(own, declared), [])
    const full = new Tape().call("list", {}, "HTL-117")
    full.call("book", { hotel: "HTL-117" }, "fully booked", { ok: false })
    assert.deepStrictEqual(cracksOf(full, declared), [])
  })

  it("is not stale where a step finds nothing of what the plan is to make", () => {
    const tape = new Tape()
      .note({ memo: "plan", steps: ["write src/a.ts", "read src/b.ts"] })
      .call("read", { path: "src/a.ts" }, "ENOENT: no such file or directory", { ok: false })
    assert.deepStrictEqual(cracksOf(tape, declare("plan_execute")), [])
    tape.call("read", { path: "src/b.ts" }, "ENOENT: no such file or directory", { ok: false })
    assert.deepInclude(cracksOf(tape, declare("plan_execute"))[0], { crack: "stale_plan", subject: "src/b.ts" })
  })

  it("is executed in part where the next step begins behind a failed one, unless the pack says skip", () => {
    const tape = new Tape().note(plan).note(step(1, "failed")).note(step(2, "begun"))
    assert.strictEqual(cracksOf(tape, declared)[0]?.signal, "went_on_after_failure")
    assert.deepStrictEqual(cracksOf(tape, declare("plan_execute", { onFailure: "skip" })), [])
    const replanned = new Tape().note(plan).note(step(1, "failed")).note(plan).note(step(1, "begun"))
    assert.deepStrictEqual(cracksOf(replanned, declared), [])
    const over = new Tape().note(plan).note(step(2, "failed")).finish()
    assert.strictEqual(cracksOf(over, declared)[0]?.signal, "finished_over_failure")
  })

  it("goes on as the policy for failures says", () => {
    const failed = new Tape().note(plan).note(step(1, "failed"))
    const on = (onFailure: "replan" | "skip" | "stop") =>
      PlanExecute.resume(state(failed), { at: 0, world: { price: 10 } }, { ...declared, onFailure })
    assert.deepStrictEqual(on("replan"), { _tag: "Replan", because: "failed" })
    assert.deepStrictEqual(on("stop"), { _tag: "Stop", step: 1 })
    assert.deepStrictEqual(on("skip"), { _tag: "Continue", step: 2 })
    const none = PlanExecute.resume(state(new Tape()), { at: 0, world: {} }, declared)
    assert.deepStrictEqual(none, { _tag: "Replan", because: "none" })
    const done = new Tape().note(plan).note(step(1, "done")).note(step(2, "done"))
    assert.deepStrictEqual(PlanExecute.resume(state(done), { at: 1e9, world: {} }, declared), { _tag: "Done" })
  })

  it.prop(
    "never continues a plan whose time is over, or one of whose facts is otherwise (T6)",
    [Schema.Natural.check(Schema.isLessThan(120_000)), Schema.Literals([10, 11, 0])],
    ([at, price]) => {
      const now = { at, world: price === 0 ? {} : { price } }
      const next = PlanExecute.resume(state(new Tape().note(plan)), now, declared)
      const isFresh = at <= 60_000 && price === 10
      assert.strictEqual(next._tag, isFresh ? "Continue" : "Replan")
    }
  )
})
