import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as PredicateDiffGate from "../src/gates/PredicateDiffGate.ts"
import * as ToolVerification from "../src/gates/ToolVerification.ts"

type Tool = NonNullable<Definition["tools"]>[string]

const pay = {
  class: "high_risk_external",
  idempotency: "idempotent_write",
  input: { to: "string", amount: "int" },
  target: "'account/' + args.to",
  identity: { scope: "goal", fields: [{ to: "exact" }] },
  times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
  status: "by_key",
  readback: {
    source: "bank",
    expect: ["actual.amount == args.amount"],
    within: "2s",
    scope: { tenant: "actual.tenant" },
    sources: [{ source: "audit", expect: "actual.amount == args.amount" }]
  },
  webhook: { secret: "BANK", tolerance: "none", key: "body.key", done: "body.done" },
  undo: "X"
} as const satisfies Tool

const packOf = (tool: Tool) =>
  Result.getOrThrow(TaskPack.make({ pack: "acme.bank", version: "1.0.0", tools: { pay: tool } }))

const changes = (tool: Tool) =>
  PredicateDiffGate.changes(packOf(pay), packOf(tool), new Map()).flatMap(({ added, removed, source }) => [
    ...removed.map((rule) => `- ${rule}`),
    ...added.map((rule) => `+ ${rule}`),
    ...(source === null ? [] : [source.join(" to ")])
  ])

const { readback } = pay

const weaker: ReadonlyArray<readonly [what: string, tool: Tool, changes: ReadonlyArray<string>]> = [
  [
    "a lower class",
    { ...pay, class: "low_risk_internal" },
    ["- class: high_risk_external", "+ class: low_risk_internal"]
  ],
  [
    "one target for everybody",
    { ...pay, target: "'account'" },
    ["- target: 'account/' + args.to", "+ target: 'account'"]
  ],
  ["a read from a replica", { ...pay, readback: { ...readback, from: "replica" } }, ["+ from: replica"]],
  [
    "a source that is not asked",
    { ...pay, readback: { ...readback, sources: [] } },
    ["- source audit: actual.amount == args.amount"]
  ],
  ["a scope that is not compared", { ...pay, readback: { ...readback, scope: {} } }, ["- scope.tenant: actual.tenant"]],
  ["a check that is waived", { ...pay, waives: { delivery: "none" } }, ["+ waives.delivery: yes"]],
  [
    "a question that is asked for longer",
    { ...pay, status: { by: "key", within: "9s" } },
    ["+ asking.withinMillis: 9000"]
  ],
  [
    "a not found that is believed at once",
    { ...pay, times: { ...pay.times, settleAfter: "0ms" } },
    ["- times.settleAfterMillis: 1000", "+ times.settleAfterMillis: 0"]
  ],
  [
    "a provider that is always done",
    { ...pay, webhook: { ...pay.webhook, done: "true" } },
    ["- webhook.done: body.done", "+ webhook.done: true"]
  ],
  ["what is done already counts", { ...pay, readback: { ...readback, before: "permit" } }, ["+ before: permit"]],
  [
    "another system of record",
    { ...pay, readback: { ...readback, source: "cache" } },
    ["bank (strong) to cache (strong)"]
  ]
]

describe("ToolVerification", () => {
  it.each(weaker)("shows %s to a reviewer, although no predicate has changed", (_, tool, expected) => {
    assert.deepStrictEqual(changes(tool), expected)
  })

  it("shows nothing if the change of a contract affects no verification", () => {
    assert.deepStrictEqual(changes({ ...pay, description: "Pays", cost: 5 }), [])
    assert.deepStrictEqual(ToolVerification.of(undefined), { rules: [], source: "none" })
  })
})
