import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as FailureSignals from "../src/subtask/FailureSignals.ts"

const refused = (step: string): Body => ({
  author: "kernel",
  data: { checks: [{ id: "c", step, why: { args: {}, code: "guard.refuses" } }] },
  type: "intent.refused"
})
const anomaly = (kind: string): Body => ({ author: "kernel", data: { kind }, type: "kernel.anomaly" })
const result = (
  type: "action.result" | "action.verified",
  status: "error" | "ok" | "unknown",
  more: object = {}
): Body => ({
  author: "kernel",
  action: { id: "a1" },
  result: { status, ...more },
  type
})

describe("FailureSignals", () => {
  it.each<readonly [string, Body, string | undefined]>([
    ["a refusal at authorship", refused("authorship"), "contract_violation"],
    ["a refusal at the schema", refused("schema"), "missing_input"],
    ["a refusal at a guard", refused("guard"), "denied"],
    ["a refusal at a budget", refused("budget"), "denied"],
    ["an error of a tool", result("action.result", "error"), "tool_exception"],
    ["an answer that nobody got", result("action.result", "unknown"), "timeout"],
    [
      "an answer that is none of the tool's",
      result("action.result", "unknown", { output: { args: {}, code: "answer.malformed" } }),
      "invalid_output"
    ],
    ["an answer", result("action.result", "ok"), undefined],
    ["a record that contradicts", result("action.verified", "error"), "reconciliation_failed"],
    ["a record that agrees", result("action.verified", "ok"), undefined],
    ["silence", { author: "kernel", data: { via: "silence" }, type: "recovery.decided" }, "timeout"],
    [
      "a predicate",
      { author: "kernel", data: { at: 1, predicate: "p" }, type: "predicate.violation" },
      "contract_violation"
    ],
    ["an author who oversteps", anomaly("author"), "contract_violation"],
    ["a chain that breaks", anomaly("replay.missing_output"), "chain_exception"],
    ["a note of the agent", { author: "agent", type: "observation.add" }, undefined]
  ])("tells the signal of %s", (_, body, signal) => {
    assert.strictEqual(FailureSignals.of(body), signal)
  })
})
