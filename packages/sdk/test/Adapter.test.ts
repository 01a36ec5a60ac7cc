import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  approvalRequestOf,
  approversOf,
  briefingOf,
  callIdOf,
  isBackstitchError,
  message,
  requestDigestOf
} from "../src/Adapter.ts"
import { Backstitch } from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"

const folder = freshFolder()

const seats = new Map<string, object>()

const pack = {
  pack: "acme.seats",
  version: "1",
  state: { world: { taken: { list: "string" } } },
  tools: {
    reserve: {
      class: "high_risk_external",
      input: { seat: "string" },
      target: "'seat/' + args.seat",
      identity: { scope: "goal", fields: ["seat"] },
      readback: { source: "the seat map", expect: ["actual.seat == args.seat"] },
      undo: "X",
      on_reconciled: [{ append: { list: "world.taken", item: "args.seat" } }]
    },
    phone: {
      class: "medium_risk_write",
      identity: "none",
      input: { price: { decimal: 2 }, number: { type: "string", sensitive: { subject: "'Ada'" } } },
      output: { ok: "bool" },
      undo: "X"
    }
  },
  approvals: { phone: { by: ["manager"], expires: "1h" } }
}

const reserve = {
  execute: ({ seat }: { readonly seat: string }, { key }: { readonly key: string }) => {
    seats.set(key, { seat })
    return { ok: true }
  },
  readback: (_: object, { key }: { readonly key: string }) => seats.get(key)
}

const opened = () => Backstitch.open({ store: join(folder, "trace.db"), pack, tools: { phone, reserve } })

const phone = () => ({ ok: true })

const quote = { price: "40.50", number: "no. 555-01-42" }

describe("Adapter", () => {
  it("briefs about an open run: the goal, the tools with who approves, each act and the state (Briefing)", async () => {
    await using bs = await opened()
    const run = await bs.run("trip", { goal: "a seat", text: "A seat for Ada" })
    await run.tool("reserve", { seat: "2A" })
    const briefing = await briefingOf(run)
    assert.deepStrictEqual(briefing.goal, { id: "a seat", text: "A seat for Ada", isReached: false })
    assert.deepStrictEqual(
      briefing.tools.map(({ name, needs }) => [name, needs]),
      [
        ["phone", ["manager"]],
        ["reserve", undefined]
      ]
    )
    assert.containSubset(briefing.actions, [{ tool: "reserve", success: true }])
    assert.deepStrictEqual(briefing.world, { taken: ["2A"] })
    assert.deepInclude(message("Done", briefing.actions).data, {
      content: "Done",
      reports: [{ action: briefing.actions[0]?.action ?? "", standing: "success" }]
    })
  })

  it("finds what a person was asked about by the name of the call (ApprovalRequest)", async () => {
    await using bs = await opened()
    const run = await bs.run("trip-2")
    const call = { call: "call_1", tool: "phone", args: quote }
    assert.isUndefined(await approvalRequestOf(run, "call_1"))
    assert.deepStrictEqual(await approversOf(run, "phone"), ["manager"])
    assert.isUndefined(await approversOf(run, "reserve"))
    assert.deepStrictEqual(
      await approversOf(run, "fly"),
      ["operator"],
      "as the kernel asks for a tool without a contract"
    )
    const callId = await callIdOf(run, call)
    const outcome = await run.tool("phone", call.args, { callId })
    const request = await approvalRequestOf(run, "call_1")
    assert.deepInclude(request, {
      call: "call_1",
      tool: "phone",
      review: outcome.status === "parked" ? outcome.review : "",
      digest: (await requestDigestOf(run, call)) ?? "",
      needs: ["manager"],
      expiresMillis: 3_600_000,
      permits: "A yes permits this call of phone with these arguments, and no other, for 1h after it is given."
    })
    assert.strictEqual(callId, `call_1:${request?.digest}`)
    const [waiting] = await bs.approvals()
    assert.deepStrictEqual([request?.question, request?.verdict], [waiting?.digest, undefined])
    assert.isUndefined(await approvalRequestOf(run, "call_"))
    assert.strictEqual(await callIdOf(run, { ...call, args: { ...quote, price: "40.5" } }), callId, "as recorded")
    assert.notStrictEqual(await callIdOf(run, { ...call, args: { ...quote, price: "41" } }), callId)
  })

  it("names calls apart that differ in what is sensitive, and shows none of it (ApprovalRequest)", async () => {
    await using bs = await opened()
    const run = await bs.run("trip-3")
    const call = { call: "call_1", tool: "phone", args: quote }
    const callId = await callIdOf(run, call)
    await run.tool("phone", quote, { callId })
    const request = await approvalRequestOf(run, "call_1")
    assert.deepStrictEqual(
      [request?.args["price"], Object.keys(request?.args["number"] ?? {})[0]],
      ["40.50", "$sealed"]
    )
    assert.notInclude(JSON.stringify(request), quote.number)
    const other = { ...call, args: { ...quote, number: "556" } }
    assert.notStrictEqual(await callIdOf(run, other), callId)
    const elsewhere = await bs.run("trip-4")
    assert.notStrictEqual(await callIdOf(elsewhere, call), callId, "a digest that could be guessed at would be equal")
    await run.approve(request?.review ?? "", { by: "Grace", role: "manager", digest: request?.question })
    assert.strictEqual((await approvalRequestOf(run, "call_1"))?.verdict, "approved")
    const sent = await run.tool("phone", quote, { callId })
    const second = await run.tool("phone", other.args, { callId: await callIdOf(run, other) })
    assert.deepStrictEqual([sent.status, second.status], ["done", "parked"])
    const erased = { tool: "phone", args: { ...quote, number: { $sealed: "0".repeat(64) } } }
    assert.isUndefined(await requestDigestOf(run, erased), "two calls of which nothing is known are not the same")
  })

  it("refuses what is no open run", async () => {
    const failure = await briefingOf({} as never).catch((cause: unknown) => cause)
    assert.isTrue(isBackstitchError(failure))
  })
})
