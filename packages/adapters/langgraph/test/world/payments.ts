/**
 * A payment service in a process of its own: HTTP in front of a database, which is what a test counts in.
 *
 * A charge with a key is made once for the key. While the file `silent` is in its folder it commits and never answers.
 */
import { existsSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

const folder = process.argv[2]!
const database = new DatabaseSync(join(folder, "payments.db"))
database.exec("pragma journal_mode = wal")
database.exec(
  "create table if not exists charge (id integer primary key, key text unique, ordered text, amount integer)"
)

const bodyOf = async (request: IncomingMessage): Promise<{ order: string; amount: number }> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const shown = "select id, ordered as 'order', amount from charge"

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://payments")
  const answer = (value: unknown) => response.end(JSON.stringify(value ?? null))
  if (pathname === "/end") process.exit(0)
  if (request.method === "GET") return answer(database.prepare(`${shown} where key = ?`).get(searchParams.get("key")))
  const { amount, order } = await bodyOf(request)
  const key = request.headers["idempotency-key"] ?? null
  const insert = database.prepare(
    "insert into charge (key, ordered, amount) values (?, ?, ?) on conflict (key) do nothing"
  )
  const { lastInsertRowid } = insert.run(key as string | null, order, amount)
  if (existsSync(join(folder, "silent"))) return undefined
  const [by, value] = key === null ? ["id", lastInsertRowid] : ["key", key as string]
  return answer(database.prepare(`${shown} where ${by} = ?`).get(value))
}).listen(0, "127.0.0.1", function (this: { address: () => unknown }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as AddressInfo).port}\n`)
})
// The service ends with the test that has started it.
process.stdin.on("end", () => process.exit(0)).resume()
