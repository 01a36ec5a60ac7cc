/** Sessions over HTTP that nobody uses, and more of them than there may be. */
import * as StdioServer from "@backstitch/mcp/StdioServer"
import type * as Wire from "@backstitch/mcp/Wire"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Limits from "../src/Limits.ts"
import * as JsonRpc from "../src/message/JsonRpc.ts"
import * as HttpListener from "../src/proxy/HttpListener.ts"
import type { Begin } from "../src/proxy/HttpSessions.ts"
import type { Relay } from "../src/proxy/Relay.ts"
import { Harness, textOf } from "./harness.ts"

const connected = async (url: string) => {
  const client = new Client({ name: "editor", version: "1.0.0" })
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport as never)
  return { client, transport }
}

const post = (url: string, message: object, session?: string) =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    headers: { "content-type": "application/json", ...(session === undefined ? {} : { "mcp-session-id": session }) }
  })

const until = async (isSo: () => boolean): Promise<void> => {
  for (let tries = 0; !isSo() && tries < 1000; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.isTrue(isSo())
}

/** Begins sessions that answer every request but `hang`, without a server. */
const echoing = () => {
  let running = 0
  const begin: Begin = async (toClient) => {
    running++
    const over = Promise.withResolvers<void>()
    const fromClient: Relay["fromClient"] = async (text) => {
      for (const each of JsonRpc.arrived(text)) {
        if (!("message" in each) || each.message._tag !== "Request" || each.message.method === "hang") continue
        await toClient(JsonRpc.success(each.message.id, {}), each.message.id)
      }
    }
    const close = async () => {
      running--
      over.resolve()
    }
    return { session: { fromClient } as Relay, ended: over.promise, close }
  }
  return { begin, running: () => running }
}

const listening = async (begin: Begin) => {
  const { close, port } = await HttpListener.listen({ origins: [], port: 0 }, begin)
  return { close, url: `http://127.0.0.1:${port}/mcp` }
}

describe("HttpSessions", () => {
  it("ends a session that nobody uses, with its server, and its client begins another one", async () => {
    const harness = new Harness()
    const servers: Array<StdioServer.StdioServer> = []
    const start: Wire.Start = async () => {
      const server = await StdioServer.start(harness.command())
      servers.push(server)
      return server
    }
    const proxy = await harness.listen(start, { idleMillis: 1000 })
    const charge = { name: "create_charge", arguments: { order: "4711", amount: 1999 } }
    const { client, transport } = await connected(proxy.url)
    await client.callTool(charge)
    // A client that listens uses its session.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    assert.include(textOf(await client.callTool(charge)), "This was done before")
    const { sessionId } = transport
    await client.close()
    await servers[0]?.ended
    const gone = await post(proxy.url, { id: 1, method: "ping" }, sessionId)
    assert.strictEqual(gone.status, 404)
    const again = await connected(proxy.url)
    assert.include(textOf(await again.client.callTool(charge)), "This was done before")
    await again.client.close()
    await proxy.close()
    for (const { child } of servers) assert.isNotNull(child.exitCode ?? child.signalCode)
    assert.lengthOf(harness.charges(), 1)
    harness.remove()
  })

  it("ends the session that was unused for longest if there are too many, and none that is in use", async () => {
    const { begin, running } = echoing()
    const { close, url } = await listening(begin)
    const ids: Array<string> = []
    const opened = async () => {
      const response = await post(url, { id: 1, method: "initialize" })
      ids.push(response.headers.get("mcp-session-id") ?? "")
      await response.text()
      return response.status
    }
    for (let count = 0; count < Limits.refusing.sessionsMax; count++) await opened()
    const stop = new AbortController()
    const stands = (id: string | undefined) =>
      fetch(url, { headers: { "mcp-session-id": id ?? "" }, signal: stop.signal })
    await stands(ids[0])
    assert.strictEqual(await opened(), 200)
    const statusOf = async (at: number) => (await post(url, { method: "foo" }, ids[at])).status
    assert.deepStrictEqual([await statusOf(0), await statusOf(1), await statusOf(2)], [202, 404, 202])
    for (const id of ids.slice(2)) await stands(id)
    assert.strictEqual(await opened(), 503)
    assert.strictEqual(running(), Limits.refusing.sessionsMax)
    stop.abort()
    await close()
    assert.strictEqual(running(), 0)
  })

  it("begins no server for what is no request, and not too many for requests without a session", async () => {
    const { begin, running } = echoing()
    const { close, url } = await listening(begin)
    assert.strictEqual((await post(url, { method: "notifications/initialized" })).status, 400)
    assert.strictEqual(running(), 0)
    const stop = new AbortController()
    const hangs = () =>
      fetch(url, {
        method: "POST",
        body: '{"jsonrpc":"2.0","id":1,"method":"hang"}',
        headers: { "content-type": "application/json" },
        signal: stop.signal
      })
    for (let count = 0; count < Limits.refusing.sessionsMax; count++) await hangs()
    assert.strictEqual((await hangs()).status, 503)
    stop.abort()
    await until(() => running() === 0)
    assert.strictEqual(
      await (await post(url, { id: 1, method: "ping" })).text(),
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'
    )
    await until(() => running() === 0)
    await close()
  })
})
