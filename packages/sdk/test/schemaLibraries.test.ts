import { toStandardJsonSchema } from "@valibot/to-json-schema"
import * as v from "valibot"
import { assert, describe, it } from "vitest"
import * as z from "zod"
import type * as StandardSchema from "../src/contract/StandardSchema.ts"
import { Backstitch, guarded } from "../src/Sdk.ts"

const schemas: ReadonlyArray<readonly [string, StandardSchema.StandardSchema]> = [
  ["Zod", z.object({ order: z.string(), amount: z.int().positive(), note: z.string().optional() })],
  [
    "Valibot",
    toStandardJsonSchema(
      v.object({
        order: v.string(),
        amount: v.pipe(v.number(), v.integer(), v.minValue(1)),
        note: v.optional(v.string())
      })
    )
  ]
]

describe("a schema of a library", () => {
  for (const [library, input] of schemas) {
    it(`says the fields of a guarded tool, and checks its arguments: ${library}`, async () => {
      const sent: Array<unknown> = []
      const charge = async (args: { order: string; amount: number; note?: string }) => void sent.push(args)
      await using guard = guarded(charge, { contract: { input, identity: ["order"] }, store: "memory:" })
      await guard({ order: "4711", amount: 5 })
      const negative = await guard.outcome({ order: "4712", amount: -5 })
      assert.isTrue(negative.status === "refused" && negative.why.startsWith("amount: "), JSON.stringify(negative))
      const mistaken = { order: "4713", amount: "five" } as unknown as { order: string; amount: number }
      assert.strictEqual((await guard.outcome(mistaken)).status, "refused")
      assert.deepStrictEqual(sent, [{ order: "4711", amount: 5 }])
      assert.throws(
        () => guarded(charge, { contract: { input, identity: ["orders"] }, store: "memory:" }),
        /the field orders, expected a field of the input \(declared: amount, note, order\)/
      )
    })
  }

  it("checks the arguments of a tool of a pack", async () => {
    const note = { class: "medium_risk_write", input: { text: "string" }, identity: { scope: "run", fields: ["text"] } }
    await using bs = await Backstitch.open({
      store: "memory:",
      pack: { pack: "acme.notes", version: "1", tools: { note } },
      tools: {
        note: { input: z.object({ text: z.string().trim().min(1) }), execute: (args: { text: string }) => args }
      }
    })
    const run = await bs.run("week-12")
    assert.deepInclude(await run.tool("note", { text: " milk " }), { status: "done", output: { text: "milk" } })
    assert.deepInclude(await run.tool("note", { text: " " }), { status: "refused" })
  })
})
