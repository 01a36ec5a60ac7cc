/**
 * An agent that pays the bills of a month from an account, and tells the landlord by letter.
 *
 * `BANK_URL` is the address of the bank. With `BANK_ERRAND=more`, the last bill is higher than the balance: the bank
 * declines it, and the earlier transfers are reversed. The agent imports two types and one error of the runtime, and
 * nothing else.
 */
import type { Agent } from "@backstitch/runtime/Agent"
import { ToolRefused } from "@backstitch/runtime/ToolExecutor"

const url = process.env["BANK_URL"] ?? "http://127.0.0.1:8080"
const isMore = process.env["BANK_ERRAND"] === "more"

const ask = async (path: string, init: RequestInit) => {
  const response = await fetch(`${url}${path}`, init)
  const text = await response.text()
  if (response.status >= 500) throw new Error(`the bank is down: ${response.status}`)
  if (response.status >= 400 && init.method === "POST") throw new ToolRefused(JSON.parse(text).error)
  if (response.status === 404) return undefined
  return JSON.parse(text)
}

const post = (path: string, body: object, { key, signal }: { key?: string | undefined; signal: AbortSignal }) =>
  ask(path, {
    body: JSON.stringify(body),
    headers: key === undefined ? {} : { "idempotency-key": key },
    method: "POST",
    signal
  })

const byKey =
  (folder: string) =>
  ({ key = "", signal }: { key?: string | undefined; signal: AbortSignal }) =>
    ask(`/${folder}/${encodeURIComponent(key)}`, { signal })

const transfer = (id: string, to: string, amount: number) => ({
  id,
  propose: { params: { amount, from: "household", to }, tool: "transfer" }
})

export default {
  pack: "./pack.yaml",
  goal: "bills-december",
  text: "Pay the bills of December",
  clauses: { max_paid: isMore ? 100_000_000 : 400_000 },
  steps: [
    { id: "look", propose: { params: { account: "household" }, tool: "balance" } },
    transfer("rent", "landlord", 210_000),
    transfer("power", "power", 8_450),
    { id: "tell", propose: { params: { text: "The rent is on its way", to: "landlord" }, tool: "letter" } },
    transfer("save", "savings", isMore ? 90_000_000 : 50_000),
    { id: "done", propose: { type: "goal.complete" } }
  ],
  tools: {
    balance: { execute: ({ account }: { account: string }, { signal }) => ask(`/accounts/${account}`, { signal }) },
    letter: { execute: (params: object, { signal }) => post("/letters", params, { signal }) },
    reverse: {
      execute: (params: object, context) => post("/reversals", params, context),
      readback: byKey("reversals"),
      status: byKey("reversals")
    },
    transfer: {
      execute: (params: object, context) => post("/transfers", params, context),
      readback: byKey("transfers"),
      status: byKey("transfers")
    }
  }
} satisfies Agent
