/** A secret among the arguments of a call: the server is given it, and no byte of the store shows it. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { fixture, Harness, textOf } from "./harness.ts"

const secret = "4000-0000-0000-3220"
const pack = `
pack: acme.odd
version: 1.0.0
tools:
  write:
    class: low_risk_internal
    input: { n: int, card: { type: string, sensitive: { subject: "'Ada'" } } }
    output: { content: { type: json, sensitive: { subject: "'Ada'" } } }
    target: none
    identity: { scope: run, fields: [n] }
    undo: X
  told: { class: read_only, input: {} }
`

describe("a secret among arguments", () => {
  it("reaches the server, and no byte of the store", async () => {
    const harness = new Harness()
    const { client, ended } = await harness.start({ pack, mapping: "", command: harness.command(fixture("odd.ts")) })
    const call = { name: "write", arguments: { n: 1, card: secret } }
    assert.strictEqual(textOf(await client.callTool(call)), "written")
    assert.include(textOf(await client.callTool({ name: "told", arguments: {} })), secret)
    assert.include(textOf(await client.callTool(call)), "This was done before")
    await client.close()
    const { run } = await ended
    assert.include(
      (await harness.transitions(run)).map(({ body }) => body.type),
      "action.started"
    )
    for (const name of readdirSync(harness.folder).filter((each) => each.startsWith("trace.db"))) {
      const bytes = readFileSync(harness.path(name))
      assert.isFalse(bytes.includes(secret), name)
      assert.isFalse(bytes.includes(Buffer.from(secret).toString("base64").replace(/=+$/, "")), name)
    }
    harness.remove()
  })
})
