/**
 * One replica of a deployed service: a process that reports its version and health, and works as well as its build
 * does.
 */
import { createServer } from "node:http"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { artifact: { type: "string" }, fault: { type: "string" } }
})
if (values.fault === "crashes") process.exit(1)

const server = createServer((request, response) => {
  const isReady = values.fault !== "never_ready"
  const status = request.url === "/hello" && values.fault === "fails" ? 500 : 200
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify({ artifact: values.artifact ?? null, ready: isReady }))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
// The replica ends when the controller ends.
process.stdin.on("end", () => process.exit(0)).resume()
