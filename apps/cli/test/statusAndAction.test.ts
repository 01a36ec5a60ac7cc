import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = fixture("agent.ts")

beforeAll(async () => {
  await shell.run(["run", "trip", "--agent", agent])
  await shell.run(["run", "killed", "--agent", agent], { DIE_IN: "milk", SHOP: shell.path("killed.json") })
})

describe("backstitch status and action", () => {
  it("call a run done for a reconciled success alone, also in the exit code (L8)", async () => {
    const { code, out } = await shell.run(["status", "trip"])
    assert.strictEqual(code, 0)
    assert.match(out, /STATUS: run=trip \| success \| actions=3 \| held=0 \| waiting=0/)
    const { document } = await shell.json("status trip")
    assert.deepInclude(document, { run: "trip", done: true, standing: "success", held: 0, waiting: 0 })
    assert.lengthOf(document.actions, 3)

    const killed = await shell.json("status killed")
    assert.deepStrictEqual([killed.code, killed.document.done, killed.document.standing], [1, false, "attempted"])
    const reading = await shell.json("status nobody")
    assert.deepStrictEqual([reading.code, reading.document.error.tag], [2, "RunUnknown"])
  })

  it("do not call a run done whose goal was declared reached while a clause does not hold", async () => {
    const apart = ["--store", "unmet.db"]
    const ran = await shell.run(["run", "unmet", "--agent", agent, "--clause", "max=70", ...apart])
    assert.strictEqual(ran.code, 1)
    assert.match(ran.out, /^unmet +Clause max of the goal does not hold: world\.spent <= 2 \* clause\.max$/m)
    for (const command of ["status", "report"]) {
      const { out } = await shell.run([command, "unmet", ...apart])
      assert.match(out, /Clause max of the goal does not hold: world\.spent <= 2 \* clause\.max/)
    }
    const { code, document } = await shell.json(`status unmet ${apart.join(" ")}`)
    assert.deepInclude({ code, ...document }, { code: 1, done: false, standing: "success" })
    assert.deepInclude(document.unmet[0], { clause: "max", holds: false })
  })

  it("do not call a run a success whose planner failed before it declared the goal reached (L8)", async () => {
    const apart = ["--store", "crashed.db"]
    const crashed = await shell.run(["run", "crashed", "--agent", agent, ...apart], { CRASH: "1" })
    assert.strictEqual(crashed.code, 1)
    const { code, document } = await shell.json(`status crashed ${apart.join(" ")}`)
    assert.deepInclude({ code, ...document }, { code: 1, done: false, standing: "partial", held: 0, waiting: 0 })
    const standings = document.actions.map(({ standing }: { standing: string }) => standing)
    assert.deepStrictEqual(standings, ["success", "success"])
    const { out } = await shell.run(["status", "crashed", ...apart])
    assert.match(out, /STATUS: run=crashed \| partial/)
    assert.match(out, /The goal was not declared reached\./)
    const report = await shell.run(["report", "crashed", ...apart])
    assert.match(report.out, /REPORT: run=crashed \| tick=\d+ \| partial\n +Part of this was completed/)
  })

  it("print one action on one page", async () => {
    const { document: ledger } = await shell.json("ledger trip")
    const { action_id: id } = ledger.entries[1]
    const { code, out } = await shell.run(["action", id, "--run", "trip"])
    assert.strictEqual(code, 0)
    assert.match(out, new RegExp(`ACTION: ${id} of run=trip \\| order \\| success`))
    assert.match(out, /target +shelf\/milk/)
    assert.match(out, /tick \d+ +\S+Z +reconciled_success/)
    assert.match(out, /tick \d+ +action\.verified +ok/)
    assert.match(out, /holds +actual\.price == args\.price/)
    const { document } = await shell.json(`action ${id} --run trip`)
    assert.deepStrictEqual(document.entry, ledger.entries[1])
    assert.deepStrictEqual(document.predicates, [{ source: "actual.price == args.price", held: true }])
  })

  it("ask for the run if several have the action, and name an unknown action", async () => {
    const { document: ledger } = await shell.json("ledger killed")
    const { action_id: id } = ledger.entries[1]
    const several = await shell.run(["action", id])
    assert.strictEqual(several.code, 2)
    assert.match(
      several.err,
      /2 runs have an action "a\d+": killed, trip\. Say in which\n.*next: backstitch action a\d+ --run killed/s
    )
    const none = await shell.json("action a999")
    assert.deepStrictEqual([none.code, none.document.error.tag], [2, "ActionUnknown"])
  })
})

describe("backstitch metrics", () => {
  it("measures one run or all of them, as a table, as JSON and for Prometheus", async () => {
    const { code, out } = await shell.run(["metrics", "trip"])
    assert.strictEqual(code, 0)
    assert.match(out, /verification_success +100\.0% +3 +3 +/)
    assert.match(out, /verifier_regression +- +0 +0 +/)
    assert.include(out, "METRICS: runs=1 | mutations=3")
    const { document } = await shell.json("metrics")
    assert.deepInclude(document, { tenant: "default", run: null, runs: 2, actions: 4 })
    assert.lengthOf(document.measures, 19)
    const of = (name: string) => document.measures.find((each: { name: string }) => each.name === name)
    assert.deepInclude(of("verification_success"), { numerator: 3, denominator: 4, value: 0.75, unit: "ratio" })
    assert.strictEqual(of("verifier_regression").value, null)
    const { out: text } = await shell.run(["metrics", "--prometheus"])
    assert.match(text, /# HELP backstitch_verification_success_numerator of them, reconciled as a success/)
    assert.match(text, /^backstitch_verification_success_denominator\{.*tenant="default".*\} 4$/m)
  })

  it("leaves out earlier proposals, and refuses an invalid duration", async () => {
    const { document } = await shell.json("metrics --since 24h")
    assert.strictEqual(document.actions, 4)
    const wrong = await shell.json("metrics --since yesterday")
    assert.deepStrictEqual([wrong.code, wrong.document.error.tag], [2, "Usage"])
    assert.strictEqual((await shell.run(["metrics", "--prometheus", "--json"])).code, 2)
  })
})

describe("backstitch pack test", () => {
  const tests = (expect: string) =>
    `tests:\n  - { name: dear, propose: { order: { item: tv, price: 900 } }, expect: { ${expect} } }\n`

  it("runs the tests that a contract carries, and fails with the found values", async () => {
    const pack = readFileSync(fixture("pack.yaml"), "utf8")
    writeFileSync(shell.path("good.yaml"), pack + tests("refused: affordable"))
    const good = await shell.json("pack test good.yaml")
    assert.deepStrictEqual([good.code, good.document.failed, good.document.tests.length], [0, 0, 1])
    writeFileSync(shell.path("bad.yaml"), pack + tests("allowed: true"))
    const bad = await shell.run(["pack", "test", "bad.yaml"])
    assert.strictEqual(bad.code, 1)
    assert.match(bad.out, /failed: dear +refused: affordable\n +expected allowed, found refused: affordable/)
    assert.match(bad.out, /TESTED: acme\.shop 1\.0\.0 \| tests=1 \| failed=1/)
    assert.strictEqual((await shell.run(["pack", "test", fixture("wrong.yaml")])).code, 1)
    assert.strictEqual((await shell.run(["pack", "test", "nowhere.yaml"])).code, 2)
  })
})

describe("backstitch pack try", () => {
  const guarded = (limit: number) => {
    const pack = readFileSync(fixture("pack.yaml"), "utf8")
    writeFileSync(shell.path("new.yaml"), pack.replace("args.price > 500", `args.price > ${limit}`))
  }

  it("reports the acts in recorded runs that a contract would have refused, from a store or a file", async () => {
    guarded(60)
    const { code, out } = await shell.run(["pack", "try", "new.yaml", "--against", ".backstitch/trace.db"])
    assert.strictEqual(code, 1)
    assert.match(out, /trip@\d+ +refused +order +allowed +refused by affordable/)
    assert.match(out, /TRIED: acme\.shop 1\.0\.0 \| runs=2 \| decisions=\d+ \| refused=1 \| asked=0/)
    await shell.run(["export", "trip", "--out", "trip.jsonl"])
    const { document } = await shell.json("pack try new.yaml --against trip.jsonl")
    assert.deepInclude(document.totals, { runs: 1, refused: 1, recovered: 0 })
    assert.deepInclude(document.changes[0], { run: "trip", kind: "refused", tool: "order" })
  })

  it("finds nothing if no decision differs, and names an unknown run", async () => {
    guarded(501)
    const same = await shell.json("pack try new.yaml --against .backstitch/trace.db --run trip")
    assert.deepStrictEqual([same.code, same.document.changes, same.document.totals.runs], [0, [], 1])
    assert.strictEqual((await shell.json("pack try new.yaml --against nowhere.db")).code, 2)
    assert.strictEqual((await shell.json("pack try new.yaml --against nowhere.jsonl")).code, 2)
    assert.strictEqual((await shell.json("pack try new.yaml --against .backstitch/trace.db --run none")).code, 2)
  })
})

describe("backstitch run with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("sends spans and measures to the collector, and the ledger names the trace", async () => {
    const received: Array<readonly [string, string]> = []
    const server = createServer((request, response) => {
      let text = ""
      request.on("data", (chunk: Buffer) => (text += chunk.toString()))
      request.on("end", () => {
        received.push([request.url ?? "", text])
        response.end("{}")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
    const { port } = server.address() as AddressInfo
    try {
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, SHOP: shell.path("traced.json") }
      const ran = await shell.run(["run", "traced", "--agent", agent, "--store", "traced.db"], env)
      assert.strictEqual(ran.code, 0)
    } finally {
      server.close()
    }
    const { document } = await shell.json("ledger traced --store traced.db")
    const { trace_id: trace } = document.entries[1].trace
    assert.match(trace, /^[0-9a-f]{32}$/)
    const sent = (url: string) => received.flatMap(([to, text]) => (to === url ? [text] : [])).join()
    assert.include(sent("/v1/traces"), trace)
    assert.include(sent("/v1/traces"), "backstitch.reconciliation")
    assert.include(sent("/v1/metrics"), "backstitch.verification_success.numerator")
    assert.include((await shell.run(["action", document.entries[1].action_id, "--store", "traced.db"])).out, trace)
  })
})

describe("backstitch approvals", () => {
  const shell = new Shell()
  afterAll(shell.remove)

  it("lists the intents of all runs that wait, with the commands that decide", async () => {
    const asking = shell.path("agent.ts")
    copyFileSync(fixture("agent.ts"), asking)
    const rule = "approvals:\n  order: { when: args.price >= 50, by: [manager, owner], expires: 1h }\n"
    writeFileSync(shell.path("pack.yaml"), readFileSync(fixture("pack.yaml"), "utf8") + rule)
    for (const name of ["one", "two"]) await shell.run(["run", name, "--agent", asking])
    const { code, document } = await shell.json("approvals")
    assert.strictEqual(code, 0)
    const runs = document.approvals.map((each: { run: string; tool: string }) => [each.run, each.tool])
    assert.deepStrictEqual(runs, [
      ["one", "order"],
      ["two", "order"]
    ])
    const { approve, params, review } = document.approvals[0]
    assert.deepStrictEqual(params, { item: "bread", price: 50 })
    assert.strictEqual((await shell.json("status one")).code, 1)
    const { out } = await shell.run(["approvals", "--tool", "order"])
    assert.include(out, `APPROVAL:  run=one | review=${review} | order | manager or owner may decide`)
    assert.include(out, "no other, for 1h after it is given")
    // The card of one run answers nothing of another, and a decision about it decides nothing.
    const said = ["approve", "one", review, "--by", "Ada", "--role", "owner"]
    const other = await shell.run([...said, "--digest", document.approvals[1].digest])
    assert.deepStrictEqual([other.code, other.out], [1, ""])
    assert.include(other.err, "Nothing was decided")
    assert.strictEqual((await shell.run([...said, "--digest", "3fa41c"])).code, 2)
    const [, ...words] = approve.command.replace("NAME", "Ada").replace("ROLE", "owner").split(" ")
    await shell.run(words)
    assert.lengthOf((await shell.json("approvals")).document.approvals, 1)
    const { out: none } = await shell.run(["approvals", "--tool", "search"])
    assert.include(none, "Nothing waits for an approval")
  })
})
