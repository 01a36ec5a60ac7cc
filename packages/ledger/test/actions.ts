import * as Digest from "@backstitch/trace/Digest"
import type { Body, Outcome, Stamp, Transition } from "@backstitch/trace/Transition"
import type * as Saga from "../src/plan/Saga.ts"

/** A transition before it has its place. */
export type Step = readonly [body: Body, stamp?: Partial<Stamp>]

export const requestHash = Digest.ofText("backstitch.request.1", "test")

/** Numbers steps from tick 1, one second apart. */
export const trace = (...steps: ReadonlyArray<Step>): ReadonlyArray<Transition> =>
  steps.map(([body, stamp], index) => ({
    tick: index + 1,
    body,
    stamp: { asOf: 1_000 * (index + 1), ...stamp },
    envelope: { ts: 1_000 * (index + 1) }
  }))

export const requested = (
  id: string,
  more: { readonly tool?: string; readonly class?: string; readonly undoes?: string; readonly decision?: "deny" } = {}
): Step => {
  const { decision = "allow", tool = "book", ...rest } = more
  return [
    {
      type: "action.request",
      author: "agent",
      action: { id, tool, class: "high_risk_external", params: { flight: "LX1" }, ...rest },
      policy: { decision, checks: [], version: "acme.travel@1.0.0" }
    }
  ]
}

export const started = (id: string, key = `key-${id}`): Step => [
  { type: "action.started", author: "kernel", action: { id, requestHash, target: "seat/LX1" } },
  { key }
]

export const step = (type: Body["type"], id: string, result?: Outcome, data?: Body["data"]): Step => [
  {
    type,
    author: type === "review.decided" ? "user" : "kernel",
    action: { id },
    ...(result === undefined ? {} : { result }),
    ...(data === undefined ? {} : { data })
  }
]

export const ok: Outcome = { status: "ok", output: "B1", trust: 1 }

/** A mutation that went well, read back. */
export const booked = (id: string): ReadonlyArray<Step> => [
  requested(id),
  started(id),
  step("action.result", id, ok),
  step("action.verified", id, { status: "ok", output: "B1", trust: 2 }),
  step("action.reconciled", id, { status: "ok", basis: "readback", trust: 3 })
]

/** A step of a saga that is done and has a compensation. */
export const stepOf = (action: string, more: Partial<Saga.SagaStep> = {}): Saga.SagaStep => ({
  action,
  state: "reconciled_success",
  reversibility: "K",
  repeatable: true,
  compensation: { tool: "cancel", params: { action } },
  ...more
})
