import * as Fold from "@backstitch/reducer/Fold"
import * as Part from "@backstitch/reducer/Part"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as UsedKeys from "../src/keys/UsedKeys.ts"
import * as Obligations from "../src/plan/Obligations.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import { ok, requested, type Step, started, step, trace } from "./actions.ts"

const parts = [Obligations.part, OpenActions.part, UsedKeys.part]
const fold = Fold.make({ parts, sources: { rules: () => undefined } })
const run = (...steps: ReadonlyArray<Step>): State.State => Fold.run(fold, State.empty, trace(...steps))

const within = { undo: { class: "X", within: { trip: "T1" } } }
const begun = (id: string, tool: string): ReadonlyArray<Step> => {
  const [body, stamp] = started(id)
  return [requested(id, { tool }), [{ ...body, data: within }, stamp ?? {}]]
}
const settled = (id: string, status: "ok" | "error" | "unknown" = "ok", data?: Obligations.Obliges) =>
  step("action.reconciled", id, { status, trust: 3 }, data === undefined ? undefined : { obliges: [data] })
const refused = (id: string) => [
  step("action.result", id, { status: "error" }, { state: "forward_recovery" }),
  step("recovery.decided", id, undefined, { obligation: "a1/trip", refused: true })
]
const pivot = [
  ...begun("a1", "pay"),
  step("action.result", "a1", ok),
  settled("a1", "ok", { entity: "T1", skeleton: "trip", steps: ["tell", "thank", "file"] })
]
const of = (...steps: ReadonlyArray<Step>) => Obligations.all(run(...pivot, ...steps))

const Moves = Schema.Array(
  Schema.Struct({
    tool: Schema.Literals(["tell", "thank", "file", "other"]),
    ends: Schema.Literals(["ok", "error", "refused then ok", "elsewhere"])
  })
)

describe("Obligations", () => {
  it.prop(
    "lack exactly the steps that were reconciled in their subtask, in the declared order, and end with the last",
    [Moves],
    ([moves]) => {
      const done = new Set<string>()
      const steps = moves.flatMap(({ ends, tool }, index): ReadonlyArray<Step> => {
        const id = `b${index}`
        const isOver = done.size === 3
        if (ends === "elsewhere") return [requested(id, { tool }), started(id), settled(id)]
        if (ends !== "error" && tool !== "other") done.add(tool)
        const last = settled(id, ends === "error" ? "error" : "ok")
        return [...begun(id, tool), ...(ends === "refused then ok" && !isOver ? refused(id) : []), last]
      })
      const left = ["tell", "thank", "file"].filter((tool) => !done.has(tool))
      assert.deepStrictEqual(
        of(...steps).map((each) => each.steps),
        left.length === 0 ? [] : [left]
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it("keep the arguments and observations since the pivot, and the first failure of the next step", () => {
    const [first] = of(...begun("a2", "tell"), ...refused("a2"), ...refused("a2"))
    assert.deepInclude(first, { pivot: "a1", state: "forward_recovery", failedAt: 8000 })
    assert.deepStrictEqual(first?.failed, { action: "a2", at: 10_000, count: 2 })
    assert.deepStrictEqual(first?.seen["pay"], { actual: "B1", args: { flight: "LX1" }, observed: "B1" })
    const [next] = of(...begun("a2", "tell"), ...refused("a2"), settled("a2"))
    assert.deepStrictEqual([next?.failed, next?.failedAt, next?.steps], [undefined, undefined, ["thank", "file"]])
    assert.hasAllKeys(next?.seen, ["pay", "tell"])
  })

  it("wait for a person once they were asked, and go on or are given up as they decide", () => {
    const asked = step("review.requested", "a2", undefined, { obligation: "a1/trip" })
    const decided = (as: string, state?: string) =>
      step("review.decided", "a2", undefined, { action: "a2", as, ...(state === undefined ? {} : { state }) })
    const waiting = [...begun("a2", "tell"), ...refused("a2"), asked]
    assert.strictEqual(of(...waiting)[0]?.state, "review_required")
    assert.deepStrictEqual(of(...waiting, decided("abandoned")), [])
    // Nothing is kept of it: what is kept is part of the digest of every state that follows.
    assert.deepStrictEqual(Part.get(Obligations.part, run(...pivot, ...waiting, decided("abandoned"))), {})
    assert.deepStrictEqual(of(...waiting, decided("failure")), [])
    const [resumed] = of(...waiting, decided("success", "reconciled_success"), settled("a2"))
    assert.deepInclude(resumed, { state: "forward_recovery", steps: ["thank", "file"] })
  })

  it("end the generation of a key that was refused behind the pivot (decision 0035)", () => {
    const state = run(...pivot, ...begun("a2", "tell"), ...refused("a2"))
    assert.strictEqual(UsedKeys.find(state, "key-a2")?.status, "error")
    assert.deepInclude(OpenActions.of(state)["a2"], { state: "forward_recovery", attempts: 1 })
    const again = run(...pivot, ...begun("a2", "tell"), ...refused("a2"), started("a2", "key-a2-1"))
    assert.deepInclude(OpenActions.of(again)["a2"], { attempts: 1, firstAt: 9000, key: "key-a2-1" })
    assert.deepInclude(UsedKeys.find(again, "key-a2-1"), { action: "a2", started: 9 })
  })
})
