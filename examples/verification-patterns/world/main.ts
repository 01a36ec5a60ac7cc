/**
 * Starts the world as a process of its own: one line of JSON with its address, then requests until standard input ends.
 */
import { createServer } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import * as Calendar from "./Calendar.ts"
import * as Deployments from "./Deployments.ts"
import * as Email from "./Email.ts"
import * as Iam from "./Iam.ts"
import * as Payments from "./Payments.ts"
import * as Procurement from "./Procurement.ts"
import * as Router from "./Router.ts"
import * as Search from "./Search.ts"
import * as Tenant from "./Tenant.ts"
import * as Tickets from "./Tickets.ts"
import * as Web from "./Web.ts"

const { values } = parseArgs({ options: { port: { type: "string" }, db: { type: "string" } } })
const database = new DatabaseSync(values.db ?? ":memory:")
Tenant.migrate(database)

const services = {
  calendar: Calendar.service,
  deployments: Deployments.service,
  email: Email.service,
  iam: Iam.service,
  payments: Payments.service,
  procurement: Procurement.service,
  search: Search.service,
  tickets: Tickets.service,
  web: Web.service
}
const answer = Router.make(services, (service, tenant) => new Tenant.Tenant(database, service, tenant))
const server = createServer((message, response) => void answer(message, response))

server.listen(Number(values.port ?? 0), "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})

const stop = (): void => {
  Deployments.stop()
  server.closeAllConnections()
  server.close()
  process.exit(0)
}
process.on("SIGTERM", stop)
process.on("SIGINT", stop)
process.stdin.on("end", stop).on("error", stop).resume()
