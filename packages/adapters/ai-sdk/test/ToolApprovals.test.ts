/** The approval flow of the AI SDK, with the stories that went wrong elsewhere. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Run } from "@backstitch/sdk"
import { approvalRequestOf } from "@backstitch/sdk/adapter"
import { assert, describe, it } from "@effect/vitest"
import { generateText, isStepCount, type ModelMessage, type ToolApprovalResponse } from "ai"
import { aiSdkTools, decideApprovals, parked, toolApproval } from "../src/AiSdk.ts"
import * as Limits from "../src/Limits.ts"
import * as lab from "./lab.ts"
import { type Answer, ModelProcess } from "./ModelProcess.ts"
import { Till } from "./till.ts"

const pay = (amount: number, item = "gold", id = "call_1"): Answer => ({
  calls: [{ name: "pay", arguments: { item, amount }, id }]
})

const secret = "the secret with which the AI SDK signs approvals"
const grace = { by: "Grace", role: "manager" }

/** A conversation with an agent whose approvals are signed, and which keeps its messages. */
const talk = async (
  answers: ReadonlyArray<Answer>,
  play: (at: {
    readonly till: Till
    readonly run: Run
    readonly messages: Array<ModelMessage>
    /** Hands the messages to the AI SDK, with the run of the till or another one. */
    readonly go: (run?: Run) => Promise<ReadonlyArray<unknown>>
    /** Answers the pending request, and commits the answer. */
    readonly say: (approved: boolean) => Promise<ReadonlyArray<unknown>>
    readonly decide: () => ReturnType<typeof decideApprovals>
  }) => Promise<void>,
  pack: object = {}
) => {
  const model = await ModelProcess.start({ answers })
  const till = new Till()
  const { backstitch, run } = await till.open(pack)
  const messages: Array<ModelMessage> = [{ role: "user", content: "Buy gold" }]
  const decide = () => decideApprovals({ backstitch, run }, messages, grace)
  try {
    await play({
      till,
      run,
      messages,
      go: async (own = run) => {
        const { responseMessages } = await generateText({
          model: lab.modelOf(model),
          messages,
          tools: aiSdkTools(own, till.tools),
          toolApproval: toolApproval(own),
          experimental_toolApprovalSecret: secret,
          stopWhen: [parked, isStepCount(4)],
          maxRetries: 0
        })
        messages.push(...responseMessages)
        return resultsIn(responseMessages)
      },
      say: async (approved) => {
        messages.push({ role: "tool", content: [answerTo(messages, approved)] })
        return decide()
      },
      decide
    })
  } finally {
    await backstitch.close()
    model.stop()
  }
}

const partsOf = (messages: ReadonlyArray<ModelMessage>) =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : (content as ReadonlyArray<{ type: string }>)))

const requestIn = (messages: ReadonlyArray<ModelMessage>) =>
  partsOf(messages).findLast(({ type }) => type === "tool-approval-request") as
    | { readonly approvalId: string; readonly signature?: string }
    | undefined

const answerTo = (messages: ReadonlyArray<ModelMessage>, approved: boolean): ToolApprovalResponse => ({
  type: "tool-approval-response",
  approvalId: requestIn(messages)?.approvalId ?? "",
  approved,
  reason: approved ? "It is for the museum" : "Too dear"
})

const resultsIn = (messages: ReadonlyArray<ModelMessage>): ReadonlyArray<unknown> =>
  partsOf(messages).flatMap((part) =>
    part.type === "tool-result" ? [(part as { readonly output?: { readonly value?: unknown } }).output] : []
  )

/** Changes the arguments of the call in messages, as a client could. */
const forge = (messages: Array<ModelMessage>, input: object): void => {
  for (const part of partsOf(messages)) if (part.type === "tool-call") Object.assign(part, { input })
}

describe("ToolApprovals", () => {
  it("asks where the pack does, carries the signature through, and acts once after a yes", async () => {
    await talk([pay(500), { text: "Paid." }], async ({ go, messages, run, say, till }) => {
      await go()
      assert.strictEqual(till.sent, 0)
      const { signature = "" } = requestIn(messages) ?? {}
      assert.match(signature, /^[\w-]{20,}$/)
      assert.containSubset(await say(true), [{ status: "approved", tool: "pay" }])
      const [result] = await go()
      assert.containSubset(result, { value: { status: "done", output: { receipt: "r-gold" } } })
      assert.deepStrictEqual([till.sent, [...till.paid.values()]], [1, [{ item: "gold", amount: 500 }]])
      const { requested } = await ledgerOf(run)
      assert.include(requested, signature, "the signature is kept with the decision")
      assert.include(requested, "It is for the museum")
    })
  })

  it("asks nobody where the pack does not, and the tool has the outcome of the one call", async () => {
    await talk([pay(50), { text: "Paid." }], async ({ go, till }) => {
      const [result] = await go()
      assert.containSubset(result, { value: { status: "done" } })
      assert.strictEqual(till.sent, 1)
    })
  })

  it("refuses arguments that were changed after the approval, signed or not", async () => {
    await talk([pay(500), { text: "No." }], async ({ decide, go, messages, run, till }) => {
      await go()
      messages.push({ role: "tool", content: [answerTo(messages, true)] })
      forge(messages, { item: "gold", amount: 5000 })
      const [decision] = await decide()
      assert.strictEqual(decision?.status, "refused")
      assert.include(decision?.why, "changed after the approval")
      const failure = await go().catch((cause: Error) => cause.message)
      assert.include(String(failure), "invalid signature", "the AI SDK has its own say")
      const considered = {
        messages,
        toolCall: { input: { item: "gold", amount: 5000 }, toolCallId: "call_1", toolName: "pay" }
      }
      assert.deepInclude(await toolApproval(run)(considered), { type: "denied" })
      assert.strictEqual(till.sent, 0)
    })
  })

  it("takes an approval for one call, and not for the tool: another call is asked about again", async () => {
    const calls = [pay(500, "gold", "call_1"), pay(900, "silver", "call_2")]
    await talk([...calls, { text: "Done." }], async ({ go, messages, say, till }) => {
      await go()
      const [first] = [requestIn(messages)]
      await say(true)
      await go()
      assert.deepStrictEqual([...till.paid.values()], [{ item: "gold", amount: 500 }])
      assert.notStrictEqual(requestIn(messages)?.approvalId, first?.approvalId)
    })
  })

  it("does not do what was denied, although it is approved later", async () => {
    await talk([pay(500), { text: "So be it." }], async ({ decide, go, messages, say, till }) => {
      await go()
      assert.containSubset(await say(false), [{ status: "denied" }])
      messages.push({ role: "tool", content: [answerTo(messages, true)] })
      assert.containSubset(await decide(), [{ status: "refused", tool: "pay" }])
      const [result] = await go()
      assert.containSubset(result, { value: { status: "refused" } })
      assert.strictEqual(till.sent, 0)
    })
  })

  it("does not renew an approval that has expired: the answer that gave it is about an earlier request", async () => {
    const story = async ({ decide, go, messages, run, say, till }: Parameters<Parameters<typeof talk>[1]>[0]) => {
      await go()
      assert.containSubset(await say(true), [{ status: "approved" }])
      const before = [...messages]
      await sleep(1100)
      const [result] = await go()
      assert.containSubset(result, { value: { status: "parked" } })
      messages.splice(0, messages.length, ...before)
      assert.containSubset(await decide(), [
        { status: "refused", why: "The answer is about an earlier request: ask again" }
      ])
      const request = await approvalRequestOf(run, "call_1")
      assert.isUndefined(request?.verdict)
      assert.strictEqual(till.sent, 0)
    }
    const expires = { approvals: { pay: { when: "args.amount > 100", by: ["manager"], expires: "1s" } } }
    await talk([pay(500), { text: "It waits." }], story, expires)
  })

  it("does an approved call once, although the run fails after it and the messages are handed in again", async () => {
    await talk([pay(500), { text: "Paid." }], async ({ go, messages, run, say, till }) => {
      await go()
      await say(true)
      till.after = () => {
        throw new Error("the agent fails after it has paid")
      }
      const before = [...messages]
      const [first] = await go()
      assert.containSubset(first, { value: { status: "done" } })
      messages.length = 0
      messages.push(...before)
      const [again] = await go(run)
      assert.containSubset(again, { value: { status: "done" } })
      assert.strictEqual(till.sent, 1)
    })
  })

  it("answers a call from the record whose outcome nobody has fetched, and keeps only the latest ones", async () => {
    const till = new Till()
    const { backstitch, run } = await till.open()
    const tools = aiSdkTools(run, till.tools)
    const calls = Array.from({ length: Limits.pacing.aheadOutcomesMax + 1 }, (_, index) => ({
      toolCallId: `call_${index}`,
      toolName: "pay",
      input: { item: `item ${index}`, amount: 10 }
    }))
    // The loop is aborted each time before the tool is executed.
    for (const toolCall of calls) assert.isUndefined(await toolApproval(run)({ messages: [], toolCall }))
    assert.strictEqual(till.sent, calls.length)
    const outcomeOf = ({ input, toolCallId }: (typeof calls)[number]) =>
      tools.pay.execute?.(input, { toolCallId, messages: [], context: {} } as never)
    assert.containSubset(await outcomeOf(calls[0]!), { status: "done", before: true })
    assert.containSubset(await outcomeOf(calls.at(-1)!), { status: "done", before: false })
    assert.strictEqual(till.sent, calls.length)
    await backstitch.close()
  })

  it("approves nothing that nobody was asked about", async () => {
    await talk([{ text: "Hello." }], async ({ decide, messages, till }) => {
      const call = {
        type: "tool-call" as const,
        toolCallId: "call_9",
        toolName: "pay",
        input: { item: "gold", amount: 500 }
      }
      const request = { type: "tool-approval-request" as const, approvalId: "made-up", toolCallId: "call_9" }
      messages.push({ role: "assistant", content: [call, request] })
      messages.push({ role: "tool", content: [answerTo(messages, true)] })
      assert.containSubset(await decide(), [{ status: "refused", why: "Nobody was asked to approve this call" }])
      assert.strictEqual(till.sent, 0)
    })
  })
})

/** All that the record says of decisions, as text. */
const ledgerOf = async (run: Run): Promise<{ readonly requested: string }> => {
  let requested = ""
  for await (const event of run.events({ follow: false })) requested += JSON.stringify(event)
  return { requested }
}
