/**
 * A model as its clients see it: a process that speaks OpenAI's chat completions, at once or as a stream.
 *
 * It answers by how far the conversation is: the n-th answer of its program for n results of tools. So it says the
 * same again to whoever asks again. `faults` strike requests by their number.
 */
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Answer, Fault, Program } from "./ModelProcess.ts"

interface Request {
  readonly messages: ReadonlyArray<{ readonly role: string }>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
  readonly stream?: boolean
}

const program: Program = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))
const requests: Array<unknown> = []

const server = createServer(async (incoming, response) => {
  if (incoming.url === "/requests") return json(response, 200, requests)
  const request = JSON.parse(await textOf(incoming)) as Request
  requests.push({ ...request, authorization: incoming.headers.authorization ?? null })
  const fault = program.faults?.find(({ request: number }) => number === requests.length)
  if (fault !== undefined && fault.kind !== "cut") return strike(response, fault)
  const results = request.messages.filter(({ role }) => role === "tool").length
  const offered = new Set(request.tools?.map(({ function: { name } }) => name))
  const answers = program.answers.filter(({ for: tool }) => tool === undefined || offered.has(tool))
  const answer = answers[Math.min(results, answers.length - 1)] ?? {}
  if (request.stream === true) await stream(response, answer, fault !== undefined)
  else if (fault !== undefined) response.destroy()
  else json(response, 200, completion(answer))
})

const strike = (response: ServerResponse, { kind }: Fault): void => {
  if (kind === "hang") return
  if (kind === "garbage") return void response.end("<html>no JSON</html>")
  json(response, Number(kind), { error: { message: `the fault ${kind}`, type: "fault", code: kind } })
}

const finishOf = ({ calls, finish }: Answer): string => finish ?? (calls === undefined ? "stop" : "tool_calls")

const usageOf = ({ tokens = 10 }: Answer) => ({
  prompt_tokens: tokens - 1,
  completion_tokens: 1,
  total_tokens: tokens
})

const callsOf = ({ calls = [] }: Answer) =>
  calls.map(({ arguments: given, id, name }, index) => ({
    index,
    id: id ?? `call_${requests.length}_${index}`,
    type: "function",
    function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) }
  }))

const base = () => ({ id: `answer-${requests.length}`, created: 0, model: "fake" })

const completion = (answer: Answer) => ({
  ...base(),
  object: "chat.completion",
  choices: [
    {
      index: 0,
      finish_reason: finishOf(answer),
      message: {
        role: "assistant",
        content: answer.text ?? null,
        ...(answer.calls === undefined ? {} : { tool_calls: callsOf(answer) })
      }
    }
  ],
  usage: usageOf(answer)
})

/** Streams an answer in small parts; with `isCut`, the connection ends in its middle. */
const stream = async (response: ServerResponse, answer: Answer, isCut: boolean): Promise<void> => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const part = (delta: object, finish: string | null = null, usage: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    response.write(`data: ${JSON.stringify({ ...base(), object: "chat.completion.chunk", choices, ...usage })}\n\n`)
  }
  part({ role: "assistant", content: "" })
  for (const word of (answer.text ?? "").split(/(?<= )/)) if (word !== "") part({ content: word })
  for (const { function: called, id, index, type } of callsOf(answer)) {
    part({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] })
    const half = Math.ceil(called.arguments.length / 2)
    part({ tool_calls: [{ index, function: { arguments: called.arguments.slice(0, half) } }] })
    if (isCut) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      response.destroy()
      return
    }
    part({ tool_calls: [{ index, function: { arguments: called.arguments.slice(half) } }] })
  }
  part({}, finishOf(answer), { usage: usageOf(answer) })
  response.end("data: [DONE]\n\n")
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const textOf = async (incoming: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of incoming) text += String(chunk)
  return text
}

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })}\n`)
})
process.stdin.resume().on("end", () => process.exit(0))
