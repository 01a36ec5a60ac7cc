import type { Run } from "@backstitch/sdk"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import {
  generateText,
  type InferToolInput,
  type InferToolOutput,
  jsonSchema,
  type ToolSet,
  tool,
  validateUIMessages
} from "ai"
import * as z from "zod"
import { aiSdkTools, contractedTools, guardedTool, type ToolOutcome } from "../src/AiSdk.ts"

const options = { toolCallId: "call_1", messages: [], context: {} } as never

const context = {
  key: "bs_1",
  action: "a2",
  deadlineMillis: 1000,
  sendBefore: Date.now() + 1000,
  signal: AbortSignal.timeout(1000),
  observed: undefined
}

describe("the output of a tool that is given other code", () => {
  it("is the outcome of its call, by its type and by no schema of its own", async () => {
    const inputSchema = z.object({ order: z.string() })
    const charge = tool({
      inputSchema,
      outputSchema: z.object({ charged: z.number() }),
      execute: async ({ order }: { order: string }) => ({ charged: order.length })
    })
    const guarded = guardedTool("charge", charge, { store: "memory:", contract: { identity: ["order"] } })
    expectTypeOf<InferToolOutput<typeof guarded>>().toEqualTypeOf<ToolOutcome>()
    expectTypeOf<InferToolInput<typeof guarded>>().toEqualTypeOf<{ order: string }>()
    expectTypeOf(guarded).toExtend<ToolSet[string]>()
    const output = await guarded.execute?.({ order: "4711" }, options)
    assert.containSubset(output, { status: "done", output: { charged: 4 } })
    // A schema of the bare output would refuse the outcome as a chat is loaded again.
    const part = {
      type: "tool-charge",
      toolCallId: "call_1",
      state: "output-available",
      input: { order: "4711" },
      output
    }
    const messages = [{ id: "1", role: "assistant", parts: [part] }]
    assert.lengthOf(await validateUIMessages({ messages, tools: { charge: guarded } }), 1)
    void ((run: Run) => {
      const tools = aiSdkTools(run, { charge })
      expectTypeOf<InferToolOutput<typeof tools.charge>>().toEqualTypeOf<ToolOutcome>()
      expectTypeOf<InferToolInput<typeof tools.charge>>().toEqualTypeOf<{ order: string }>()
      return generateText({ model: "none", prompt: "", tools })
    })
  })
})

describe("guardedTool of ContractedTools", () => {
  for (const schema of ["zod", "json"] as const) {
    it(`acts once for each act, by the arguments of its own schema (${schema})`, async () => {
      const keys: Array<string> = []
      const inputSchema =
        schema === "zod"
          ? z.object({ order: z.string(), amount: z.int() })
          : jsonSchema<{ order: string; amount: number }>({
              type: "object",
              properties: { order: { type: "string" }, amount: { type: "integer" } },
              required: ["order", "amount"]
            })
      const charge = tool({
        inputSchema,
        execute: async ({ amount }: { order: string; amount: number }, { toolCallId }) => {
          keys.push(toolCallId)
          return { charged: amount }
        }
      })
      const guarded = guardedTool("charge", charge, { store: "memory:", contract: { identity: ["order"] } })
      const first = await guarded.execute?.({ order: "4711", amount: 5 }, options)
      const second = await guarded.execute?.({ order: "4711", amount: 5 }, options)
      assert.containSubset(
        [first, second],
        [
          { status: "done", output: { charged: 5 }, before: false },
          { status: "done", output: { charged: 5 }, before: true }
        ]
      )
      assert.lengthOf(keys, 1)
      assert.match(keys[0] ?? "", /^bs_/, "the id of the call is the key of the act")
    })
  }

  it("answers arguments that do not fit, and a tool that refuses, as outcomes", async () => {
    const charge = tool({
      inputSchema: z.object({ order: z.string() }),
      execute: async (): Promise<object> => {
        throw new Error("the card is declined")
      }
    })
    const contract = { identity: ["order"] }
    const refuses = (cause: unknown) => String(cause).includes("declined")
    const guarded = guardedTool("charge", charge, { store: "memory:", contract, refuses })
    assert.containSubset(await guarded.execute?.({ order: "4711" }, options), { status: "failed" })
    assert.containSubset(await guarded.execute?.({ order: 4711 } as never, options), { status: "refused" })
  })
})

describe("a guarded tool that cannot be recorded", () => {
  const charge = tool({ inputSchema: z.object({ order: z.string() }), execute: async () => ({ charged: true }) })

  it("is told as a value, since a model calls again what throws", async () => {
    const identity = ["order"]
    for (const [given, why] of [
      [{ contract: { identity }, store: import.meta.dirname }, /^Could not open/],
      [{ contract: { identity: ["orders"] }, store: "memory:" }, /the field orders/]
    ] as const) {
      const outcome = await guardedTool("charge", charge, given).execute?.({ order: "4711" }, options)
      const { status, why: said } = outcome as unknown as { readonly status: string; readonly why: string }
      assert.strictEqual(status, "unavailable")
      assert.match(said, why)
    }
  })
})

describe("contractedTools of ContractedTools", () => {
  it("takes the last part of a tool that answers in parts, and has the code of each tool", async () => {
    const parts = tool({
      inputSchema: z.object({}),
      async *execute() {
        yield { part: 1 }
        yield { part: 2 }
      }
    })
    const tools = contractedTools({ parts, bare: { inputSchema: z.object({}), outputSchema: z.object({}) } as never })
    assert.deepStrictEqual(await tools["parts"]?.execute({} as never, context), { part: 2 })
    const failure = await Promise.resolve(tools["bare"]?.execute({} as never, context)).catch(String)
    assert.include(String(failure), "no function")
  })
})
