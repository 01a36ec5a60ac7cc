/**
 * Starts the providers as a process of their own: one line of JSON with the address, then requests until standard
 * input ends.
 *
 * `POST /NAME/_faults` has requests to a provider fail, as many as it says: `{"lost": 1}` those whose effect happens
 * and whose answer is lost, `{"down": 1}` those that are answered with 503 before anything happens, and `{"hidden": 1}`
 * those that only read. `GET /NAME/_records` answers all records.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { DatabaseSync } from "node:sqlite"
import * as GitHub from "./GitHub.ts"
import * as GoogleCalendar from "./GoogleCalendar.ts"
import * as Jira from "./Jira.ts"
import * as Postmark from "./Postmark.ts"
import type { Provider, Reply, Request } from "./Provider.ts"
import * as Records from "./Records.ts"
import * as S3 from "./S3.ts"
import * as Stripe from "./Stripe.ts"

const database = new DatabaseSync(process.argv[2] ?? ":memory:")
Records.migrate(database)

const providers: Readonly<Record<string, Provider>> = {
  github: GitHub.make(database),
  google: GoogleCalendar.make(database),
  jira: Jira.make(database),
  postmark: Postmark.make(database),
  s3: S3.make(database),
  stripe: Stripe.make(database)
}

type Fault = "down" | "hidden" | "lost"

const faults: Record<string, { readonly [F in Fault]?: number }> = {}

const takes = (name: string, fault: Fault): boolean => {
  const left = faults[name]?.[fault] ?? 0
  if (left > 0) faults[name] = { ...faults[name], [fault]: left - 1 }
  return left > 0
}

const recordsOf = (name: string): Reply => {
  const rows = database.prepare("select kind, id, body from record where kind like ? order by at").all(`${name}.%`)
  return { status: 200, body: rows.map((row) => ({ ...row, body: JSON.parse(String(row["body"])) })) }
}

/** Answers a request; `undefined` if its answer is lost. */
const answer = async (name: string, request: Request): Promise<Reply | undefined> => {
  const provider = providers[name]
  if (provider === undefined) return { status: 404, body: "there is no such provider" }
  if (request.path[0] === "_records") return recordsOf(name)
  if (request.path[0] === "_faults") {
    faults[name] = JSON.parse(request.body)
    return { status: 204 }
  }
  const isWrite = request.method !== "GET" && request.method !== "HEAD" && request.path.at(-1) !== "jql"
  if (takes(name, "down") || (!isWrite && takes(name, "hidden"))) return { status: 503, body: {} }
  const reply = await provider(request)
  return isWrite && takes(name, "lost") ? undefined : reply
}

const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const url = new URL(message.url ?? "/", `http://${message.headers.host}`)
  const [name = "", ...path] = url.pathname.slice(1).split("/").map(decodeURIComponent)
  const reply = await answer(name, {
    method: message.method ?? "GET",
    path,
    query: url.searchParams,
    headers: Object.fromEntries(Object.entries(message.headers).map(([key, value]) => [key, value?.toString()])),
    body: Buffer.concat(chunks).toString(),
    url: url.href
  })
  if (reply === undefined) return void message.socket.destroy()
  const isText = typeof reply.body === "string"
  response.writeHead(reply.status, {
    "content-type": isText ? "application/xml" : "application/json",
    ...reply.headers
  })
  response.end(reply.body === undefined ? undefined : isText ? reply.body : JSON.stringify(reply.body))
}

const server = createServer((message, response) => {
  serve(message, response).catch((cause) => {
    response.writeHead(500)
    response.end(JSON.stringify({ error: String(cause) }))
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})

const stop = (): void => {
  server.closeAllConnections()
  server.close()
  process.exit(0)
}
process.on("SIGTERM", stop)
process.stdin.on("end", stop).on("error", stop).resume()
