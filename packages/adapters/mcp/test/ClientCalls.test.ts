/**
 * Decisions of people about calls: each is bound to exact arguments, and counts once. The charges are counted in the
 * server's own database.
 */
import { readFileSync } from "node:fs"
import { ReviewDecision } from "@backstitch/runtime"
import { Run } from "@backstitch/trace"
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { afterEach, beforeEach } from "vitest"
import { field } from "../src/proxy/reply.ts"
import { example, Harness, textOf } from "./harness.ts"

let harness: Harness
beforeEach(() => {
  harness = new Harness()
})
afterEach(() => harness.remove())

const pack = `${readFileSync(example("payments.yaml"), "utf8")}approvals:\n  create_charge: { by: [operator] }\n`
const vouched = readFileSync(example("payments.mcp.yaml"), "utf8").replace("    key:", "    errors: refused\n    key:")
const charge = (order: string, amount: number) => ({ name: "create_charge", arguments: { order, amount } })

const outcomeOf = (result: object) =>
  (result as { readonly _meta?: { readonly [name: string]: { readonly status: string; readonly review: string } } })
    ._meta?.[field]

const decide = (run: string, review: string, verdict: "approved" | "denied") =>
  harness.ask(ReviewDecision.decide(Run.make(run), { review, verdict, by: "Ada", role: "operator" }))

/** A session whose first call waits for a person. */
const parked = async (client: Client, order = "4711", amount = 1999) => {
  const waiting = await client.callTool(charge(order, amount))
  assert.deepInclude(waiting, { isError: true })
  assert.include(textOf(waiting), "A person has to decide first, and nothing was sent")
  assert.deepInclude(outcomeOf(waiting), { status: "parked" })
  assert.lengthOf(harness.charges(), 0)
  return outcomeOf(waiting)?.review ?? ""
}

describe("ClientCalls", () => {
  it("lets exactly the approved call pass, and it passes once", async () => {
    const { client, ended } = await harness.start({ pack, run: "shop" })
    const review = await parked(client)
    assert.isTrue((await decide("shop", review, "approved")).ok)
    const done = await client.callTool(charge("4711", 1999))
    assert.deepInclude(done["structuredContent"], { order: "4711", amount: 1999 })
    assert.include(textOf(await client.callTool(charge("4711", 1999))), "This was done before")
    assert.lengthOf(harness.charges(), 1)
    await client.close()
    await ended
  })

  it("asks again if the arguments were changed after the approval", async () => {
    const { client, ended } = await harness.start({ pack, run: "shop" })
    await decide("shop", await parked(client), "approved")
    const changed = await client.callTool(charge("4711", 199_900))
    assert.deepInclude(outcomeOf(changed), { status: "parked" })
    assert.lengthOf(harness.charges(), 0)
    await client.close()
    await ended
  })

  it("takes an approval of one call for no other call of the tool", async () => {
    const { client, ended } = await harness.start({ pack, run: "shop" })
    await decide("shop", await parked(client), "approved")
    const other = await client.callTool(charge("4712", 1999))
    assert.deepInclude(outcomeOf(other), { status: "parked" })
    assert.lengthOf(harness.charges(), 0)
    await client.close()
    await ended
  })

  it("does not take an approval after a denial", async () => {
    const { client, ended } = await harness.start({ pack, run: "shop" })
    const review = await parked(client)
    assert.isTrue((await decide("shop", review, "denied")).ok)
    assert.isFalse((await decide("shop", review, "approved")).ok)
    const refused = await client.callTool(charge("4711", 1999))
    assert.include(textOf(refused), "Refused, and nothing was sent")
    assert.lengthOf(harness.charges(), 0)
    await client.close()
    await ended
  })

  it("keeps an approval for a call that failed, until the call has succeeded once", async () => {
    const { client, ended } = await harness.start({ pack, mapping: vouched, run: "shop" })
    await decide("shop", await parked(client), "approved")
    harness.fault("refuse")
    const failed = await client.callTool(charge("4711", 1999))
    assert.strictEqual(textOf(failed), "the card was declined")
    assert.lengthOf(harness.charges(), 0)
    assert.notProperty(await client.callTool(charge("4711", 1999)), "isError")
    assert.include(textOf(await client.callTool(charge("4711", 1999))), "This was done before")
    assert.lengthOf(harness.charges(), 1)
    await client.close()
    await ended
  })

  it("asks the person at a client that can show a form, with the exact arguments", async () => {
    const asked: Array<string> = []
    const { client, ended } = await harness.start({
      pack,
      run: "shop",
      approver: { by: "Ada", role: "operator" },
      capabilities: { elicitation: {} },
      client: (each) =>
        each.setRequestHandler(ElicitRequestSchema, ({ params }) => {
          asked.push(params.message)
          return { action: "accept", content: { decision: asked.length === 1 ? "deny" : "approve", reason: "checked" } }
        })
    })
    assert.include(textOf(await client.callTool(charge("4711", 1999))), "Refused")
    assert.deepInclude((await client.callTool(charge("4712", 5)))["structuredContent"], { amount: 5 })
    assert.lengthOf(asked, 2)
    assert.include(asked[0], '"amount": 1999')
    assert.lengthOf(harness.charges(), 1)
    await client.close()
    await ended
    const decided = (await harness.transitions("shop")).flatMap(({ body }) =>
      body.type === "review.decided" ? [(body.data as { readonly by: string }).by] : []
    )
    assert.deepStrictEqual(decided, ["Ada", "Ada"])
  })

  it("asks nobody at the client whose role may not decide, or who closes the form", async () => {
    let count = 0
    const session = (role: string) =>
      harness.start({
        pack,
        run: "shop",
        approver: { by: "Ada", role },
        capabilities: { elicitation: {} },
        client: (each) =>
          each.setRequestHandler(ElicitRequestSchema, () => {
            count++
            return { action: "cancel" }
          })
      })
    for (const [role, expected] of [
      ["intern", 0],
      ["operator", 1]
    ] as const) {
      const { client, ended } = await session(role)
      await parked(client)
      assert.strictEqual(count, expected)
      await client.close()
      await ended
    }
  })

  it("stops a tool that is not as it was reviewed, and names the difference", async () => {
    const { client, ended } = await harness.start()
    const { tools } = await client.listTools()
    await client.close()
    await ended
    const listed = tools.find(({ name }) => name === "create_charge")
    const { annotations, inputSchema, outputSchema } = listed!
    const reviewed = JSON.stringify({ annotations, inputSchema, outputSchema })
    const mapping = readFileSync(example("payments.mcp.yaml"), "utf8").replace(
      "    key:",
      `    reviewed: ${reviewed}\n    key:`
    )
    const same = await harness.start({ mapping, run: "same" })
    assert.notProperty(await same.client.callTool(charge("4711", 5)), "isError")
    await same.client.close()
    await same.ended
    harness.env["SCHEMA"] = "2"
    const other = await harness.start({ mapping, run: "other" })
    const stopped = await other.client.callTool(charge("4712", 5))
    assert.include(textOf(stopped), 'inputSchema.properties.amount.type was changed to "string"')
    assert.lengthOf(harness.charges(), 1)
    await other.client.close()
    await other.ended
  })

  it("refuses to begin with a mapping whose key the server does not take, and names what it takes", async () => {
    const mapping = readFileSync(example("payments.mcp.yaml"), "utf8").replace(
      "argument: reference",
      "argument: refrence"
    )
    const { ended } = await harness.start({ mapping })
    const unfit = await ended.catch((error: Error) => error)
    assert.include(String(unfit), "puts the key into refrence, and the tool takes order, amount, card, reference")
  })

  it("asks a person about a tool that no contract names, whatever its server says of it", async () => {
    const { client, ended } = await harness.start({ pack: "pack: acme.none\nversion: 1.0.0\n", mapping: "" })
    const read = await client.callTool({ name: "find_charge", arguments: { reference: "x" } })
    assert.deepInclude(outcomeOf(read), { status: "parked" })
    const invented = await client.callTool({ name: "refund_everything", arguments: {} })
    assert.include(textOf(invented), "The server lists no tool refund_everything")
    await client.close()
    await ended
  })
})
