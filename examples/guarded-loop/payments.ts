/**
 * A payment provider as a process: HTTP on a free port of this machine, whose address is its first line of output.
 *
 * node payments.ts --db payments.db
 *
 * It honours idempotency keys: a request under a known key is answered with the charge of before. `PUT /trouble` says
 * what becomes of the next charge: `no_answer` books it and never answers, `no_request` loses it. The process ends when
 * its standard input ends.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"

const { values } = parseArgs({ options: { db: { type: "string" } } })
const books = new DatabaseSync(values.db ?? ":memory:")
books.exec(
  "create table if not exists charges (id integer primary key, key text unique, order_id text not null, amount integer not null)"
)

const columns = "'ch_' || id as id, order_id as \"order\", amount"
const byKey = books.prepare(`select ${columns} from charges where key = ?`)
const all = books.prepare(`select ${columns} from charges order by id`)
const insert = books.prepare("insert into charges (key, order_id, amount) values (?, ?, ?)")

let trouble: "no_answer" | "no_request" | undefined

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = ""
  for await (const chunk of request) text += chunk
  return text === "" ? {} : JSON.parse(text)
}

const charge = (key: string | null, asked: Readonly<Record<string, unknown>>): object | undefined => {
  const known = key === null ? undefined : byKey.get(key)
  if (known !== undefined) return known
  insert.run(key, String(asked["order"]), Number(asked["amount"]))
  return all.all().at(-1)
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
  const asked = await bodyOf(request)
  switch (`${request.method} ${pathname}`) {
    case "PUT /trouble":
      trouble = asked["next"] as typeof trouble
      return send(response, 200, {})
    case "GET /books":
      return send(response, 200, all.all())
    case "GET /charges": {
      const found = byKey.get(searchParams.get("key") ?? "")
      return send(response, found === undefined ? 404 : 200, found ?? {})
    }
    case "POST /charges": {
      const now = trouble
      trouble = undefined
      if (now === "no_request") return void request.socket.destroy()
      const made = charge(request.headers["idempotency-key"]?.toString() ?? null, asked)
      return now === "no_answer" ? undefined : send(response, 200, made)
    }
    default:
      return send(response, 404, {})
  }
}

const server = createServer((request, response) => void serve(request, response))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})
process.stdin.on("end", () => process.exit(0)).resume()
