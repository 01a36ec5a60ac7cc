import { StdioServer } from "@backstitch/mcp"
import { assert, describe, it } from "@effect/vitest"
import * as JsonRpc from "../src/message/JsonRpc.ts"
import * as Connection from "../src/wire/Connection.ts"
import * as Link from "../src/wire/Link.ts"
import { fixture } from "./harness.ts"

const command = [process.execPath, fixture("odd.ts")] as const

describe("Connection", () => {
  it("lists the tools of a server, and is told by name why it ended", async () => {
    const server = await StdioServer.start(command)
    const connection = await Connection.open(server)
    assert.deepInclude(connection.server["serverInfo"], { name: "odd" })
    assert.includeMembers([...(await connection.tools()).keys()], ["read", "write"])
    server.child.kill("SIGKILL")
    const lost = await connection.ask("tools/call", { name: "hang" }).catch((error: Error) => error)
    assert.include(String(lost), "the server was ended by SIGKILL")
    const unsent = await connection.ask("tools/call", { name: "hang" }).catch((error: Error) => error)
    assert.isTrue(Link.isUnsent(unsent))
    assert.isFalse(connection.isOpen())
  })

  it("says that a program cannot be started", async () => {
    const failed = await StdioServer.start(["there-is-no-such-program"]).catch((error: Error) => error)
    assert.match(String(failed), /cannot be started: there is no such program/)
  })

  it("ends a server that does not end by itself", async () => {
    const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
    const server = await StdioServer.start([process.execPath, "-e", stubborn])
    await StdioServer.stop(server, 50)
    assert.match(await server.ended, /SIG(TERM|KILL)/)
  })
})

describe("Link", () => {
  it("gives a question up after its time, and recognises the late answer", async () => {
    const sent: Array<JsonRpc.Frame> = []
    const late: Array<JsonRpc.Id> = []
    const link = Link.make(
      async (frame) => void sent.push(frame),
      () => ({}),
      (id) => late.push(id)
    )
    const asked = await link.ask("ping", {}, { id: 1, timeoutMillis: 1 }).catch((error: Error) => error)
    assert.include(String(asked), "no answer to ping came within 1 ms")
    assert.isTrue(link.answered(JsonRpc.success(1, {})))
    assert.deepStrictEqual(late, [1])
    assert.isFalse(link.answered(JsonRpc.success(1, {})))
    assert.isFalse(link.answered(JsonRpc.success("1", {})))
    assert.lengthOf(sent, 1)
  })

  it("adds to its own questions the fields that the protocol of the session wants", async () => {
    const sent: Array<JsonRpc.Frame> = []
    const link = Link.make(
      async (frame) => void sent.push(frame),
      () => ({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
      () => {}
    )
    const asked = link.ask("tools/call", { name: "a", _meta: { own: 1 } }, { id: 1 })
    link.answered(JsonRpc.success(1, {}))
    await asked
    const meta = { own: 1, "io.modelcontextprotocol/protocolVersion": "2026-07-28" }
    assert.deepInclude(JSON.parse(String(sent[0]?.text)).params, { _meta: meta })
  })
})
