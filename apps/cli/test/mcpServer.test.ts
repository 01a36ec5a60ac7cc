/** Runs as an MCP server, as an editor starts it. */
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

beforeAll(async () => {
  const { code, err } = await shell.run(["run", "week-12", "--agent", fixture("agent.ts"), "--store", "runs.db"])
  assert.strictEqual(code, 0, err)
})

const clientInfo = { name: "editor", version: "1.0.0" }
const call = (id: number, name: string, given: object = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: { ...given } }
})

/** Lets a client say its lines and close its side, and answers what it was told, by id. */
const converse = async (args: ReadonlyArray<string>, ...more: ReadonlyArray<object>) => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
  const messages = [{ id: 0, method: "initialize", params }, { method: "notifications/initialized" }, ...more]
  const input = messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("")
  const { ended } = await shell.start(["mcp-server", "--store", "runs.db", ...args], { input })
  const { code, err, out } = await ended
  assert.strictEqual(code, 0, err)
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what is tested
  const answers = new Map<number, any>()
  for (const line of out.split("\n")) {
    if (line === "") continue
    const { id, result } = JSON.parse(line)
    if (typeof id === "number") answers.set(id, result)
  }
  return answers
}

describe("backstitch mcp-server", () => {
  it("lists tools that only read, and answers about a run", async () => {
    const answers = await converse(
      [],
      { id: 1, method: "tools/list", params: {} },
      call(2, "list_runs"),
      call(3, "report", { run: "week" }),
      call(4, "explain", { run: "week-12", tick: 3 }),
      call(5, "bisect", { run: "week-12", predicate: "world.spent > 0" }),
      call(6, "show_run", { run: "week-12", from: 2 }),
      call(7, "verify", { run: "week-12" }),
      call(8, "ledger", { run: "nowhere" }),
      { id: 9, method: "resources/read", params: { uri: "backstitch://runs/week-12/ledger" } }
    )
    const { tools } = answers.get(1)
    assert.isTrue(tools.every((each: { annotations: { readOnlyHint: boolean } }) => each.annotations.readOnlyHint))
    assert.notInclude(JSON.stringify(tools), '"approve"')
    assert.deepInclude(answers.get(2).structuredContent.runs[0], { run: "week-12" })
    assert.deepInclude(answers.get(3).structuredContent, { run: "week-12" })
    assert.deepInclude(answers.get(4).structuredContent, { tick: 3 })
    assert.deepInclude(answers.get(5).structuredContent, { run: "week-12", onset: 9 })
    assert.deepInclude(answers.get(6).structuredContent, { run: "week-12" })
    assert.deepInclude(answers.get(7).structuredContent, { consistent: true })
    assert.deepInclude(answers.get(8), { isError: true })
    assert.include(JSON.stringify(answers.get(8)), "nowhere")
    assert.include(answers.get(9).contents[0].text, '"entries"')
  }, 120_000)

  it("decides only if it is allowed to, in the name that is given", async () => {
    const answers = await converse(
      ["--allow-decisions", "--by", "Ada"],
      call(1, "approve", { run: "week-12", review: "r0" })
    )
    assert.deepInclude(answers.get(1), { isError: true })
    assert.include(JSON.stringify(answers.get(1)), "has no review")
    const unnamed = await shell.run(["mcp-server", "--allow-decisions", "--store", "runs.db"])
    assert.strictEqual(unnamed.code, 2)
    assert.include(unnamed.err, "Name the person who decides")
  }, 120_000)
})
