/**
 * A program of an agent with one tool, whose settings are the JSON of its argument: it charges an order once, and
 * prints what became of it. Each charge that is sent is a line in the books.
 */
import * as Fs from "node:fs"
import { Backstitch, BackstitchError, guarded } from "@backstitch/sdk"

const { before, books, fields, how, order, ...settings } = JSON.parse(process.argv[2] ?? "{}")

const execute = async (args: object) => {
  Fs.appendFileSync(books, `${JSON.stringify(args)}\n`)
  return { receipt: "r1" }
}

const input = { order: "string", amount: "int" }
const args = { order, amount: 1999 }

const called = async () => {
  if (how === "guarded") {
    const contract = { tool: "charge", input, identity: fields }
    await using charge = guarded(execute, { ...settings, contract, identityBefore: before })
    return await charge.outcome(args)
  }
  const tool = { class: "medium_risk_write", target: "none", undo: "X", idempotency: "effectful", input }
  const pack = {
    pack: "acme.charges",
    version: fields.length,
    tools: { charge: { ...tool, identity: { scope: "tenant", fields } } }
  }
  const tools = { charge: { execute, identityBefore: before } }
  await using bs = await Backstitch.open({ ...settings, pack, tools })
  const run = await bs.run(`job-${process.pid}`)
  return await run.tool("charge", args)
}

try {
  console.log((await called()).status)
} catch (cause) {
  if (!(cause instanceof BackstitchError)) throw cause
  console.log(cause.code)
  console.log(cause.message)
}
