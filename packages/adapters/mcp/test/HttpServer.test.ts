/** Streams of events that break, before the official server over HTTP. */
import { once } from "node:events"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Connection from "@backstitch/mcp/Connection"
import * as HttpServer from "@backstitch/mcp/HttpServer"
import { assert, describe, it } from "@effect/vitest"
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import * as Events from "../src/wire/events.ts"
import { textOf } from "./harness.ts"

/** A server of which the stream of a call is cut off, and those that resume it, as often as is asked. */
const serving = async ({ cuts, hasIds }: { readonly cuts: number; readonly hasIds: boolean }) => {
  const seen = { calls: 0, posts: 0, resumed: [] as Array<string> }
  const mcp = new McpServer({ name: "cut", version: "1.0.0" })
  mcp.registerTool("work", {}, async () => {
    seen.calls++
    // The answer comes once all streams are cut.
    for (let tries = 0; seen.resumed.length < cuts && tries < 100; tries++) await later(10)
    return { content: [{ type: "text", text: "worked" }] }
  })
  const store = hasIds ? { eventStore: new InMemoryEventStore(), retryInterval: 10 } : {}
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one", ...store })
  await mcp.connect(transport as never)
  const server = Http.createServer((request, response) => {
    const last = request.headers["last-event-id"]
    const isCall = request.method === "POST" && ++seen.posts === 3
    if (typeof last === "string") seen.resumed.push(last)
    if (isCall || (typeof last === "string" && seen.resumed.length < cuts))
      void later(50).then(() => response.destroy())
    void transport.handleRequest(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    seen,
    open: () => Connection.open(HttpServer.open({ url, headers: {} })),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await mcp.close()
    }
  }
}

const later = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

const answerOf = async (asked: ReturnType<Connection.Connection["ask"]>) => {
  const { message } = await asked
  assert.strictEqual(message?._tag, "Response")
  return message as { readonly result?: object; readonly error?: { readonly message: string } }
}

describe("HttpServer", () => {
  it("resumes a stream that broke after its last event, more than once, and sends nothing again", async () => {
    const server = await serving({ cuts: 3, hasIds: true })
    const connection = await server.open()
    const { result } = await answerOf(connection.ask("tools/call", { name: "work", arguments: {} }))
    assert.strictEqual(textOf(result), "worked")
    assert.strictEqual(server.seen.calls, 1)
    assert.lengthOf(server.seen.resumed, 3)
    await connection.close()
    await server.close()
  })

  it("says that the events ended if the server gave no id by which they could be resumed", async () => {
    const server = await serving({ cuts: 1, hasIds: false })
    const connection = await server.open()
    const { error } = await answerOf(connection.ask("tools/call", { name: "work", arguments: {} }))
    assert.include(error?.message, "the server could not be asked")
    assert.deepStrictEqual(server.seen.resumed, [])
    await connection.close()
    await server.close()
  })
})

describe("events", () => {
  it("are refused once one of them is too large, also if its lines are short", async () => {
    const line = new TextEncoder().encode(`data: ${"x".repeat(2 ** 20)}\n`)
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(line) })
    const read = async () => {
      for await (const _ of Events.read(endless)) assert.fail("no event has ended")
    }
    const failed = await read().catch((error: Error) => error)
    assert.include(String(failed), "an event of the server is too large")
  })
})
