/**
 * The double charge: a payment server that commits and does not answer, and a client that retries. The charges are
 * counted in the server's own database.
 */

import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterEach, beforeEach } from "vitest"
import { Harness, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const charge = { name: "create_charge", arguments: { order: "4711", amount: 1999 } }

describe("a payment that is retried", () => {
  it("charges twice without the proxy", async () => {
    const [command = "", ...args] = harness.command()
    const connected = async () => {
      const client = new Client({ name: "editor", version: "1.0.0" })
      await client.connect(new StdioClientTransport({ command, args: [...args] }))
      return client
    }
    harness.fault("die")
    const first = await connected()
    await first.callTool(charge).then(
      () => assert.fail("the server was killed"),
      () => {}
    )
    const second = await connected()
    await second.callTool(charge)
    await second.close()
    assert.strictEqual(harness.charges().length, 2)
  })

  it("charges once behind the proxy, although the server is killed after it has charged (L5)", async () => {
    harness.fault("die")
    const { client, ended } = await harness.start()
    const first = await client.callTool(charge)
    assert.include(textOf(first), "The system of record was asked, and shows that this is done")
    assert.strictEqual((await ended).by, "server")
    const again = await harness.start()
    const second = await again.client.callTool(charge)
    assert.include(textOf(second), "This was done before")
    assert.notProperty(second, "isError")
    await again.client.close()
    await again.ended
    assert.deepStrictEqual(
      harness.charges().map(({ amount, name }) => ({ amount, name })),
      [{ amount: 1999, name: "4711" }]
    )
  })

  it("charges once behind the proxy, although the answer is lost and the client retries at once (L7)", async () => {
    harness.fault("lose")
    const { client, ended } = await harness.start()
    const results = await Promise.all([client.callTool(charge), client.callTool(charge)])
    for (const result of results) assert.notProperty(result, "isError", textOf(result))
    await client.close()
    assert.strictEqual((await ended).by, "client")
    assert.strictEqual(harness.charges().length, 1)
  })
})
