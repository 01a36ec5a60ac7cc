/**
 * The bank as a process: HTTP on a free port of this machine, whose address is its first line of output.
 *
 * node world/main.ts --db bank.db --seed 7
 *
 * `PUT /trouble` sets the probability of trouble from now on. The process ends when its standard input ends.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { parseArgs } from "node:util"
import { Books, Declined } from "./Books.ts"
import * as Trouble from "./Trouble.ts"

const { values } = parseArgs({ options: { db: { type: "string" }, seed: { type: "string", default: "1" } } })
if (values.db === undefined) {
  console.error("--db FILE names the books of the bank")
  process.exit(2)
}
const books = new Books(values.db)
const draw = Trouble.make(Number(values.seed))
let probability = 0

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = ""
  for await (const chunk of request) text += chunk
  return text === "" ? {} : JSON.parse(text)
}

const found = (record: object | undefined): object => {
  if (record === undefined) throw new Declined(404, "no such record")
  return record
}

const handle = (method: string, path: string, asked: Readonly<Record<string, unknown>>, key: string): object => {
  const [, folder = "", name = ""] = path.split("/").map(decodeURIComponent)
  switch (`${method} ${folder}`) {
    case "POST transfers":
      return books.book(
        { amount: Number(asked["amount"]), source: String(asked["from"]), target: String(asked["to"]) },
        key
      )
    case "POST reversals":
      return books.reverse(String(asked["transfer"]), key)
    case "POST letters":
      return books.post(String(asked["to"]), String(asked["text"]))
    case "GET accounts":
      return found(books.balance(name))
    case "GET transfers":
      return found(books.transferOf(name))
    case "GET reversals":
      return found(books.reversalOf(name))
    default:
      throw new Declined(404, `no ${method} ${path}`)
  }
}

const answered = (work: () => object): { readonly status: number; readonly body: object } => {
  try {
    return { body: work(), status: 200 }
  } catch (error) {
    if (error instanceof Declined) return { body: { error: error.message }, status: error.status }
    throw error
  }
}

const send = (response: ServerResponse, status: number, text: string): void => {
  response
    .writeHead(status, { "content-length": Buffer.byteLength(text), "content-type": "application/json" })
    .end(text)
}

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = "GET", url = "/" } = request
  const asked = await bodyOf(request)
  if (url === "/books") return send(response, 200, JSON.stringify(books.everything()))
  if (url === "/trouble") {
    probability = Number(asked["probability"])
    return send(response, 200, "{}")
  }
  const key = String(request.headers["idempotency-key"] ?? "")
  const { delayMillis, trouble } = draw({ changes: method === "POST", probability })
  const act = () => answered(() => handle(method, url, asked, key))
  switch (trouble) {
    case "none": {
      const { body, status } = act()
      return send(response, status, JSON.stringify(body))
    }
    case "slow": {
      const { body, status } = act()
      setTimeout(() => send(response, status, JSON.stringify(body)), delayMillis)
      return
    }
    case "empty":
      act()
      return send(response, 200, "{}")
    case "garbled": {
      const text = JSON.stringify(act().body)
      return send(response, 200, text.slice(0, Math.floor(text.length / 2)))
    }
    case "lost":
      act()
      response.destroy()
      return
    case "late":
      response.destroy()
      setTimeout(act, delayMillis)
      return
    case "refused":
      response.destroy()
      return
    case "down":
      return send(response, 503, '{"error":"back soon"}')
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error)
    response.destroy()
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}` })}\n`)
  }
})
process.stdin.resume()
process.stdin.once("close", () => {
  books.close()
  process.exit(0)
})
