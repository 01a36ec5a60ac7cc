import type { Evidence } from "@backstitch/kernel/Evidence"
import * as Payload from "@backstitch/kernel/Payload"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as RecordedEvidence from "../src/replay/RecordedEvidence.ts"

const body = (result: Body["result"], data: Body["data"] = {}): Body => ({
  author: "kernel",
  data,
  ...(result === undefined ? {} : { result }),
  type: "action.verified"
})

describe("RecordedEvidence", () => {
  it.each<readonly [string, Body, Evidence | undefined]>([
    ["a record", body({ status: "ok", output: 1 }), { _tag: "Ok", output: 1 }],
    [
      "a record from a replica",
      body({ status: "unknown", output: 1 }, { read: "ok", from: "replica" }),
      { _tag: "Ok", output: 1, from: "replica" }
    ],
    ["nothing", body({ status: "mismatch", output: null }, { read: "not_found" }), { _tag: "NotFound" }],
    ["work under way", body({ status: "unknown" }, { read: "pending" }), { _tag: "Pending" }],
    ["a refusal", body({ status: "unknown" }, { read: "error", reason: "no" }), { _tag: "Error", error: "no" }],
    ["silence", body({ status: "unknown" }, { read: "unknown", reason: "cut" }), { _tag: "Unknown", reason: "cut" }],
    ["what was decided without reading", body({ status: "mismatch" }), undefined]
  ])("reads %s back as it was read", (_, given, evidence) => {
    assert.deepStrictEqual(RecordedEvidence.read(given), evidence)
  })

  it("reads the answers of a tool", () => {
    assert.deepStrictEqual(RecordedEvidence.answered(body({ status: "error", output: "full" })), {
      _tag: "Error",
      error: "full"
    })
  })

  it("reads the records of further sources", () => {
    const sources = [
      { source: "bank", read: "ok", output: { paid: true }, from: "cache" },
      { source: "audit", read: "unknown", reason: "down" }
    ]
    const given = body({ status: "unknown" }, { sources })
    assert.isUndefined(Payload.misfit(given))
    assert.deepStrictEqual(RecordedEvidence.others(given), [
      { source: "bank", evidence: { _tag: "Ok", output: { paid: true }, from: "cache" } },
      { source: "audit", evidence: { _tag: "Unknown", reason: "down" } }
    ])
  })
})
