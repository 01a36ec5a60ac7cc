/** The proxy as an editor starts it: a process of its own, with messages on its stdin and stdout. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const example = join(import.meta.dirname, "../../../examples/mcp-payments")
const pack = shell.path("payments.yaml")

beforeAll(() => {
  for (const name of ["payments.yaml", "payments.mcp.yaml"]) {
    writeFileSync(shell.path(name), readFileSync(join(example, name)))
  }
})

const server = ["--", process.execPath, join(example, "server.ts")]
const clientInfo = { name: "editor", version: "1.0.0" }
const initialize = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
}
const charge = (id: number, order = "4711") => ({
  id,
  method: "tools/call",
  params: { name: "create_charge", arguments: { order, amount: 1999 } }
})

/** Lets a client say its lines and close its side. */
const converse = async (args: ReadonlyArray<string>, ...more: ReadonlyArray<object>) => {
  const messages = [initialize, { method: "notifications/initialized" }, ...more]
  const input = messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("")
  const env = { PAYMENTS: shell.path("payments.db"), FAULT_FILE: shell.path("fault") }
  const { ended } = await shell.start(["mcp-proxy", ...args, "--store", "mcp.db", ...server], { env, input })
  const { code, err, out } = await ended
  const answers = out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
  return { answers, code, err, text: JSON.stringify(answers) }
}

describe("backstitch mcp-proxy", () => {
  it("answers a call that another process makes again from the record, and prints nothing else on stdout", async () => {
    const first = await converse(["--pack", pack], charge(1))
    assert.strictEqual(first.code, 0, first.err)
    assert.deepStrictEqual(
      first.answers.map(({ id }) => id),
      [0, 1]
    )
    assert.deepInclude(first.answers[1].result.structuredContent, { order: "4711", amount: 1999 })
    const second = await converse(["--pack", pack], charge(1), charge(2))
    assert.include(second.text, "nothing was sent again")
    const [, run = ""] = /run=(\S+)/.exec(second.err) ?? []
    const { document } = await shell.json(`ledger ${run} --store mcp.db`)
    assert.lengthOf(document.entries, 1)
    const proven = await shell.run(["verify", run, "--redecide", "--store", "mcp.db"])
    assert.strictEqual(proven.code, 0, proven.out)
  }, 120_000)

  it("names the command that approves, and lets the call pass after it", async () => {
    const asking = shell.path("asking.yaml")
    writeFileSync(asking, `${readFileSync(pack, "utf8")}approvals:\n  create_charge: { by: [operator] }\n`)
    writeFileSync(shell.path("asking.mcp.yaml"), readFileSync(shell.path("payments.mcp.yaml")))
    const args = ["--pack", asking, "--run", "asking"]
    const waiting = await converse(args, charge(1, "4712"))
    const [, review = ""] = /backstitch approve asking (\S+) --by NAME --role operator/.exec(waiting.text) ?? []
    const approve = ["approve", "asking", review, "--by", "Ada", "--role", "operator", "--store", "mcp.db"]
    assert.strictEqual((await shell.run(approve)).code, 0)
    const done = await converse(args, charge(1, "4712"))
    assert.notProperty(done.answers[1].result, "isError", done.text)
  }, 120_000)

  it("names the command that settles a held call, and answers with what it came to", async () => {
    const blind = shell.path("blind.yaml")
    const charges = "class: medium_risk_write, input: { order: string, amount: int }, target: none, undo: X"
    const once = "identity: { scope: goal, fields: [order] }, times: { sendWithin: 300ms }"
    writeFileSync(blind, `pack: acme.blind\nversion: 1.0.0\ntools:\n  create_charge: { ${charges}, ${once} }\n`)
    writeFileSync(shell.path("fault.lose"), "")
    const args = ["--pack", blind, "--run", "blind"]
    const held = await converse(args, charge(1, "4713"))
    assert.include(held.text, "Nobody knows yet whether this happened")
    const [, action = ""] =
      /backstitch resolve blind (\S+) --as success\|failure\|abandoned --evidence TEXT --by NAME/.exec(held.text) ?? []
    const resolve = ["resolve", "blind", action, "--as", "abandoned", "--evidence", "no list", "--by", "Ada"]
    assert.strictEqual((await shell.run([...resolve, "--store", "mcp.db"])).code, 0)
    const again = await converse(args, charge(1, "4713"))
    assert.include(again.text, "A person gave this up, and it may have happened nevertheless: no list.")
    assert.match(again.text, /backstitch explain blind@\d+/)
  }, 120_000)

  it("drafts contracts that pass the check, and writes over none", async () => {
    const draft = ["mcp-proxy", "--json", "--draft", "--pack", shell.path("draft.yaml"), ...server]
    const { code, out } = await shell.run(draft)
    assert.strictEqual(code, 0)
    assert.deepInclude(JSON.parse(out), { left: [], tools: ["create_charge", "find_charge"] })
    assert.strictEqual((await shell.run(["pack", "check", shell.path("draft.yaml")])).code, 0)
    const waiting = await converse(["--pack", shell.path("draft.yaml")], charge(1))
    assert.include(waiting.text, "A person has to decide first")
    const again = await shell.run(draft)
    assert.strictEqual(again.code, 2)
    assert.include(again.err, "is there already, and is kept")
  }, 120_000)

  it("says what is missing or wrong before anything is started", async () => {
    writeFileSync(shell.path("wrong.yaml"), readFileSync(pack))
    writeFileSync(shell.path("wrong.mcp.yaml"), "tools: { create_charge: { key: { argument: 1 } } }\n")
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, string]> = [
      [["--pack", pack], 2, "Name the server's program, or its address with --url"],
      [
        ["--pack", pack, "--url", "http://127.0.0.1:1/mcp", "--", "node"],
        2,
        "Name a program or an address, and not both"
      ],
      [["--pack", pack, "--url", "nowhere"], 2, "nowhere is no address"],
      [["--pack", pack, "--url", "http://127.0.0.1:1/mcp", "--header", "A=NO_SUCH_NAME"], 2, "no NO_SUCH_NAME"],
      [["--", "node"], 2, "Name the pack with --pack"],
      [["--pack", "nowhere.yaml", "--", "node"], 2, "The pack nowhere.yaml cannot be read"],
      [["--pack", shell.path("wrong.yaml"), "--", "node"], 2, "wrong.mcp.yaml:1:"],
      [["--pack", pack, "--", "there-is-no-such-program"], 2, "there is no such program"]
    ]
    for (const [args, code, says] of cases) {
      const ended = await shell.run(["mcp-proxy", "--store", "none.db", ...args])
      assert.include(ended.err, says)
      assert.strictEqual(ended.code, code, ended.err)
      assert.strictEqual(ended.out, "")
    }
  }, 120_000)
})
