/** Streamable HTTP on either side, with the official client, and a server of npm that speaks it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import * as HttpServer from "@backstitch/mcp/HttpServer"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { afterEach, beforeEach } from "vitest"
import { commandOf, example, Harness, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const charge = { name: "create_charge", arguments: { order: "4711", amount: 1999 } }

const connected = async (url: string) => {
  const client = new Client({ name: "editor", version: "1.0.0" })
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport as never)
  return { client, transport }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** server-everything over HTTP, in a process of its own. */
const everything = async () => {
  const port = await freePort()
  const [program = "", main = ""] = commandOf("everything", "")
  const child = spawn(program, [main, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "ignore"]
  })
  const url = `http://127.0.0.1:${port}/mcp`
  for (let tries = 0; tries < 500; tries++) {
    const isUp = await fetch(url, { method: "GET" }).then(
      () => true,
      () => false
    )
    if (isUp) return { child, url }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error("the server did not start")
}

describe("HttpListener", () => {
  it("lets two clients over HTTP share the record of one run", async () => {
    const proxy = await harness.listen(StdioServer.starting(harness.command()))
    const [one, two] = [await connected(proxy.url), await connected(proxy.url)]
    const done = await one.client.callTool(charge)
    assert.deepInclude(done["structuredContent"], { order: "4711", amount: 1999 })
    assert.include(textOf(await two.client.callTool(charge)), "This was done before")
    assert.lengthOf(harness.charges(), 1)
    await one.transport.terminateSession()
    await one.client.close()
    await two.client.close()
    await proxy.close()
  })

  it("charges once, although the server is killed while a client over HTTP waits (L5)", async () => {
    const proxy = await harness.listen(StdioServer.starting(harness.command()))
    const { client, transport } = await connected(proxy.url)
    harness.fault("die")
    assert.include(textOf(await client.callTool(charge)), "The system of record was asked, and shows that this is done")
    assert.lengthOf(harness.charges(), 1)
    // The session has ended with its server: the client is told so, and begins another one.
    const pinged = await fetch(proxy.url, {
      method: "POST",
      body: '{"jsonrpc":"2.0","id":90,"method":"ping"}',
      headers: { "content-type": "application/json", "mcp-session-id": transport.sessionId! }
    })
    assert.strictEqual(pinged.status, 404)
    await client.close()
    await proxy.close()
  })

  it("refuses a page of another host, a session that does not exist, and a body that is no message", async () => {
    const proxy = await harness.listen(StdioServer.starting(harness.command()))
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(proxy.url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert.strictEqual((await post(ping, { origin: "https://evil.example" })).status, 403)
    assert.strictEqual((await post(ping, { origin: "http://localhost:5173" })).status, 403)
    assert.strictEqual((await post("{", { origin: "https://console.example" })).status, 400)
    const asked = await fetch(proxy.url, { method: "OPTIONS", headers: { origin: "https://console.example" } })
    assert.strictEqual(asked.headers.get("access-control-allow-origin"), "https://console.example")
    assert.strictEqual((await post(ping, { "content-type": "text/plain" })).status, 415)
    assert.strictEqual((await fetch(new URL("/other", proxy.url))).status, 404)
    assert.strictEqual((await post(ping, { "mcp-session-id": "none" })).status, 404)
    assert.strictEqual((await post("{not JSON")).status, 400)
    assert.strictEqual((await fetch(proxy.url, { method: "PUT" })).status, 405)
    await proxy.close()
  })

  it("answers as a server does that speaks HTTP, with progress and messages that belong to no request", async () => {
    const { child, url } = await everything()
    const pack =
      "pack: acme.all\nversion: 1.0.0\ntools:\n  trigger-long-running-operation: { class: read_only, input: {} }\n  echo: { class: read_only, input: {} }\n"
    const observed = async (address: string) => {
      const { client, transport } = await connected(address)
      const progress: Array<number> = []
      const { tools } = await client.listTools()
      const echo = await client.callTool({ name: "echo", arguments: { message: "hello" } })
      const name = "trigger-long-running-operation"
      const slow = await client.callTool({ name, arguments: { duration: 0.2, steps: 4 } }, undefined, {
        onprogress: ({ progress: at }) => void progress.push(at)
      })
      await transport.terminateSession()
      await client.close()
      return { tools, echo, slow, progress }
    }
    harness.contracts = () => harness.contractsOf(pack, "")
    const proxy = await harness.listen(HttpServer.starting({ url, headers: {} }))
    assert.deepStrictEqual(await observed(proxy.url), await observed(url))
    await proxy.close()
    child.kill()
  })

  it("says once on stderr that a tool does not fit its mapping, however often it is called", async () => {
    const mapping = readFileSync(example("payments.mcp.yaml"), "utf8").replace("argument: reference", "argument: ref")
    harness.contracts = () => harness.contractsOf(undefined, mapping)
    const proxy = await harness.listen(StdioServer.starting(harness.command()))
    const { client } = await connected(proxy.url)
    for (let count = 0; count < 3; count++) {
      assert.include(
        textOf(await client.callTool(charge)),
        "Stopped, and nothing was sent: the mapping of create_charge"
      )
    }
    assert.lengthOf(
      proxy.notes.filter((each) => each.startsWith("Stopped")),
      1
    )
    await client.close()
    await proxy.close()
  })

  it("sends nothing where nobody listens, and says so", async () => {
    const port = await freePort()
    const proxy = await harness.listen(HttpServer.starting({ url: `http://127.0.0.1:${port}/mcp`, headers: {} }))
    const failed = await connected(proxy.url).catch((error: Error) => error)
    assert.include(String(failed), "the server could not be asked")
    await proxy.close()
  })
})
