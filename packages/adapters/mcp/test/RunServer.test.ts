import { PassThrough } from "node:stream"
import * as RunServer from "@backstitch/mcp/RunServer"
import { Run } from "@backstitch/trace"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { Effect, Fiber, Layer } from "effect"
import { Harness, StreamTransport, textOf } from "./harness.ts"

describe("RunServer", () => {
  it("answers the official client about a run that the proxy has recorded, and lets it change nothing", async () => {
    const harness = new Harness()
    const proxied = await harness.start({ run: "shop" })
    await proxied.client.callTool({ name: "create_charge", arguments: { order: "4711", amount: 5 } })
    await proxied.client.close()
    await proxied.ended
    const [toServer, fromServer] = [new PassThrough(), new PassThrough()]
    const { tenant } = Run.make("any")
    const server = RunServer.layer({ tenant, version: "0.0.0" }).pipe(
      Layer.provide(RunServer.streams(toServer, fromServer))
    )
    const served = harness.ask(Effect.flatMap(Effect.forkChild(Layer.launch(server)), (fiber) => Fiber.await(fiber)))
    const client = new Client({ name: "editor", version: "1.0.0" })
    const transport = new StreamTransport(fromServer, toServer)
    await client.connect(transport)
    const { tools } = await client.listTools()
    assert.isTrue(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
    const ledger = await client.callTool({ name: "ledger", arguments: { run: "shop" } })
    assert.include(textOf(ledger), "create_charge")
    const { resourceTemplates } = await client.listResourceTemplates()
    assert.includeMembers(
      resourceTemplates.map(({ name }) => name),
      ["report", "ledger"]
    )
    const { contents } = await client.readResource({ uri: "backstitch://runs/shop/report" })
    assert.include(JSON.stringify(contents), "create_charge")
    await client.close()
    await served
    harness.remove()
  })
})
