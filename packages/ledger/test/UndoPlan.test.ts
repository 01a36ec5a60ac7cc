import * as Fold from "@backstitch/reducer/Fold"
import * as State from "@backstitch/reducer/State"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ActionState from "../src/machine/ActionState.ts"
import * as Saga from "../src/plan/Saga.ts"
import * as UndoPlan from "../src/plan/UndoPlan.ts"
import * as OpenActions from "../src/state/OpenActions.ts"
import * as SettledActions from "../src/state/SettledActions.ts"
import { booked, ok, requested, type Step, started, step, stepOf, trace } from "./actions.ts"

const wanted = (...actions: ReadonlyArray<string>): UndoPlan.UndoRequest => ({
  actions,
  because: { args: { reason: "the card was declined" }, code: "cause.asked" },
  cause: "saga"
})

const blocksOf = (verdict: UndoPlan.UndoVerdict) =>
  verdict._tag === "Blocked" ? verdict.blocks.map(({ action = "", why }) => `${why.code}: ${action}`) : []

const Drawn = Schema.Struct({
  state: ActionState.State,
  reversibility: Schema.Literals(["I", "R", "K", "X"]),
  hasCompensation: Schema.Boolean,
  isWanted: Schema.Boolean
})

describe("UndoPlan", () => {
  it("names each conjunct that forbids an undoing, and the action that stands in the way (L10)", () => {
    const flying = [stepOf("a"), stepOf("b", { state: "unknown" })]
    assert.deepStrictEqual(blocksOf(UndoPlan.admit(wanted("a"), { steps: flying, open: undefined })), [
      "undo.unsettled: b"
    ])
    const past = [stepOf("a"), stepOf("mail", { reversibility: "X" })]
    assert.deepStrictEqual(blocksOf(UndoPlan.admit(wanted("a"), { steps: past, open: undefined })), [
      "undo.pivot: mail"
    ])
    const { compensation: _, ...bare } = stepOf("a")
    assert.deepStrictEqual(blocksOf(UndoPlan.admit(wanted("a"), { steps: [bare], open: undefined })), [
      "undo.unregistered: a"
    ])
  })

  it("ignores actions that were in flight before the first action to undo, and applies further conjuncts", () => {
    const steps = [stepOf("early", { state: "unknown" }), stepOf("a")]
    assert.strictEqual(UndoPlan.admit(wanted("a"), { steps, open: undefined })._tag, "Admitted")
    const consumer: UndoPlan.Conjunct = () => [{ action: "report", why: { args: {}, code: "consumer.none" } }]
    assert.deepStrictEqual(blocksOf(UndoPlan.admit(wanted("a"), { steps, open: undefined }, [consumer])), [
      "consumer.none: report"
    ])
  })

  it.prop(
    "admits only acts that stand, each once, in reverse order, with nothing irreversible behind it (L12)",
    [Schema.Array(Drawn)],
    ([drawn]) => {
      const steps = drawn.map(({ hasCompensation, reversibility, state }, index): Saga.SagaStep => {
        const { compensation, ...bare } = stepOf(`a${index}`, { reversibility, state })
        return hasCompensation ? { ...bare, compensation: compensation! } : bare
      })
      const actions = steps.filter((_, index) => drawn[index]?.isWanted).map(({ action }) => action)
      const verdict = UndoPlan.admit(wanted(...actions), { steps, open: undefined })
      if (verdict._tag === "Blocked") return verdict.blocks.length > 0
      if (verdict._tag === "Nothing") return true
      const at = verdict.plan.steps.map(({ undoes }) => steps.findIndex(({ action }) => action === undoes))
      const first = Math.min(...steps.flatMap(({ action }, index) => (actions.includes(action) ? [index] : [])))
      return (
        at.every((index, n) => index >= 0 && (n === 0 || index < at[n - 1]!)) &&
        verdict.plan.steps.every(({ undoes }) => actions.includes(undoes)) &&
        Saga.pivot(steps) === undefined &&
        !steps.slice(first).some(({ state }) => Saga.isUnsettled(state)) &&
        at.every((index) => steps[index]?.compensation !== undefined)
      )
    },
    { arbitrary: { runs: 500 } }
  )
})

const parts = [OpenActions.part, SettledActions.part, UndoPlan.part]
const fold = Fold.make({ parts, sources: { rules: () => undefined } })

const plan: UndoPlan.UndoPlan = {
  because: { args: { reason: "the card was declined" }, code: "cause.asked" },
  cause: "saga",
  masks: [],
  steps: ["a2", "a1"].map((undoes) => ({ params: {}, residue: false, tool: "cancel", undoes }))
}
const decided: Step = [{ type: "recovery.decided", author: "kernel", data: { plan } }]
const reversal = (id: string, undoes: string, status: "ok" | "error" = "ok") => [
  requested(id, { tool: "cancel", undoes }),
  started(id),
  step("action.result", id, ok),
  step("action.reconciled", id, { status, trust: 3 })
]
const before = [...booked("a1"), ...booked("a2"), decided]
const id = `u${before.length}`
const restored: Step = [{ type: "recovery.restored", author: "kernel", data: { plan: id } }]
const openAfter = (...steps: ReadonlyArray<Step>) =>
  UndoPlan.open(Fold.run(fold, State.empty, trace(...before, ...steps)))
const nextOf = (open: UndoPlan.OpenPlan | undefined) => (open === undefined ? undefined : UndoPlan.next(open)?.undoes)

describe("an open plan", () => {
  it("knows after a crash at any point which steps are done, which is under way and which comes next (L14)", () => {
    const steps = [...reversal("a8", "a2"), ...reversal("a9", "a1")]
    const seen = Array.from({ length: steps.length + 1 }, (_, count) => openAfter(...steps.slice(0, count)))
    assert.deepStrictEqual(seen.map(nextOf), ["a2", "a2", "a2", "a2", "a1", "a1", "a1", "a1", undefined])
    assert.deepStrictEqual(
      seen.map((open) => open?.at),
      [undefined, "a8", "a8", "a8", undefined, "a9", "a9", "a9", undefined]
    )
    assert.deepStrictEqual(seen.at(-1)?.done, ["a2", "a1"])
    assert.isUndefined(openAfter(...steps, restored))
  })

  it("goes on with a step whose time is over after all others, and does not begin with such steps alone", () => {
    const open = openAfter()!
    assert.strictEqual(UndoPlan.next(open, (action) => action === "a2")?.undoes, "a1")
    assert.strictEqual(UndoPlan.next({ ...open, done: ["a1"] }, () => true)?.undoes, "a2")
    const late = { ...stepOf("late"), isTooLate: true }
    const verdict = UndoPlan.admit(wanted("a", "late"), { steps: [stepOf("a"), late], open: undefined })
    assert.deepStrictEqual(verdict._tag === "Admitted" && verdict.plan.steps.map(({ undoes }) => undoes), ["a", "late"])
    assert.deepStrictEqual(blocksOf(UndoPlan.admit(wanted("late"), { steps: [late], open: undefined })), [
      "undo.too_late: late"
    ])
  })

  it("refuses a second plan while one is open, and keeps no wish for one (decision 0040)", () => {
    assert.strictEqual(openAfter(decided)?.id, id)
    const verdict = UndoPlan.admit(wanted("a1"), { steps: [stepOf("a1")], open: openAfter() })
    assert.deepStrictEqual(blocksOf(verdict), ["undo.plan_open: "])
  })

  it("stops at a reversal that failed, until a person has decided", () => {
    const failed = reversal("a8", "a2", "error")
    assert.deepInclude(openAfter(...failed), { failed: "a2", failedBy: "a8", status: "running" })
    const stop: Step = [{ type: "recovery.decided", author: "kernel", data: { stops: "a2" } }]
    assert.strictEqual(openAfter(...failed, stop)?.status, "stopped")
    const says = (undo: string): Step => [{ type: "review.decided", author: "user", data: { plan: id, undo } }]
    const again = openAfter(...failed, stop, says("undoing"))
    assert.deepStrictEqual([again?.status, again?.failed, nextOf(again)], ["running", undefined, "a2"])
    assert.isUndefined(openAfter(...failed, stop, says("standing")))
  })

  it("is wanted first if something is in flight, and forgotten when it is called off", () => {
    const wish = (data: object): Step => [{ type: "recovery.decided", author: "kernel", data: { ...data } }]
    const state = (...steps: ReadonlyArray<Step>) => Fold.run(fold, State.empty, trace(...steps))
    assert.deepStrictEqual(UndoPlan.wanted(state(wish({ wanted: wanted("a1") }))), wanted("a1"))
    assert.isUndefined(UndoPlan.wanted(state(wish({ wanted: wanted("a1") }), wish({ unwanted: true }))))
    assert.isUndefined(UndoPlan.wanted(state(wish({ wanted: wanted("a1") }), decided)))
  })
})
