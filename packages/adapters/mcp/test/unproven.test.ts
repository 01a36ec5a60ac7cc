/**
 * Refusals that prove nothing: a payment server, or a gateway before it, that charges and then answers as if it had
 * not. The charges are counted at the server.
 */
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as HttpServer from "@backstitch/mcp/HttpServer"
import { assert, describe, it } from "@effect/vitest"
import { afterEach, beforeEach } from "vitest"
import * as JsonRpc from "../src/message/JsonRpc.ts"
import { example, Harness } from "./harness.ts"

let harness: Harness
let payments: Awaited<ReturnType<typeof serving>>
beforeEach(async () => {
  harness = new Harness()
  payments = await serving()
})
afterEach(() => {
  payments.close()
  harness.remove()
})

/** The answer to the next charge, in the place of the server's own. */
type Fault = (response: Http.ServerResponse, id: JsonRpc.Id) => void

interface Charge {
  readonly id: number
  readonly order: string
  readonly amount: number
  readonly reference: string
}

const text = { type: "string" }
const tools = [
  {
    name: "create_charge",
    inputSchema: { type: "object", properties: { order: text, amount: { type: "integer" }, reference: text } }
  },
  { name: "find_charge", inputSchema: { type: "object", properties: { reference: text } } }
]

/** A payment server for one session, which takes one token. */
const serving = async () => {
  const seen = { charges: [] as Array<Charge>, fault: undefined as Fault | undefined, session: "one", token: "good" }
  const results: Readonly<Record<string, (params: { readonly name: string; readonly arguments: Charge }) => object>> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "payments", version: "1" }
    }),
    "tools/list": () => ({ tools }),
    "tools/call": ({ arguments: args, name }) => {
      if (name === "create_charge") seen.charges.push({ ...args, id: seen.charges.length + 1 })
      const value =
        name === "create_charge"
          ? seen.charges.at(-1)
          : { charges: seen.charges.filter(({ reference }) => reference === args.reference) }
      return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
    }
  }
  const server = Http.createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end()
    if (request.headers.authorization !== `Bearer ${seen.token}`) return challenged(response)
    if ((request.headers["mcp-session-id"] ?? seen.session) !== seen.session) return void response.writeHead(404).end()
    const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    if (id === undefined) return void response.writeHead(202).end()
    const result = results[method]?.(params)
    const { fault } = seen
    if (fault !== undefined && params.name === "create_charge") {
      seen.fault = undefined
      return fault(response, id)
    }
    response
      .writeHead(200, { "content-type": "application/json", "mcp-session-id": seen.session })
      .end(JSON.stringify({ jsonrpc: "2.0", id, result }))
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

const challenge = 'Bearer error="invalid_token"'

const challenged = (response: Http.ServerResponse) =>
  void response.writeHead(401, { "www-authenticate": challenge }).end()

const refusedAs =
  (code: number, data?: object, message = "the output is not as declared"): Fault =>
  (response, id) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }))

/** A client behind a proxy, in a session that it begins. Each message is posted under the token that the client has. */
const connected = async () => {
  const proxy = await harness.listen(HttpServer.starting({ url: payments.url, headers: {} }))
  const client = { token: "good", session: undefined as string | undefined }
  const post = async (message: object) => {
    const response = await fetch(proxy.url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${client.token}`,
        ...(client.session === undefined ? {} : { "mcp-session-id": client.session })
      }
    })
    client.session ??= response.headers.get("mcp-session-id") ?? undefined
    return { status: response.status, says: await response.text(), asks: response.headers.get("www-authenticate") }
  }
  const clientInfo = { name: "editor", version: "1" }
  const begin = async (meanwhile = () => {}) => {
    client.session = undefined
    await post({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } })
    meanwhile()
    await post({ method: "notifications/initialized" })
  }
  await begin()
  const call = (id: number, name: string, args: object) =>
    post({ id, method: "tools/call", params: { name, arguments: args } })
  const charge = (id: number, order: string) => call(id, "create_charge", { order, amount: 5 })
  return { begin, call, charge, client, proxy }
}

const chargedOnce = (orders: ReadonlyArray<string>) =>
  assert.deepStrictEqual(
    payments.seen.charges.map(({ order }) => order),
    orders
  )

describe("a refusal that the server answers after it has charged", () => {
  it("is asked about, whatever its code or its data says, and is charged once", async () => {
    const { charge, proxy } = await connected()
    const { badParams, invalid, noMethod, parse } = JsonRpc.codes
    const faults = [
      ...[badParams, invalid, noMethod, parse].map((code) => refusedAs(code)),
      refusedAs(JsonRpc.codes.internal, { sent: false })
    ]
    for (const [at, fault] of faults.entries()) {
      payments.seen.fault = fault
      const first = await charge(at * 2 + 1, `order ${at}`)
      assert.include(first.says, "The system of record was asked, and shows that this is done")
      const again = await charge(at * 2 + 2, `order ${at}`)
      assert.include(again.says, "This was done before")
    }
    chargedOnce(faults.map((_, at) => `order ${at}`))
    await proxy.close()
  })

  it("is passed if it is a challenge, and asked about under the next token of the client", async () => {
    const { charge, client, proxy } = await connected()
    payments.seen.fault = (response) => {
      payments.seen.token = "good, too"
      challenged(response)
    }
    const first = await charge(1, "4711")
    assert.deepInclude(first, { status: 401, asks: challenge })
    client.token = "good, too"
    const again = await charge(1, "4711")
    assert.strictEqual(again.status, 200)
    assert.include(again.says, "This was done before")
    chargedOnce(["4711"])
    await proxy.close()
  })

  it("leads to the call itself, if the record shows under the next token that nothing was charged", async () => {
    harness.contracts = () =>
      harness.contractsOf(
        readFileSync(example("payments.yaml"), "utf8").replace(
          /times: \{.*/,
          "times: { sendWithin: 1s, settleAfter: 0s, keyRetention: 1h }"
        )
      )
    const { charge, client, proxy } = await connected()
    await charge(1, "4710")
    payments.seen.token = "good, too"
    assert.strictEqual((await charge(2, "4711")).status, 401)
    client.token = "good, too"
    const again = await charge(2, "4711")
    assert.notInclude(again.says, "isError")
    chargedOnce(["4710", "4711"])
    await proxy.close()
  })

  it("ends the session of the client if that with the server has ended, and charges once in the next one", async () => {
    const { begin, charge, proxy } = await connected()
    payments.seen.fault = (response) => {
      payments.seen.session = "two"
      response.writeHead(404).end()
    }
    await charge(1, "4711")
    let after = await charge(2, "4711")
    for (let tries = 3; after.status !== 404 && tries < 100; tries++) after = await charge(tries, "4711")
    assert.strictEqual(after.status, 404)
    await begin()
    assert.include((await charge(1, "4711")).says, "This was done before")
    chargedOnce(["4711"])
    await proxy.close()
  })

  it("is passed if it keeps the tools from being listed, so that the client gets its next token", async () => {
    const { begin, call, charge, client, proxy } = await connected()
    await begin(() => {
      payments.seen.token = "good, too"
    })
    const read = () => call(1, "find_charge", { reference: "none" })
    for (const ask of [read, () => charge(2, "4711"), () => call(3, "invented", {})]) {
      assert.deepInclude(await ask(), { status: 401, asks: challenge })
    }
    chargedOnce([])
    client.token = "good, too"
    assert.include((await read()).says, "charges")
    assert.notInclude((await charge(2, "4711")).says, "isError")
    chargedOnce(["4711"])
    await proxy.close()
  })

  it("keeps a token that it repeats out of the record", async () => {
    payments.seen.token = "a-token-that-nobody-keeps"
    const { begin, charge, client, proxy } = await connected()
    client.token = payments.seen.token
    await begin()
    payments.seen.fault = (response) =>
      void response.writeHead(500).end("no upstream for authorization: Bearer a-token-that-nobody-keeps")
    await charge(1, "4711")
    payments.seen.fault = refusedAs(JsonRpc.codes.internal, undefined, "Bearer a-token-that-nobody-keeps")
    await charge(2, "4712")
    chargedOnce(["4711", "4712"])
    await proxy.close()
    const kept = readdirSync(harness.folder).map((name) => readFileSync(join(harness.folder, name), "latin1"))
    assert.include(kept.join(), "[hidden]")
    for (const each of [...kept, ...proxy.notes]) assert.notInclude(each, "a-token-that-nobody-keeps")
  })
})
