/**
 * An agent of the AI SDK that charges a card, as a process that a test kills and starts again. Its messages are in a
 * file. It is run without Backstitch (`bare`), with one guarded tool, or with a run whose tools are all by contract.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { Backstitch, type CallQuestion } from "@backstitch/sdk"
import { generateText, isStepCount, type ModelMessage, type ToolSet, tool } from "ai"
import * as z from "zod"
import { aiSdkTools, contractedTools, guardedTool, parked, resumableMessages } from "../src/AiSdk.ts"

const [how = "", modelUrl = "", worldUrl = "", folder = ""] = process.argv.slice(2)
const file = `${folder}/messages.json`
const store = `${folder}/trace.db`
const model = createOpenAICompatible({ name: "fake", baseURL: modelUrl })("model-1")

const charge_card = tool({
  description: "Charges a card",
  inputSchema: z.object({ card: z.string(), amount: z.int(), currency: z.string(), reference: z.string() }),
  execute: async (body, { abortSignal, toolCallId }) => {
    const headers = { "Idempotency-Key": toolCallId }
    const request = { method: "POST", headers, body: JSON.stringify(body), signal: abortSignal ?? null }
    return (await fetch(`${worldUrl}/charges`, request)).json()
  }
})

/** Asks the provider what became of a key. */
const status: CallQuestion<never> = async (_, { key }) => {
  const answer = await fetch(`${worldUrl}/status/${key}`)
  return answer.status === 404 ? undefined : ((await answer.json()) as { response: object }).response
}

/** Reads the charge that the provider has under the name that its answer gave. */
const charged: CallQuestion<never> = async (_, { observed }) => {
  const answer = await fetch(`${worldUrl}/charges/${(observed as { charge?: string } | undefined)?.charge}`)
  return answer.status === 404 ? undefined : answer.json()
}

const messages: Array<ModelMessage> = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8"))
  : [{ role: "user", content: "Charge order 4711" }]
const keep = (all: ReadonlyArray<ModelMessage>) => writeFileSync(file, JSON.stringify(all))

/** Keeps a call before it is carried out, and each step when it ends. */
const answer = async (tools: ToolSet, given: Array<ModelMessage>) => {
  const { responseMessages, text } = await generateText({
    model,
    messages: given,
    tools,
    stopWhen: [parked, isStepCount(5)],
    onToolExecutionStart: ({ toolCall }) => {
      const { input, toolCallId, toolName } = toolCall
      const call = { type: "tool-call" as const, toolCallId, toolName, input }
      if (how === "run") keep([...given, { role: "assistant", content: [call] }])
    }
  })
  keep([...given, ...responseMessages])
  process.stdout.write(text)
}

const contract = {
  class: "high_risk_external",
  identity: { scope: "goal", fields: ["reference"] },
  times: { sendWithin: "3s", settleAfter: "200ms", keyRetention: "24h" }
} as const

if (how === "bare") await answer({ charge_card }, messages)
if (how === "guarded") {
  await answer({ charge_card: guardedTool("charge_card", charge_card, { store, contract, status }) }, messages)
}
if (how === "run") {
  const input = { card: "string", amount: "int", currency: "string", reference: "string" }
  const readback = { source: "the processor", expect: ["actual.amount == args.amount"] }
  const target = "'order/' + args.reference"
  const pack = {
    pack: "acme.pay",
    version: "1",
    tools: { charge_card: { ...contract, input, readback, status: "by_key", target, undo: "X" } }
  }
  const tools = { charge_card }
  const questions = { charge_card: { status, readback: charged } }
  await using bs = await Backstitch.open({ store, pack, tools: contractedTools(tools, questions) })
  const run = await bs.run("order-4711")
  await answer(aiSdkTools(run, tools), await resumableMessages(run, messages))
}
