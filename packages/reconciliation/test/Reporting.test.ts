import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionState from "@backstitch/ledger/ActionState"
import type { Body, Outcome, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Discrepancy from "../src/evidence/Discrepancy.ts"
import type * as ReconciliationStatus from "../src/reporting/ReconciliationStatus.ts"
import * as Reporting from "../src/reporting/Reporting.ts"

const request: Body = {
  type: "action.request",
  author: "agent",
  action: { id: "a1", tool: "book", class: "high_risk_external" },
  policy: { decision: "allow", checks: [], version: "v" }
}
const body = (type: Body["type"], result?: Outcome, data?: Body["data"]): Body => ({
  type,
  author: "kernel",
  action: { id: "a1" },
  ...(result === undefined ? {} : { result }),
  ...(data === undefined ? {} : { data })
})
const trace = (...bodies: ReadonlyArray<Body>): ReadonlyArray<Transition> =>
  bodies.map((body, index) => ({ tick: index + 1, body, stamp: { asOf: index }, envelope: { ts: index } }))
const reportOf = (...bodies: ReadonlyArray<Body>) => Reporting.report(ActionHistories.of(trace(...bodies), "a1")!)

const answered = [request, body("action.started"), body("action.result", { status: "ok", output: "B1", trust: 1 })]
const verified = [...answered, body("action.verified", { status: "ok", output: { pnr: "B1" }, trust: 2 })]
const done = [...verified, body("action.reconciled", { status: "ok", basis: "readback", trust: 3 })]

const reversal = (type: Body["type"], result?: Outcome): Body => ({
  ...body(type, result),
  action: { id: "a2", ...(type === "action.request" ? { class: "high_risk_external", undoes: "a1" } : {}) },
  ...(type === "action.request" ? { policy: request.policy! } : {})
})
/** A person lets an effect stand whose reversal was begun, and came to that. */
const letStand = (...bodies: ReadonlyArray<Body>) =>
  reportOf(
    ...done,
    reversal("action.request"),
    reversal("action.started"),
    ...bodies,
    reversal("action.reconciled", { status: "error", basis: "attested", trust: 1 }),
    { ...body("review.decided", undefined, { undo: "standing", plan: "u1" }), author: "user" }
  )

const State = ActionState.State
const Drawn = Schema.Struct({
  state: State,
  trust: Schema.Literals([0, 1, 2, 3, 4]),
  undo: Schema.Literals(["standing", "undoing", "undone", "undo_failed"]),
  discrepancy: Schema.NullOr(Schema.Literals(Discrepancy.classes)),
  verified: Schema.Boolean
})
const historyOf = ({ discrepancy, verified, ...rest }: typeof Drawn.Type): ActionHistory.ActionHistory => {
  const base = ActionHistories.of(trace(...(verified ? done : answered)), "a1")!
  return { ...base, ...rest, ...(discrepancy === null ? {} : { discrepancy }) }
}

describe("Reporting", () => {
  it("calls no effect a success that a reversal may have undone, whoever vouches for it (L8, HS-13)", () => {
    const differs = reversal("action.verified", { status: "mismatch", output: { pnr: "B1" }, trust: 1 })
    assert.strictEqual(
      letStand(reversal("action.result", { status: "ok", output: "B1", trust: 1 }), differs).standing,
      "let_stand"
    )
    assert.strictEqual(letStand(reversal("action.result", { status: "unknown", trust: 0 })).standing, "let_stand")
    // What was refused did nothing, so what was read before still is what is known.
    assert.strictEqual(letStand(reversal("action.result", { status: "error", trust: 1 })).standing, "success")
  })

  it("lets no message of success outrun reconciliation (L8, HS-03, HS-11)", () => {
    const stages = done.map((_, index) => reportOf(...done.slice(0, index + 1)))
    assert.deepStrictEqual(
      stages.map((report) => report.standing),
      ["not_attempted", "attempted", "observed", "verified", "success"]
    )
    assert.deepStrictEqual(
      stages.map((report) => Reporting.isSuccess(report.user)),
      [false, false, false, false, true]
    )
  })

  it.prop(
    "succeeds exactly if the state is reconciled, the belief is level 3, and the effect stands (L8)",
    [Drawn],
    ([drawn]) => {
      const report = Reporting.report(historyOf(drawn))
      const reconciled = drawn.state === "reconciled_success" && drawn.trust >= 3 && drawn.undo === "standing"
      assert.strictEqual(Reporting.isSuccess(report.user), reconciled)
      assert.strictEqual(report.standing === "success", reconciled)
      assert.isAbove(report.planner.may.length, 0)
      return reconciled || report.planner.state === null
    },
    { arbitrary: { runs: 1000 } }
  )

  it("recognises no message of success that was made elsewhere (L8)", () => {
    const real = reportOf(...done).user
    assert.isTrue(Reporting.isSuccess(real))
    assert.isFalse(Reporting.isSuccess({ _tag: "Success", action: "a1" }))
    assert.isFalse(Reporting.isSuccess(Object.create(Object.getPrototypeOf(real))))
    assert.isFalse(Reporting.isSuccess({ ...real }))
    // @ts-expect-error the constructor is private
    const forge = () => new Reporting.Success("a1")
    assert.isFunction(forge)
  })

  it("reports an attested or recorded action as unverified", () => {
    const attested = body("action.reconciled", { status: "ok", basis: "attested", trust: 1 })
    assert.strictEqual(reportOf(...answered, attested).standing, "unverified")
    const recorded = body("action.result", { status: "ok", basis: "recorded", trust: 1 })
    assert.strictEqual(reportOf(request, recorded).standing, "unverified")
  })

  it("reports an abandoned action as given up, not as failed, and an unsent one as not done (L8)", () => {
    const given = { discrepancy: null, state: "abandoned", trust: 1, undo: "standing", verified: false } as const
    const history = historyOf(given)
    const up = Reporting.report(history)
    assert.deepInclude(up.user, { _tag: "Notice", standing: "abandoned" })
    assert.strictEqual(up.standing, "abandoned")
    assert.deepStrictEqual(up.planner.may, ["escalate"])
    const { started: _, ...never } = history
    assert.strictEqual(Reporting.report(never).standing, "not_attempted")
    const other = { ...up, action: "a2", standing: "success" } as const
    assert.deepStrictEqual([Reporting.overall([up]), Reporting.overall([up, other])], ["abandoned", "partial"])
  })

  it("reports an action from the record of another run as recorded, whatever its standing there (L8)", () => {
    const taken = (trust: 1 | 2 | 3) =>
      reportOf(
        ...verified,
        body("action.reconciled", { status: "ok", basis: "recorded", trust }, { unchecked: ["key"] })
      )
    assert.deepStrictEqual(
      ([1, 2, 3] as const).map((trust) => taken(trust).standing),
      ["unverified", "recorded", "recorded"]
    )
    assert.isFalse(Reporting.isSuccess(taken(3).user))
    assert.deepStrictEqual(taken(3).planner.may, ["continue"])
  })

  it("calls a discrepancy neither a success nor a failure while it is being dealt with (HS-14)", () => {
    const differs = [...answered, body("action.verified", { status: "mismatch" }, { discrepancy: "value_mismatch" })]
    assert.deepInclude(reportOf(...differs), { standing: "verified" })
    assert.deepInclude(reportOf(...differs).planner, { discrepancy: "value_mismatch", state: null })
  })

  it("freezes a plan on a wrong target, and escalates a failed compensation", () => {
    const adapt = (more: Partial<typeof Drawn.Type>) =>
      Reporting.report(
        historyOf({ state: "review_required", trust: 1, undo: "standing", discrepancy: null, verified: true, ...more })
      ).planner.may
    assert.deepStrictEqual(adapt({ discrepancy: "wrong_target_modified" }), ["freeze", "open_incident"])
    assert.deepStrictEqual(adapt({ state: "compensation_failed" }), ["escalate"])
    assert.deepStrictEqual(adapt({ undo: "undo_failed" }), ["escalate"])
    assert.deepStrictEqual(adapt({ state: "unknown" }), ["reconcile_first"])
  })

  it("gives the planner verified state alone: no answer of a tool before it was proven", () => {
    assert.isNull(reportOf(...answered).planner.state)
    assert.notInclude(JSON.stringify(reportOf(...answered).planner), "B1")
    assert.deepStrictEqual(reportOf(...done).planner, {
      action: "a1",
      tool: "book",
      may: ["continue"],
      state: { pnr: "B1" },
      discrepancy: null,
      pointer: 5
    })
  })

  it("tells a run by the gravest of its actions, and claims nothing for a run that did nothing (HS-01, HS-04)", () => {
    const other = done.slice(0, 3).map((one) => ({ ...one, action: { ...one.action, id: "a2" } }))
    const reports = Reporting.reportRun(ActionHistories.all(trace(...done, ...other)))
    assert.deepStrictEqual(
      reports.map((report) => report.action),
      ["a1", "a2"]
    )
    assert.strictEqual(Reporting.overall(reports), "observed")
    assert.strictEqual(Reporting.overall(reports.slice(0, 1)), "success")
    assert.strictEqual(Reporting.overall([]), "not_attempted")
  })

  it("tells a run as a success only at its end, and as waiting while a person is asked (L8)", () => {
    const reports = Reporting.reportRun(ActionHistories.all(trace(...done)))
    const told = (isEnded: boolean, isWaiting: boolean) => Reporting.ofRun(reports, { isEnded, isWaiting })
    assert.deepStrictEqual(
      [told(true, false), told(false, false), told(true, true), told(false, true)],
      ["success", "partial", "review_required", "review_required"]
    )
    assert.strictEqual(Reporting.ofRun([], { isEnded: true, isWaiting: false }), "not_attempted")
  })

  it("reports no action that a fork left to its parent, and every one that it inherited as settled", () => {
    const fork: Body = { type: "run.fork", author: "kernel", data: { parent: "trunk" } }
    const reportsOf = (...bodies: ReadonlyArray<Body>) => Reporting.reportRun(ActionHistories.all(trace(...bodies)))
    for (const open of [answered.slice(0, 1), answered.slice(0, 2), answered, verified]) {
      assert.lengthOf(reportsOf(...open), 1)
      assert.deepStrictEqual(reportsOf(...open, fork), [])
    }
    assert.strictEqual(reportsOf(...done, fork)[0]?.standing, "success")
    const { left } = ActionHistories.all(trace(...verified, fork)).get("a1") ?? {}
    assert.deepStrictEqual(left, { run: "trunk", tick: 5, at: 4 })
  })

  it("reports a run as partial if one action failed and another stands, as reversed if that was undone (L8)", () => {
    const as = (id: string, bodies: ReadonlyArray<Body>, undoes?: string) =>
      bodies.map((each) => ({
        ...each,
        action: { ...each.action, id, ...(undoes === undefined || each !== request ? {} : { undoes }) }
      }))
    const failed = [request, body("action.started"), body("action.reconciled", { status: "error", trust: 1 })]
    const told = (...bodies: ReadonlyArray<Body>) => {
      return Reporting.overall(Reporting.reportRun(ActionHistories.all(trace(...bodies))))
    }
    assert.strictEqual(told(...done, ...as("a2", failed)), "partial")
    const reversed = [...done, ...as("a2", failed), ...as("a3", done, "a1")]
    assert.strictEqual(told(...reversed), "compensated")
    assert.strictEqual(told(...as("a2", failed)), "failure")
    // What a reversal left unchecked is told by what it reversed, and is no news of another act.
    const unchecked = done.map((each) =>
      each.type === "action.reconciled"
        ? { ...each, data: { unchecked: ["fees"] }, result: { ...each.result, status: "ok", trust: 2 } as const }
        : each
    )
    assert.strictEqual(told(...done, ...as("a2", failed), ...as("a3", unchecked, "a1")), "compensated_in_part")
    assert.strictEqual(told(...done, ...as("a3", done, "a1")), "compensated")
  })

  it("hides no effect that stands behind an action that was undone, refused, rolled back or never sent (L8)", () => {
    const at = (
      standing: ReconciliationStatus.ReconciliationStatus,
      action: string,
      undoes?: string
    ): Reporting.Report => ({
      ...reportOf(...done),
      action,
      standing,
      ...(undoes === undefined ? {} : { undoes })
    })
    const beside = (standing: ReconciliationStatus.ReconciliationStatus) =>
      Reporting.overall([at(standing, "a1"), at("success", "a2")])
    for (const standing of ["compensated", "compensated_in_part", "compensation_attested"] as const) {
      assert.strictEqual(beside(standing), "reversed_in_part")
      assert.strictEqual(Reporting.overall([at(standing, "a1"), at("success", "a2", "a1")]), standing)
    }
    for (const standing of ["failure", "abandoned", "rolled_back", "absent", "not_attempted"] as const) {
      assert.strictEqual(beside(standing), "partial")
    }
    // A planner that takes something back and does it once more has one reversed and one that stands.
    const taken = (id: string, bodies: ReadonlyArray<Body>) =>
      bodies.map((each) => ({
        ...each,
        action: { ...each.action, id },
        ...(each === request ? { data: { reverses: { action: "a1", whole: true } } } : {})
      }))
    const again = done.map((each) => ({ ...each, action: { ...each.action, id: "a3" } }))
    const told = (...bodies: ReadonlyArray<Body>) =>
      Reporting.overall(Reporting.reportRun(ActionHistories.all(trace(...bodies))))
    assert.strictEqual(told(...done, ...taken("a2", done)), "compensated")
    assert.strictEqual(told(...done, ...taken("a2", done), ...again), "reversed_in_part")
  })

  it("reports an undoing as proven only if its reversal is, whoever called it (L8)", () => {
    const reversed = (trust: 2 | 3, named: Body["action"], data?: Body["data"]) =>
      Reporting.report(
        ActionHistories.of(
          trace(
            ...done,
            ...verified.map((each) => ({
              ...each,
              action: { ...each.action, ...named!, id: "a2" },
              ...(each === request && data !== undefined ? { data } : {})
            })),
            reversal("action.reconciled", { status: "ok", basis: "readback", trust })
          ),
          "a1"
        )!
      ).standing
    const planners = { reverses: { action: "a1", whole: true } }
    for (const trust of [2, 3] as const) {
      const told = trust === 3 ? "compensated" : "compensated_in_part"
      assert.strictEqual(reversed(trust, { id: "a2", undoes: "a1" }), told)
      assert.strictEqual(reversed(trust, { id: "a2" }, planners), told)
    }
  })
})
