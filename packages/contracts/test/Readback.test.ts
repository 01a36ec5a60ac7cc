import { Expression } from "@backstitch/expressions"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Backoff, Condition, type Definition, Issue, Readback, TaskPack, type Webhook } from "../src/index.ts"

const writing: Definition.ToolDefinition = {
  class: "high_risk_external",
  input: { seat: "string" },
  target: "args.seat",
  identity: { scope: "run", fields: ["seat"] },
  times: { sendWithin: "10s", settleAfter: "2m", keyRetention: "24h" },
  undo: "X"
}

const read = (more: Partial<Definition.ToolDefinition>) =>
  TaskPack.make({ pack: "acme.tools", version: "1", tools: { act: { ...writing, ...more } } })

const contractOf = (more: Partial<Definition.ToolDefinition>) => TaskPack.tool(Result.getOrThrow(read(more)), "act")

const issuesOf = (more: Partial<Definition.ToolDefinition>): string => {
  const answer = read(more)
  return Result.isFailure(answer) ? answer.failure.issues.map(Issue.format).join("\n") : ""
}

const full: Definition.Readback = {
  source: "ledger",
  from: "provider_ledger",
  expect: ["actual.seat == args.seat", "actual.tenant == tenant && actual.key == key"],
  within: "30s",
  poll: { first: "100ms", factor: 3, max: "5s" },
  consistency: "token",
  scope: { tenant: "actual.tenant", target: "actual.seat", actor: { shows: "actual.by", expects: "actor" } },
  version: { planned: "args.seat", actual: "actual.version" },
  token: "observed.commit",
  sources: [{ source: "audit", from: "audit_trail", expect: "actual.seen" }, { source: "mirror" }]
}

describe("Readback", () => {
  it("declares the place and the time of a readback, and the subject of its record", () => {
    const { readback } = contractOf({ readback: full })
    assert.deepStrictEqual(readback?.poll, { firstMillis: 100, factor: 3, maxMillis: 5000 })
    assert.deepStrictEqual([readback?.from, readback?.consistency], ["provider_ledger", "token"])
    assert.deepStrictEqual(Object.keys(readback?.scope ?? {}), ["tenant", "target", "actor"])
    assert.isTrue(readback !== undefined && Readback.reads(readback, "actor"))
    const named = contractOf({ readback: { source: "ledger", expect: "actual.by == actor" } }).readback
    assert.isTrue(named !== undefined && Readback.reads(named, "actor"))
    const plain = contractOf({ readback: { source: "ledger", expect: "actual.actor == 'bot'" } }).readback
    assert.isFalse(plain !== undefined && Readback.reads(plain, "actor"))
  })

  it("holds a further source against its own conditions, or against the same ones", () => {
    const { readback } = contractOf({ readback: full })
    const conditions = readback?.sources.map(({ expect, source }) => [source, expect.map(Condition.source)])
    assert.deepStrictEqual(conditions, [
      ["audit", ["actual.seen"]],
      ["mirror", full.expect as ReadonlyArray<string>]
    ])
  })

  it("polls by a schedule of one duration, too", () => {
    const { asking, readback, status } = contractOf({
      readback: { source: "ledger", expect: "true", poll: "2s" },
      status: { by: "key", poll: "1s", within: "1m" }
    })
    assert.deepStrictEqual(readback?.poll, Backoff.every(2000))
    assert.deepStrictEqual([status, asking], ["by_key", { poll: Backoff.every(1000), withinMillis: 60_000 }])
  })

  it("knows the sources that lag behind", () => {
    assert.deepStrictEqual(Readback.origins.filter(Readback.isLagging), ["replica", "cache"])
    assert.isFalse(Readback.isLagging(undefined))
    const { warnings } = Result.getOrThrow(read({ readback: { source: "ledger", from: "replica", expect: "true" } }))
    assert.include(warnings.map(Issue.format).join(), "confirms nothing")
  })

  it.each<readonly [string, Partial<Definition.ToolDefinition>, string]>([
    ["one source twice", { readback: { ...full, sources: [{ source: "ledger" }] } }, "the source ledger twice"],
    [
      "a token that no version reaches",
      { readback: { source: "l", expect: "true", token: "1" } },
      "token without version"
    ],
    ["a token read without a token", { readback: { source: "l", expect: "true", consistency: "token" } }, "as token"],
    [
      "a scope whose owner is not given",
      { readback: { source: "l", expect: "true", scope: { actor: "actual.by" } } },
      "actor without what it has to be"
    ],
    [
      "an origin that nobody knows",
      { readback: { source: "l", expect: "true", from: "gossip" as "cache" } },
      "one of replica"
    ],
    ["waits of nothing", { readback: { source: "l", expect: "true", poll: "0s" } }, "at least 1ms"],
    ["waits that shrink", { status: { by: "key", poll: { first: "1s", factor: 0.5 } } }, "at least 1"],
    [
      "a longest wait below the first",
      { status: { by: "key", poll: { first: "1s", max: "10ms" } } },
      "at least the first wait"
    ],
    ["a status by something else", { status: { by: "name" as "key" } }, 'found string "name", expected key']
  ])("refuses %s", (_, more, says) => {
    assert.include(issuesOf(more), says)
  })

  it("warns that one source alone does not prove a critical mutation", () => {
    const pack = Result.getOrThrow(read({ class: "critical_mutation", readback: { source: "l", expect: "true" } }))
    assert.match(pack.warnings.map(Issue.format).join(), /a critical_mutation without the checks every_source/)
  })
})

describe("Webhook", () => {
  const webhook = {
    secret: "PAYMENTS_SECRET",
    tolerance: "none",
    key: "body.key",
    done: "body.status == 'paid'",
    output: "body.payment"
  }

  const { tolerance: _, ...timeless } = webhook

  it("names the variable of its secret, and declares the meaning of a body", () => {
    const found: Webhook.Webhook | undefined = contractOf({ webhook }).webhook
    assert.deepStrictEqual(found?.secrets, ["PAYMENTS_SECRET"])
    assert.deepStrictEqual(Expression.evaluate(found!.done, { body: { status: "paid" } }), Result.succeed(true))
  })

  it.each<readonly [string, Partial<Definition.ToolDefinition>, string]>([
    ["a secret that is written down", { webhook: { ...webhook, secret: "s3cr3t!" } }, "no name of a variable"],
    ["a list of secrets that are none", { webhook: { ...webhook, secret: [] } }, "no name"],
    ["a tolerance of what has no time", { webhook: { ...webhook, tolerance: "1m" } }, "signs no time"],
    ["github's form without a word of its time", { webhook: { ...timeless, form: "github" } }, "tolerance: none"],
    ["a time without a tolerance", { webhook: { ...webhook, sent: "body.at" } }, "no tolerance of the time that sent"],
    ["no tolerance of a signed time", { webhook: { ...webhook, form: "stripe" } }, "the form stripe signs"],
    [
      "a header of a form that names its own",
      { webhook: { ...timeless, form: "stripe", header: "x" } },
      "names its own"
    ],
    [
      "a second name of a delivery",
      { webhook: { ...timeless, form: "standard_webhooks", id: "body.id" } },
      "is signed"
    ],
    ["a body that cannot be matched", { webhook, identity: "none" }, "a webhook without an identity"]
  ])("refuses %s", (_, more, says) => {
    assert.include(issuesOf(more), says)
  })
})
