/** Runs one action of a tool through the runtime, and reads its outcome from the ledger. */

import type * as Expectation from "@backstitch/contracts/Expectation"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type * as Outcome from "@backstitch/kernel/Outcome"
import type * as Discrepancy from "@backstitch/reconciliation/Discrepancy"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Report from "@backstitch/runtime/Report"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Proven } from "../tools/Proven.ts"

/** The end of an action, and its entry in the ledger. */
export interface Trial {
  readonly outcome: Outcome.Outcome
  readonly transitions: ReadonlyArray<Transition>
  /** The line that a user may be told. */
  readonly standing: string
  readonly class: string | undefined
  readonly evidence: ReadonlyArray<Discrepancy.ShownDifference>
  readonly decision: string | undefined
}

/** Does one thing in a run of its own. */
export const act = async ({ code, contract }: Proven, params: object): Promise<Trial> => {
  const pack = Result.getOrThrow(
    TaskPack.make({
      pack: "acme.patterns",
      version: "1.0.0",
      state: { world: {}, working: {} },
      tools: { act: contract },
      ...(contract.class === "critical_mutation" ? { approvals: { act: { by: "owner" } } } : {})
    })
  )
  const layer = Coordinator.layer({ secret: crypto.randomUUID() }).pipe(
    Layer.provideMerge(History.layer(Kernel.standard)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(ToolExecutor.layerFrom({ act: code })),
    Layer.provideMerge(TraceStore.layerMemory)
  )
  const work = Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const run = yield* coordinator.begin(Run.make("trial"), { pack, goal: "prove it" })
    const proposal = { tool: "act", params: params as JsonObject }
    const first = yield* run.propose(proposal)
    if (first._tag === "Parked") {
      const data = { by: "grace", review: first.review, role: first.needs[0] ?? "", verdict: "approved" }
      assert.strictEqual((yield* run.propose({ type: "review.decided", author: "user", data }))._tag, "Done")
    }
    const outcome = first._tag === "Parked" ? yield* run.propose(proposal) : first
    const history = yield* History.History
    const transitions = yield* history.transitions(run.run)
    assert.deepInclude(yield* StrictReplay.of(run.run), { divergences: [], misfit: undefined })
    const report = yield* Report.of(run.run)
    return { outcome, transitions, report }
  })
  const { outcome, report, transitions } = await Effect.runPromise(work.pipe(Effect.scoped, Effect.provide(layer)))
  const dataOf = (type: string) => transitions.findLast(({ body }) => body.type === type)?.body.data
  const verified = dataOf("action.verified")
  const evidence = (verified?.["evidence"] ?? []) as unknown
  return {
    outcome,
    transitions,
    standing: report.actions[0]?.standing ?? report.standing,
    class: verified?.["discrepancy"]?.toString(),
    evidence: evidence as ReadonlyArray<Discrepancy.ShownDifference>,
    decision: dataOf("recovery.decided")?.["decision"]?.toString()
  }
}

/**
 * Asserts that an action is held for one known failure, and never reported as done; answers the values of the record.
 * An action with a wrong result in a sandbox has failed, and left the sandbox dirty.
 */
export const isHeldFor = (trial: Trial, indicator: string, name: Expectation.Discrepancy): unknown => {
  const isDirty = trial.decision === "mark_dirty"
  assert.strictEqual(trial.outcome._tag, isDirty ? "Failed" : "Held", JSON.stringify(trial.outcome))
  assert.notInclude(["success", "no_op_success"], trial.standing)
  const reconciled = trial.transitions.filter(({ body }) => body.type === "action.reconciled")
  const settled = reconciled.map(({ body }) => body.result?.status)
  assert.deepStrictEqual(settled, isDirty ? ["error"] : [])
  const found = trial.evidence.find((each) => each.indicator === indicator)
  assert.isDefined(found, `${indicator} is not among ${JSON.stringify(trial.evidence)}`)
  assert.strictEqual(trial.class, name, JSON.stringify(trial.evidence))
  assert.isDefined(trial.decision)
  return found?.shown
}

/** Asserts that an action is reconciled from the system of record, and may be reported as done. */
export const isReconciled = (trial: Trial): void => {
  assert.deepInclude(trial.outcome, { _tag: "Done", basis: "readback" }, JSON.stringify(trial))
  assert.strictEqual(trial.standing, "success")
}

/** Asserts that the system took the request and had not done it when it answered. */
export const wasAccepted = ({ transitions }: Trial): void => {
  const result = transitions.find(({ body }) => body.type === "action.result")
  assert.deepInclude(result?.body.data, { stage: "accepted" })
}
