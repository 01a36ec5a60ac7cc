/** Tokens of clients, for a server at an address that asks for them: they pass, and are kept nowhere. */

import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Challenge from "@backstitch/mcp/Challenge"
import * as HttpServer from "@backstitch/mcp/HttpServer"
import { assert, describe, it } from "@effect/vitest"
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { afterEach, beforeEach } from "vitest"
import * as z from "zod"
import { Harness, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const pack = `
pack: acme.paid
version: 1.0.0
tools:
  pay: { class: low_risk_internal, input: { n: int }, target: none, identity: { scope: goal, fields: [n] }, undo: X }
  read: { class: read_only, input: {} }
`

/** A server that wants a token, and the authorization server that gives one to clients that know a secret. */
const protectedServer = async () => {
  const seen = { token: "first-token-of-the-client", paid: [] as Array<number>, given: new Set<string | undefined>() }
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const opened = async () => {
    const mcp = new McpServer({ name: "paid", version: "1.0.0" })
    mcp.registerTool("pay", { inputSchema: { n: z.number() } }, async ({ n }) => {
      seen.paid.push(n)
      return { content: [{ type: "text", text: "paid" }] }
    })
    mcp.registerTool("read", {}, async () => ({ content: [{ type: "text", text: "read" }] }))
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport)
    })
    await mcp.connect(transport as never)
    return transport
  }
  const json = (response: Http.ServerResponse, value: object) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))
  const server = Http.createServer(async (request, response) => {
    const origin = `http://${request.headers.host}`
    switch (request.url) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] })
      case "/.well-known/oauth-authorization-server":
        return json(response, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ["code"],
          grant_types_supported: ["client_credentials"],
          token_endpoint_auth_methods_supported: ["client_secret_basic"]
        })
      case "/token":
        return json(response, { access_token: seen.token, token_type: "Bearer", expires_in: 3600 })
      case "/mcp": {
        seen.given.add(request.headers.authorization)
        if (request.headers.authorization !== `Bearer ${seen.token}`) {
          const about = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
          return void response.writeHead(401, { "www-authenticate": about }).end()
        }
        const known = sessions.get(String(request.headers["mcp-session-id"]))
        return void (known ?? (await opened())).handleRequest(request, response)
      }
      default:
        return void response.writeHead(404).end()
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    seen,
    url,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** The official client and provider. The resource is the server, whose address the client does not use. */
const connected = async (url: string, expectedIssuer: string) => {
  const provider = new ClientCredentialsProvider({ clientId: "editor", clientSecret: "a secret", expectedIssuer })
  const authProvider = Object.assign(provider, {
    validateResourceURL: async (_: string | URL, resource?: string) => new URL(resource ?? url)
  })
  const client = new Client({ name: "editor", version: "1.0.0" })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }) as never)
  return client
}

const initialize = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "editor", version: "1" } }
    }),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers }
  })

/** People vouch for a server that looks at the token first. Otherwise it is asked about a call that it challenges. */
const mapping = "tools: { pay: { errors: refused } }\n"

const listening = async (url: string, headers: Record<string, string> = {}) => {
  harness.contracts = () => harness.contractsOf(pack, mapping)
  return harness.listen(HttpServer.starting({ url, headers }), { description: Challenge.descriptionOf(url) })
}

describe("authorization", () => {
  it("lets the official client get a token by the challenge, and another one once that is refused", async () => {
    const server = await protectedServer()
    const proxy = await listening(server.url)
    const client = await connected(proxy.url, new URL(server.url).origin)
    assert.strictEqual(textOf(await client.callTool({ name: "pay", arguments: { n: 1 } })), "paid")
    server.seen.token = "second-token-of-the-client"
    assert.strictEqual(textOf(await client.callTool({ name: "pay", arguments: { n: 2 } })), "paid")
    assert.include(textOf(await client.callTool({ name: "pay", arguments: { n: 1 } })), "This was done before")
    assert.strictEqual(textOf(await client.callTool({ name: "read", arguments: {} })), "read")
    assert.deepStrictEqual(server.seen.paid, [1, 2])
    await client.close()
    await proxy.close()
    const kept = readdirSync(harness.folder).map((name) => readFileSync(join(harness.folder, name), "latin1"))
    for (const text of [...kept, ...proxy.notes]) assert.notInclude(text, "token-of-the-client")
    server.close()
  })

  it("passes challenge and description as they are, and keeps no session of a client that was refused", async () => {
    const server = await protectedServer()
    const proxy = await listening(server.url)
    const refused = await initialize(proxy.url)
    assert.strictEqual(refused.status, 401)
    const direct = await initialize(server.url)
    assert.strictEqual(refused.headers.get("www-authenticate"), direct.headers.get("www-authenticate"))
    assert.isNull(refused.headers.get("mcp-session-id"))
    for (const path of ["", "/mcp"]) {
      const described = await fetch(new URL(`${Challenge.descriptionPath}${path}`, proxy.url))
      const own = await fetch(Challenge.descriptionOf(server.url))
      assert.deepStrictEqual(await described.json(), await own.json())
    }
    await proxy.close()
    server.close()
  })

  it("gives no token of a client to a server that the operator has a token for", async () => {
    const server = await protectedServer()
    const proxy = await listening(server.url, { Authorization: `Bearer ${server.seen.token}` })
    const begun = await initialize(proxy.url, { authorization: "Bearer of-somebody" })
    assert.strictEqual(begun.status, 200)
    await begun.text()
    assert.deepStrictEqual([...server.seen.given], [`Bearer ${server.seen.token}`])
    await proxy.close()
    server.close()
  })
})
