/**
 * The version of MCP without sessions, with its official client and server: no handshake, and what a server wants to
 * know of the user is a result of the call, which the client answers by itself.
 */

import * as StdioServer from "@backstitch/mcp/StdioServer"
import { assert, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterEach, beforeEach } from "vitest"
import { fixture, Harness, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const pack = `
pack: acme.stateless
version: 1.0.0
tools:
  write: { class: low_risk_internal, input: { n: int }, target: none, identity: { scope: goal, fields: [n] }, undo: X }
  ask: { class: low_risk_internal, input: {}, target: none, identity: none, undo: X }
approvals:
  write: { when: args.n > 5, by: [operator] }
`

/** A session of the official client behind the proxy. What it is asked is kept, and answered in turn. */
const started = async (...answers: ReadonlyArray<{ readonly [name: string]: string }>) => {
  const session = await harness.start({
    ...{ pack, mapping: "", command: harness.command(fixture("stateless.ts")), handshake: false, run: "stateless" },
    approver: { by: "Ada", role: "operator" },
    isStarted: false
  })
  const asked: Array<string> = []
  const client = new Client(
    { name: "editor", version: "2.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } }
  )
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message)
    return { action: "accept", content: answers[asked.length - 1] ?? {} }
  })
  await client.connect(session.transport as never)
  return {
    asked,
    call: (name: string, args: object = {}) => client.callTool({ name, arguments: { ...args } }),
    close: async () => {
      await client.close()
      await session.ended
    }
  }
}

describe("the official client of the version without sessions", () => {
  it("has its calls recorded, and is answered from the record", async () => {
    const { call, close } = await started()
    assert.strictEqual(textOf(await call("write", { n: 1 })), "written 1")
    assert.include(textOf(await call("write", { n: 1 })), "This was done before")
    await close()
  })

  it("asks its user about a call that needs an approval, once for each call", async () => {
    const { asked, call, close } = await started({ decision: "approve" }, { decision: "deny" })
    assert.strictEqual(textOf(await call("write", { n: 9 })), "written 9")
    assert.include(asked[0], '"n": 9')
    const denied = textOf(await call("write", { n: 10 }))
    assert.include(denied, "Refused, and nothing was sent")
    assert.include(denied, "denied by Ada (operator)")
    assert.lengthOf(asked, 2)
    await close()
  })

  it("has its calls recorded over HTTP, where each request is a session of its own", async () => {
    harness.contracts = () => harness.contractsOf(pack, "")
    const proxy = await harness.listen(StdioServer.starting(harness.command(fixture("stateless.ts"))))
    const client = new Client(
      { name: "editor", version: "2.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } }
    )
    await client.connect(new StreamableHTTPClientTransport(new URL(proxy.url)))
    const write = () => client.callTool({ name: "write", arguments: { n: 1 } })
    assert.strictEqual(textOf(await write()), "written 1")
    assert.include(textOf(await write()), "This was done before")
    await client.close()
    await proxy.close()
  })

  it("answers what the server itself wants to know, and only the answered call counts as done", async () => {
    const { asked, call, close } = await started({ name: "Ada" })
    assert.strictEqual(textOf(await call("ask")), 'asked {"name":"Ada"}')
    assert.deepStrictEqual(asked, ["Who are you?"])
    await close()
    const settled = (await harness.transitions("stateless")).flatMap(({ body }) => body.result?.status ?? [])
    assert.include(settled, "error")
    assert.strictEqual(settled.at(-1), "ok")
  })
})
