import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as ActionState from "@backstitch/ledger/ActionState"
import * as FoldedActions from "@backstitch/ledger/FoldedActions"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as UsedKeys from "@backstitch/ledger/UsedKeys"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import type { Body, Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import * as Commit from "../src/decision/Commit.ts"
import type { Evidence } from "../src/decision/Evidence.ts"
import * as InvalidMove from "../src/decision/InvalidMove.ts"
import * as Payload from "../src/payload/Payload.ts"
import { Bench, ok } from "./lab.ts"

const id = "a7"
const requestHash = Digest.ofText("backstitch.request.1", "test")

const saying = (body: Omit<Body, "author">): Draft => ({
  body: { author: "kernel", ...body },
  stamp: { asOf: 1 },
  envelope: { ts: 1 }
})

const naming = (state: ActionState.State, more: JsonObject = {}): Draft =>
  saying({ action: { id }, data: { ...more, state }, type: "recovery.decided" })

const requested = saying({ action: { class: "high_risk_external", id, tool: "book" }, type: "action.request" })

/** The drafts by which the kernel and an operator lead an action to a state. */
const pathTo = (to: ActionState.State): ReadonlyArray<Draft> => {
  const paths = new Map<ActionState.State, ReadonlyArray<Draft>>([["proposed", [requested]]])
  for (const [from, path] of paths) {
    for (const next of ActionState.states) {
      const by = ActionState.edge(from, next)?.by
      if (by === undefined || by === "retry_policy" || paths.has(next)) continue
      const decided = saying({ action: { id }, data: { action: id, state: next }, type: "review.decided" })
      paths.set(next, [...path, by === "operator" ? decided : naming(next)])
    }
  }
  return paths.get(to) ?? assert.fail(`nothing leads to ${to}`)
}

/** Commits drafts on a bench, as a run does: what is not permitted is reported beside it. */
const commit = (bench: Bench, drafts: ReadonlyArray<Draft>) => {
  const made = Commit.assemble(bench.fold, { run: bench.run, at: bench.at, drafts })
  bench.at = made.position
  bench.transitions.push(...made.transitions)
  return made.transitions.filter(({ body }) => body.type === "kernel.anomaly")
}

const historyOf = (bench: Bench) => ActionHistories.of(bench.transitions, id)!

const State = Schema.Literals(ActionState.states)

describe("InvalidMove", () => {
  it("refuses every move outside of the table, and puts it on record: the action stays if it was", () => {
    let refused = 0
    for (const from of ActionState.states) {
      for (const to of ActionState.states) {
        const bench = new Bench()
        assert.deepStrictEqual(commit(bench, pathTo(from)), [], from)
        assert.strictEqual(historyOf(bench).state, from)
        const anomalies = commit(bench, [naming(to)])
        if (Result.isSuccess(ActionState.advance(from, to))) {
          assert.deepStrictEqual([anomalies.length, historyOf(bench).state], [0, to], `${from} to ${to}`)
          continue
        }
        refused++
        assert.strictEqual(historyOf(bench).state, from, `${from} to ${to}`)
        assert.lengthOf(anomalies, 1)
        const { action, data } = anomalies[0]!.body
        assert.deepInclude(data, { from, kind: InvalidMove.kind, to })
        assert.strictEqual(action?.id, id)
        assert.strictEqual(Anomalies.first(bench.state, InvalidMove.kind), anomalies[0]!.tick)
        assert.lengthOf(historyOf(bench).refused, 1)
      }
    }
    assert.isAbove(refused, 240)
  })

  it("names the transition that claimed it, and counts it against the budget of anomalies", () => {
    const bench = new Bench()
    commit(bench, pathTo("reconciled_success"))
    const forged = saying({
      action: { id },
      result: { output: { id: "B9" }, status: "ok", trust: 1 },
      type: "action.result"
    })
    const [anomaly] = commit(bench, [forged])
    const { tick } = bench.transitions.findLast(({ body }) => body.type === "action.result")!
    assert.strictEqual(anomaly?.body.data?.["at"], tick)
    assert.strictEqual(BudgetUse.of(bench.state).anomalies, 1)
  })

  it("puts every fact about an action that was never requested on record, beside it, and folds none of it", () => {
    const nobody = "a999"
    const facts: ReadonlyArray<Omit<Body, "author">> = [
      { action: { id: nobody }, type: "action.asked" },
      { action: { id: nobody }, result: { output: {}, status: "ok" }, type: "action.result" },
      { action: { id: nobody, target: "seat/LX1", requestHash }, type: "action.started" },
      { action: { id: nobody }, result: { status: "ok", trust: 3 }, type: "action.verified" },
      { action: { id: nobody }, result: { status: "ok", trust: 3 }, type: "action.reconciled" },
      { action: { id: nobody }, data: { state: "forward_recovery" }, type: "recovery.decided" },
      { action: { id: nobody }, data: {}, type: "recovery.decided" },
      { action: { id: nobody }, data: { review: "v1" }, type: "review.requested" },
      { action: { id: nobody }, data: { state: "failed" }, type: "review.decided" },
      { action: { id: nobody }, type: "intent.dropped" }
    ]
    for (const fact of facts) {
      const bench = new Bench()
      const draft = saying(fact)
      const anomalies = commit(bench, [{ ...draft, stamp: { ...draft.stamp, key: "bs_1" } }])
      assert.lengthOf(anomalies, 1, fact.type)
      const at = bench.transitions.find(({ body }) => body.type === fact.type)!.tick
      assert.deepInclude(anomalies[0]!.body, {
        action: { id: nobody },
        data: { at, kind: InvalidMove.unrequested }
      })
      assert.isUndefined(FoldedActions.of(bench.state).get(nobody), fact.type)
      assert.isUndefined(UsedKeys.find(bench.state, "bs_1"), fact.type)
      assert.isUndefined(Payload.malformed(anomalies[0]!.body))
    }
  })

  it("refuses to request an action again, whether it is open or over, and leaves it as it was", () => {
    const again = saying({ action: { class: "read_only", id, tool: "search" }, type: "action.request" })
    const denied = saying({ ...again.body, policy: { checks: [], decision: "deny", version: "v1" } })
    const done = saying({ action: { id }, result: { status: "ok" }, type: "action.reconciled" })
    const read = saying({ action: { class: "read_only", id, tool: "book" }, type: "action.request" })
    const answered = saying({ action: { id }, result: { output: {}, status: "ok" }, type: "action.result" })
    const failed = saying({ action: { id }, result: { status: "error" }, type: "action.reconciled" })
    const ridden = saying({ action: { class: "high_risk_external", id, tool: "ride" }, type: "action.request" })
    const started = saying({ action: { id }, type: "action.started" })
    const booked = { output: {}, status: "ok" } as const
    const pending = saying({ action: { id }, result: booked, type: "action.result" })
    const begun: ReadonlyArray<readonly [ActionState.State, ReadonlyArray<Draft>]> = [
      ["proposed", [requested]],
      ["executing", pathTo("executing")],
      ["failed", [...pathTo("executing"), failed]],
      ["reconciled_success", [ridden, started, pending, done]],
      ["committed", [read, answered]]
    ]
    for (const [from, drafts] of begun) {
      for (const repeated of [again, denied]) {
        const bench = new Bench()
        assert.deepStrictEqual(commit(bench, drafts), [], from)
        const [open, known] = [OpenActions.of(bench.state)[id], FoldedActions.of(bench.state).get(id)]
        const anomalies = commit(bench, [repeated])
        assert.deepInclude(anomalies[0]?.body.data, { from, kind: InvalidMove.kind, to: "proposed" })
        assert.lengthOf(anomalies, 1)
        assert.deepStrictEqual(OpenActions.of(bench.state)[id], open)
        assert.deepStrictEqual(FoldedActions.of(bench.state).get(id), known)
        assert.strictEqual(historyOf(bench).state, from)
      }
    }
  })

  it("lets no answer claim a move that only a settlement can make: the action keeps its state", () => {
    for (const state of ActionState.states) {
      if (state === "forward_recovery") continue
      for (const from of ["executing", "pending", "committed"] as const) {
        if (state === from) continue
        const bench = new Bench()
        commit(bench, pathTo(from))
        const answer = saying({ action: { id }, data: { state }, result: { status: "ok" }, type: "action.result" })
        const anomalies = commit(bench, [answer])
        assert.deepInclude(anomalies[0]?.body.data, { from, kind: InvalidMove.kind, to: state }, `${from} to ${state}`)
        assert.strictEqual(OpenActions.of(bench.state)[id]?.state, from)
      }
    }
  })

  it("answers a read once: any later claim about it is an anomaly", () => {
    const bench = new Bench()
    const read = saying({ action: { class: "read_only", id, tool: "search" }, type: "action.request" })
    const answer = saying({ action: { id }, result: { output: {}, status: "ok" }, type: "action.result" })
    assert.deepStrictEqual(commit(bench, [read, answer]), [])
    const later = saying({ action: { id }, result: { output: {}, status: "error" }, type: "action.result" })
    assert.deepInclude(commit(bench, [later])[0]?.body.data, {
      from: "committed",
      kind: InvalidMove.kind,
      to: "failed"
    })
  })

  it.prop(
    "follows any sequence of claims without a fault, and ends where the table leads",
    [Schema.Array(State)],
    ([claims]) => {
      const bench = new Bench()
      commit(bench, [requested])
      let at: ActionState.State = "proposed"
      for (const to of claims.slice(0, 12)) {
        const isLegal = Result.isSuccess(ActionState.advance(at, to))
        assert.lengthOf(commit(bench, [naming(to)]), isLegal ? 0 : 1)
        if (isLegal) at = to
      }
      assert.strictEqual(historyOf(bench).state, at)
    }
  )

  it("compares a late answer with the settlement: agreement is no anomaly, contradiction is one", () => {
    const failure: Evidence = { _tag: "Error", error: "sold out" }
    const accepted: Evidence = { _tag: "Accepted", output: { job: "J1" } }
    const silent: ReadonlyArray<Evidence> = [{ _tag: "NotFound" }, { _tag: "Unknown", reason: "nobody answered" }]
    const lateOn = (state: ActionState.State, status: "ok" | "error", evidence: Evidence) => {
      const bench = new Bench()
      commit(bench, [
        ...pathTo(state),
        saying({ action: { id }, data: { state }, result: { status }, type: "action.reconciled" })
      ])
      return InvalidMove.late(historyOf(bench), { evidence, via: "call", now: 5 })?.body.data
    }
    assert.isUndefined(lateOn("reconciled_success", "ok", ok({ id: "B1" })))
    assert.isUndefined(lateOn("reconciled_success", "ok", accepted))
    assert.isUndefined(lateOn("failed", "error", failure))
    for (const nothing of silent) assert.isUndefined(lateOn("failed", "error", nothing))
    assert.deepInclude(lateOn("reconciled_success", "ok", failure), { from: "reconciled_success", to: "failed" })
    assert.deepInclude(lateOn("failed", "error", ok({ id: "B1" })), {
      evidence: { output: { id: "B1" }, read: "ok", via: "call" },
      from: "failed",
      to: "committed"
    })
    assert.deepInclude(lateOn("rolled_back", "error", accepted), { from: "rolled_back", to: "accepted" })
    assert.isUndefined(InvalidMove.late(historyOf(begun()), { evidence: failure, via: "call", now: 5 }))
  })

  const begun = () => {
    const bench = new Bench()
    commit(bench, pathTo("executing"))
    return bench
  }
})

describe("an answer that comes late", () => {
  const settled = { tick: 9, at: 1, outcome: { status: "error", basis: "readback", trust: 3 } } as const
  const late = (state: ActionState.State, reconciled: typeof settled | undefined, evidence: Evidence) => {
    const bench = new Bench()
    commit(bench, [requested])
    const { reconciled: _, ...history } = historyOf(bench)
    const about = { ...history, state, ...(reconciled === undefined ? {} : { reconciled }) }
    return InvalidMove.late(about, { evidence, via: "status", now: 1 })
  }
  const refused: Evidence = { _tag: "Error", error: "sold out" }

  it("has no verdict on an unsettled action, whatever an answer claims", () => {
    for (const state of ActionState.states) {
      for (const evidence of [refused, ok({}), { _tag: "Pending" }, { _tag: "Accepted", output: {} }] as const) {
        assert.isUndefined(late(state, undefined, evidence))
      }
    }
  })

  it("agrees with a failure, and with a rollback, if it is a refusal", () => {
    for (const state of ["failed", "rolled_back"] as const) assert.isUndefined(late(state, settled, refused))
    const contradicted = late("failed", settled, ok({}))
    assert.deepInclude(contradicted?.body.data, { from: "failed", kind: InvalidMove.kind, to: "committed" })
  })
})
