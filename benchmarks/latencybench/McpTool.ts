/** A server of MCP with a tool that takes 10 ms and keeps what it did, and one that shows it at once. */
import { createInterface } from "node:readline"

const kept = new Map<unknown, object>()
const key = { type: "string" }
const tools = [
  { name: "write", inputSchema: { type: "object", properties: { n: { type: "integer" }, key } } },
  { name: "find", inputSchema: { type: "object", properties: { key } } }
]

const answer = (id: unknown, result: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)
}

const told = (value: object): object => ({ content: [{ type: "text", text: JSON.stringify(value) }] })

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize") {
    const serverInfo = { name: "tool", version: "1" }
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  } else if (method === "tools/list") answer(id, { tools })
  else if (method === "tools/call" && params.name === "find") {
    answer(id, told({ found: [kept.get(params.arguments.key)].filter((each) => each !== undefined) }))
  } else if (method === "tools/call") {
    const { key, n } = params.arguments
    setTimeout(() => {
      kept.set(key, { key, n })
      answer(id, told({ n }))
    }, 10)
  }
}
