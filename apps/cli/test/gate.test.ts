import { readFileSync, writeFileSync } from "node:fs"
import * as ActionLedgerSchema from "@backstitch/ledger/ActionLedgerSchema"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const history = ".backstitch/trace.db"
const canary = ["--canary-tenant", "pilot", "--actions-min", "3"]

/** Two runs of everybody else, and one of the tenant that tries things first. */
beforeAll(async () => {
  for (const [run, tenant] of [
    ["one", "default"],
    ["two", "default"],
    ["three", "pilot"]
  ] as const) {
    const env = { SHOP: shell.path(`${run}.json`) }
    const store = run === "two" ? ["--store", "other.db"] : []
    await shell.run(["run", run, "--agent", fixture("agent.ts"), "--tenant", tenant, ...store], env)
  }
}, 240_000)

interface Gate {
  readonly gate: string
  readonly passed: boolean
  readonly examined: number
  readonly against: ReadonlyArray<string>
}

const gates = async (...args: ReadonlyArray<string>) => {
  const { code, out } = await shell.run(["gate", "--against", history, ...canary, ...args, "--json"])
  const { gates, promoted } = JSON.parse(out)
  return { code, promoted, gates: gates as ReadonlyArray<Gate>, failed: failed(gates) }
}

const failed = (gates: ReadonlyArray<Gate>) => gates.flatMap(({ gate, passed }) => (passed ? [] : [gate]))

describe("backstitch gate", () => {
  it("promotes the pack in force, and prints the input of each of the eight gates", async () => {
    const { code, out } = await shell.run(["gate", "--against", history, ...canary])
    assert.strictEqual(code, 0, out)
    assert.match(out, /passed {3}trace_replay +\d+ pieces of evidence of 1 runs were judged again/)
    assert.match(out, /passed {3}failure_injection +6 failures were injected into 1 tools: order/)
    assert.include(out, "PROMOTE: gates=8 | passed=8 | refused=0")
    const { gates: found, promoted } = await gates()
    assert.isTrue(promoted)
    assert.isTrue(found.every(({ examined }) => examined > 0))
  })

  it("refuses a predicate that was weakened to true", async () => {
    const weak = readFileSync(fixture("pack.yaml"), "utf8").replace('["actual.price == args.price"]', '["true"]')
    writeFileSync(shell.path("weak.yaml"), weak)
    const { code, failed, gates: found } = await gates("--pack", "weak.yaml", "--reviewed", "order")
    assert.strictEqual(code, 1)
    assert.includeMembers([...failed], ["failure_injection", "canary"])
    const injection = found.find(({ gate }) => gate === "failure_injection")
    assert.match(injection?.against.join() ?? "", /partial_commit of order \(one\/a\d+\) was taken for success/)
    assert.include((await gates("--pack", "weak.yaml")).failed, "predicate_diff")
  })

  it("refuses a table with a blind retry, and a schema that has lost a field", async () => {
    const sections = JSON.parse(JSON.stringify(RecoveryTable.sections))
    sections.pending_timeout.at(-1).action = "retry_same_key"
    writeFileSync(shell.path("table.json"), JSON.stringify(sections))
    const table = await gates("--table", "table.json")
    assert.deepStrictEqual([table.code, table.failed], [1, ["unknown_state"]])
    const { recovery: _, ...properties } = ActionLedgerSchema.schema.properties
    writeFileSync(shell.path("schema.json"), JSON.stringify({ ...ActionLedgerSchema.schema, properties }))
    const schema = await gates("--ledger-schema", "schema.json")
    assert.deepStrictEqual([schema.code, schema.failed], [1, ["ledger_schema"]])
    assert.include(schema.gates[5]?.against.join(), "must NOT have additional properties")
  })

  it("takes a file as history, and refuses to promote without a canary", async () => {
    await shell.run(["export", "two", "--out", "two.jsonl", "--store", "other.db"])
    const { code, out } = await shell.run(["gate", "--against", "two.jsonl", "--canary-share", "0"])
    assert.strictEqual(code, 1)
    assert.match(out, /refused {2}canary +0 runs of the canary, 1 others with 3 actions/)
    assert.include(out, "REFUSED: gates=8 | passed=7 | refused=1")
    const without = await shell.run(["gate", "--against", "two.jsonl"])
    assert.strictEqual(without.code, 1)
    assert.include(without.out, "canary looked at nothing")
    assert.include(without.out, "Name --canary-tenant or --canary-share")
  })

  it("names the fault of its arguments", async () => {
    writeFileSync(shell.path("half.json"), "{}")
    for (const [args, code, message] of [
      [["--table", "nowhere.json"], 2, "nowhere.json"],
      [["--table", "half.json"], 1, "it has no section"],
      [["--canary-tenant", "a", "--canary-share", "0.1"], 2, "Name one canary"],
      [["--table", fixture("../../package.json")], 1, "This is no recovery table: Expected array"],
      [["--ledger-schema", "/nowhere.json"], 2, "/nowhere.json cannot be read: there is no such file"],
      [["--canary-share", "2"], 2, "takes a share of the runs from 0 to 1"],
      [["--canary-share", "some"], 2, "--canary-share takes a number"],
      [["--pack", fixture("wrong.yaml")], 1, "wrong.yaml"]
    ] as const) {
      const ended = await shell.run(["gate", "--against", history, ...args])
      assert.deepStrictEqual([args, ended.code], [args, code])
      assert.include(ended.err, message)
    }
    assert.strictEqual((await shell.run(["gate", "--against", "nowhere.db"])).code, 2)
    const text = await shell.run(["gate", "--against", fixture("pack.yaml")])
    assert.deepStrictEqual([text.code, text.err.includes("is no store")], [2, true])
    assert.strictEqual((await shell.run(["gate"])).code, 2)
  })
})
