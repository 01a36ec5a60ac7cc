import * as UndoPlan from "@backstitch/ledger/UndoPlan"
import { assert, describe, it } from "@effect/vitest"
import * as SubtaskRollback from "../src/undo/SubtaskRollback.ts"
import { Bench, call, ends, ok, told, wish } from "./lab.ts"

const checkpoint = { entity: null, kind: "entry", ordinal: 0, skeleton: "trip", state: "open", tick: 1 } as const
const patch = [{ op: "replace", path: "/working/plan", value: null }] as const
const because = wish("it was wrong")

const rolls = (bench: Bench, more: { readonly at?: number; readonly masks?: ReadonlyArray<string> } = {}) => {
  const { at = bench.at.head.tick, masks = [] } = more
  const wanted = { actions: [], because, cause: "recovery", masks } as const
  return bench.does({ _tag: "Undo", wanted, rollback: { at, checkpoint, patch } })
}

describe("SubtaskRollback", () => {
  it("puts working back where no effect is owed, and ends as done", () => {
    const bench = new Bench()
    bench.proposes({ type: "plan.update", data: { plan: "a plan" } })
    const before = SubtaskRollback.begin(
      bench.terms,
      bench.state,
      { actions: [], because, cause: "recovery" },
      { at: bench.at.head.tick, checkpoint, patch }
    )
    assert.strictEqual(before.next._tag, "Compensate")
    assert.strictEqual(rolls(bench).next._tag, "Compensate")
    assert.isNull(bench.state.working["plan"])
    const done = ends(bench.compensates(), "Done")
    assert.deepStrictEqual(done.output, { because, residue: [], undone: [] })
    assert.isUndefined(UndoPlan.open(bench.state))
    assert.deepInclude(bench.last.body.data, { checkpoint })
  })

  it("is refused at another head than the one at which it was admitted", () => {
    const bench = new Bench()
    assert.include(told(ends(rolls(bench, { at: 0 }), "Refused")), "context.changed")
  })

  it("is refused while a call is under way that it would mask, and while another plan is open", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes({ tool: "look", params: { q: "LX" } }))
    assert.include(told(ends(rolls(bench, { masks: [action] }), "Refused")), "undo.unsettled")
    bench.answers(action, ok({ found: "LX1" }))
    rolls(bench, { masks: [action] })
    assert.include(told(ends(rolls(bench), "Refused")), "undo.plan_open")
  })
})
