import * as ActionHistory from "@backstitch/ledger/ActionHistory"
import * as ActionState from "@backstitch/ledger/ActionState"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Body, Draft } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as BudgetUse from "../src/BudgetUse.ts"
import * as Commit from "../src/Commit.ts"
import type { Evidence } from "../src/Evidence.ts"
import * as Moves from "../src/Moves.ts"
import { Bench, ok } from "./lab.ts"

const id = "a7"

const saying = (body: Omit<Body, "author">): Draft => ({
  body: { author: "kernel", ...body },
  stamp: { asOf: 1 },
  envelope: { ts: 1 }
})

const naming = (state: ActionState.State, more: JsonObject = {}): Draft =>
  saying({ action: { id }, data: { ...more, state }, type: "recovery.decided" })

const requested = saying({ action: { class: "high_risk_external", id, tool: "book" }, type: "action.request" })

/** How the kernel and an operator lead an action to a state. */
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

const historyOf = (bench: Bench) => ActionHistory.of(bench.transitions, id)!

const State = Schema.Literals(ActionState.states)

describe("Moves", () => {
  it("refuses every move outside of the table, and puts it on record: the action stays where it was", () => {
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
        assert.deepInclude(data, { from, kind: Moves.kind, to, tool: "book" })
        assert.strictEqual(action?.id, id)
        assert.strictEqual(Anomalies.first(bench.state, Moves.kind), anomalies[0]!.tick)
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

  it("holds a late answer against the settlement: what agrees is no anomaly, what contradicts is", () => {
    const failure: Evidence = { _tag: "Error", error: "sold out" }
    const accepted: Evidence = { _tag: "Accepted", output: { job: "J1" } }
    const silent: ReadonlyArray<Evidence> = [{ _tag: "NotFound" }, { _tag: "Unknown", reason: "nobody answered" }]
    const lateOn = (state: ActionState.State, status: "ok" | "error", evidence: Evidence) => {
      const bench = new Bench()
      commit(bench, [
        ...pathTo(state),
        saying({ action: { id }, data: { state }, result: { status }, type: "action.reconciled" })
      ])
      return Moves.late(historyOf(bench), { evidence, via: "call", now: 5 })?.body.data
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
    assert.isUndefined(Moves.late(historyOf(begun()), { evidence: failure, via: "call", now: 5 }))
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
    return Moves.late(about, { evidence, via: "status", now: 1 })
  }
  const refused: Evidence = { _tag: "Error", error: "sold out" }

  it("says nothing of what is not settled, whatever it claims", () => {
    for (const state of ActionState.states) {
      for (const evidence of [refused, ok({}), { _tag: "Pending" }, { _tag: "Accepted", output: {} }] as const) {
        assert.isUndefined(late(state, undefined, evidence))
      }
    }
  })

  it("agrees with a failure, and with what was rolled back, where it is a refusal", () => {
    for (const state of ["failed", "rolled_back"] as const) assert.isUndefined(late(state, settled, refused))
    const contradicted = late("failed", settled, ok({}))
    assert.deepInclude(contradicted?.body.data, { from: "failed", kind: Moves.kind, to: "committed" })
  })
})
