/**
 * Plays an editor: starts the server of its mcp.json, has a model charge a card, and has it try again after the server
 * was killed. Then the provider's own database is asked how often the card was charged.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

const [file = "mcp.json"] = process.argv.slice(2)
const { payments } = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8")).mcpServers
const folder = mkdtempSync(join(tmpdir(), "payments-"))
const database = join(folder, "payments.db")
const env = { ...process.env, PAYMENTS: database, FAULT_FILE: join(folder, "fault") } as Record<string, string>
const order = `order-${process.pid}-${performance.timeOrigin}`

const connected = async (): Promise<Client> => {
  const client = new Client({ name: "editor", version: "1.0.0" })
  await client.connect(new StdioClientTransport({ ...payments, env, stderr: "ignore" }))
  return client
}

const charge = async (client: Client): Promise<string> => {
  const called = client.callTool({ name: "create_charge", arguments: { order, amount: 1999 } })
  const { content } = (await called) as { readonly content: ReadonlyArray<{ readonly text: string }> }
  return content.map(({ text }) => text).join(" ")
}

/** The server is killed right after it has charged. */
writeFileSync(`${env["FAULT_FILE"]}.die`, "")
const first = await connected()
console.log(`first   ${await charge(first).catch((error: Error) => `no answer: ${error.message}`)}`)
await first.close()
const second = await connected()
console.log(`second  ${await charge(second)}`)
await second.close()
const charges = new DatabaseSync(database, { readOnly: true }).prepare("SELECT * FROM charges").all()
console.log(`charges ${charges.length}`)
rmSync(folder, { recursive: true, force: true })
