import { assert, describe, it } from "@effect/vitest"
import type { ModelMessage } from "ai"
import { messagesOf, resumableMessages } from "../src/AiSdk.ts"
import { Till } from "./till.ts"

const call = (toolCallId: string, amount: number) => ({
  type: "tool-call" as const,
  toolCallId,
  toolName: "pay",
  input: { item: "milk", amount }
})

describe("RunHistory", () => {
  it("gives a call without a result the one that the record has, or says that it was never begun", async () => {
    const { backstitch, run } = await new Till().open()
    await run.tool("pay", { item: "milk", amount: 30 })
    const messages: Array<ModelMessage> = [
      { role: "user", content: "Buy milk" },
      { role: "assistant", content: [call("call_1", 30), call("call_2", 31)] }
    ]
    const whole = await resumableMessages(run, messages)
    assert.containSubset(whole.at(-1), {
      role: "tool",
      content: [
        { toolCallId: "call_1", output: { value: { status: "done", output: { item: "milk", amount: 30 } } } },
        { toolCallId: "call_2", output: { value: { status: "never begun" } } }
      ]
    })
    assert.deepStrictEqual(await resumableMessages(run, whole), whole, "once is enough")
    assert.lengthOf(messages, 2, "the messages of the caller are as they were")
    await backstitch.close()
  })

  it("adds to a message that has the results of other calls, and leaves what waits for an approval", async () => {
    const { backstitch, run } = await new Till().open()
    const result = {
      type: "tool-result" as const,
      toolCallId: "call_1",
      toolName: "pay",
      output: { type: "text" as const, value: "x" }
    }
    const request = { type: "tool-approval-request" as const, approvalId: "a", toolCallId: "call_3", signature: "s" }
    const messages: Array<ModelMessage> = [
      { role: "assistant", content: [call("call_1", 30), call("call_2", 31), call("call_3", 500), request] },
      { role: "tool", content: [result] }
    ]
    const [first, second, ...more] = await resumableMessages(run, messages)
    assert.deepStrictEqual(first, messages[0])
    assert.containSubset(second?.content, [{ toolCallId: "call_2" }, { toolCallId: "call_1" }])
    assert.lengthOf(more, 0)
    await backstitch.close()
  })

  it("tells the history of a run as messages of its record", async () => {
    const { backstitch, run } = await new Till().open()
    await run.tool("pay", { item: "milk", amount: 30 })
    const messages = await messagesOf(run)
    assert.deepStrictEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "user"]
    )
    await backstitch.close()
  })
})
