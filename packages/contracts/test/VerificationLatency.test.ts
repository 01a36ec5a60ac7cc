import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Definition, Issue, TaskPack, ToolContract, VerificationLatency } from "../src/index.ts"

const packOf = (tool: Definition.ToolDefinition) =>
  Result.getOrThrow(TaskPack.make({ pack: "acme.tools", version: "1", tools: { act: tool } }))

const toolOf = (
  sideEffect: ToolContract.SideEffect,
  readback: Partial<Definition.Readback> = {}
): Definition.ToolDefinition => ({
  class: sideEffect,
  input: { seat: "string" },
  ...(sideEffect === "read_only" ? {} : { target: "args.seat", identity: { scope: "run", fields: ["seat"] } }),
  readback: { source: "record", expect: "actual.seat == args.seat", ...readback }
})

const scheduleOf = (tool: Definition.ToolDefinition) => VerificationLatency.schedule(TaskPack.tool(packOf(tool), "act"))

const said = (tool: Definition.ToolDefinition) =>
  packOf(tool)
    .warnings.map(Issue.format)
    .filter((each) => each.includes("whose proof is"))

describe("VerificationLatency", () => {
  it("waits for nothing if the caller waits, and longer the more is at stake", () => {
    const within = ToolContract.sideEffects.map((each) => scheduleOf(toolOf(each)).withinMillis)
    assert.deepStrictEqual(within, [0, 0, 5000, 5000, 60_000, 60_000])
    for (const { poll, withinMillis } of Object.values(VerificationLatency.schedules)) {
      assert.isAtMost(poll.firstMillis, poll.maxMillis)
      assert.isTrue(withinMillis === 0 || poll.maxMillis < withinMillis)
    }
  })

  it("lets a contract come first, and a wait of nothing be one", () => {
    const { poll, withinMillis } = scheduleOf(toolOf("critical_mutation", { within: "0s", poll: "2s" }))
    assert.deepStrictEqual([withinMillis, poll.firstMillis], [0, 2000])
  })

  it.each<readonly [string, Definition.ToolDefinition, RegExp]>([
    ["a read that is polled every minute", toolOf("read_only", { poll: "1m" }), /act\.readback\.poll: found 60 s/],
    ["a read that may take an hour", toolOf("read_only", { within: "1h" }), /act\.readback\.within: found 3600 s/],
    ["a moderate write that may take a day", toolOf("medium_risk_write", { within: "24h" }), /found 86400 s/],
    [
      "a write in a sandbox that a provider tells of",
      { ...toolOf("ephemeral_write"), webhook: { secret: "S", tolerance: "none", key: "body.key", done: "body.done" } },
      /act\.webhook: found a webhook/
    ],
    [
      "a low write that is asked about for a day",
      { ...toolOf("low_risk_internal"), status: { by: "key", within: "24h" } },
      /act\.status\.within: found 86400 s/
    ]
  ])("warns about %s", (_, tool, pattern) => {
    assert.match(said(tool).join("\n"), pattern)
  })

  it("finds nothing wrong with a proof that comes late if that is tolerated, or early if it is not asked", () => {
    assert.deepStrictEqual(said(toolOf("high_risk_external", { within: "72h", poll: "1h" })), [])
    assert.deepStrictEqual(said(toolOf("critical_mutation", { within: "1s" })), [])
    assert.deepStrictEqual(said(toolOf("low_risk_internal", { within: "1m" })), [])
    assert.deepStrictEqual(VerificationLatency.contradictions(ToolContract.unknown("x")), [])
  })
})
