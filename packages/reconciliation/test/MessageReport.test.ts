import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import type { Json } from "@backstitch/trace/Canonical"
import type { Body, Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as MessageReport from "../src/reporting/MessageReport.ts"

const claimsOf = (reports: Json) => MessageReport.claims({ reports })

const request = (id: string, sideEffect: string): Body => ({
  type: "action.request",
  author: "agent",
  action: { id, tool: "act", class: sideEffect },
  policy: { decision: "allow", checks: [], version: "v" }
})
const of = (type: Body["type"], id: string, result: Body["result"]): Body => ({
  type,
  author: "kernel",
  action: { id },
  ...(result === undefined ? {} : { result })
})
const histories = (...bodies: ReadonlyArray<Body>) =>
  ActionHistories.all(
    bodies.map((body, index): Transition => ({ tick: index + 1, body, stamp: { asOf: 1 }, envelope: { ts: 1 } }))
  )

describe("MessageReport", () => {
  it("reads a name as told as a success, and a standing as it is said", () => {
    assert.deepStrictEqual(claimsOf(["a1", { action: "a2", standing: "pending" }, { action: "a3" }]), [
      { action: "a1", standing: "success" },
      { action: "a2", standing: "pending" },
      { action: "a3", standing: "success" }
    ])
    assert.deepStrictEqual(claimsOf([]), [])
  })

  it("reads nothing if it is not said, or if a part of it is no claim", () => {
    assert.isUndefined(MessageReport.claims({}))
    for (const reports of ["a1", null, [7], [null], ["a1", { action: 7 }], [{ action: "a1", standing: "toString" }]]) {
      assert.isUndefined(claimsOf(reports), JSON.stringify(reports))
    }
  })

  it("reports the standing of each named action, and of a read whether it was answered", () => {
    const known = histories(
      request("a1", "high_risk_external"),
      of("action.started", "a1", undefined),
      request("a3", "read_only"),
      of("action.result", "a3", { status: "ok", output: 1, trust: 1 }),
      request("a5", "read_only"),
      of("action.result", "a5", { status: "error", output: "no", trust: 1 })
    )
    const standings = MessageReport.standings(known, { reports: ["a1", "a3", "a5", "a9"] })
    assert.deepStrictEqual([standings["a1"], standings["a3"]], ["attempted", "success"])
    assert.notStrictEqual(standings["a5"], "success")
    assert.isUndefined(standings["a9"])
  })
})
