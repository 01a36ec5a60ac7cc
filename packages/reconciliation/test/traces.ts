import type * as ActionLedgerEntry from "@backstitch/ledger/ActionLedgerEntry"
import * as Digest from "@backstitch/trace/Digest"
import type { Body, Outcome, Stamp, Transition } from "@backstitch/trace/Transition"

/** A transition before it has its place. */
export type Step = readonly [body: Body, stamp?: Partial<Stamp>]

const requestHash = Digest.ofText("backstitch.request.1", "test")

/** Numbers steps from tick 1, one second apart. */
export const trace = (...steps: ReadonlyArray<Step>): ReadonlyArray<Transition> =>
  steps.map(([body, stamp], index) => ({
    tick: index + 1,
    body,
    stamp: { asOf: 1_000 * (index + 1), ...stamp },
    envelope: { ts: 1_000 * (index + 1) }
  }))

export const requested = (id: string, more: { readonly class?: string; readonly undoes?: string } = {}): Step => [
  {
    type: "action.request",
    author: "agent",
    action: { id, tool: "book", class: "high_risk_external", params: { flight: "LX1" }, ...more },
    policy: { decision: "allow", checks: [], version: "acme.travel@1.0.0" }
  }
]

export const started = (id: string): Step => [
  { type: "action.started", author: "kernel", action: { id, requestHash, target: "seat/LX1" } },
  { key: `key-${id}` }
]

export const step = (type: Body["type"], id: string, result?: Outcome, data?: Body["data"]): Step => [
  {
    type,
    author: "kernel",
    action: { id },
    ...(result === undefined ? {} : { result }),
    ...(data === undefined ? {} : { data })
  }
]

export const said = (action: string, standing: string): Step => [
  { type: "message.sent", author: "agent", data: { reports: [{ action, standing }] } }
]

export const answered = (id: string): ReadonlyArray<Step> => [
  requested(id),
  started(id),
  step("action.result", id, { status: "ok", output: "B1", trust: 1 })
]

export const settled = (id: string): ReadonlyArray<Step> => [
  step("action.verified", id, { status: "ok", output: "B1", trust: 2 }),
  step("action.reconciled", id, { status: "ok", basis: "readback", trust: 3 })
]

/** The run of these traces, without a pack. */
export const context: ActionLedgerEntry.Context = {
  run: "trip-1",
  tenant: "acme",
  termsAt: () => ({ pack: undefined })
}
