/**
 * A loop of somebody's own, which charges the orders that are due: with one tool guarded, or bare as it was.
 *
 * node loop.ts --payments http://127.0.0.1:4242 --store .backstitch/trace.db 4711=1999 4712=500
 *
 * `--bare` is the loop as it was. `--unasked` guards the tool without a way to ask about it, and `--limit` lets a
 * manager decide about larger amounts.
 */
import { parseArgs } from "node:util"
import { BackstitchError, guarded } from "@backstitch/sdk"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    bare: { type: "boolean", default: false },
    limit: { type: "string" },
    payments: { type: "string", default: "http://127.0.0.1:4242" },
    store: { type: "string" },
    unasked: { type: "boolean", default: false }
  }
})

interface Order {
  readonly order: string
  readonly amount: number
}

interface Charge extends Order {
  readonly id: string
}

/** The tool as it was: it calls the provider, and throws if no answer comes. */
const chargeCard = async (order: Order, { key, signal }: { key?: string; signal?: AbortSignal } = {}) => {
  const response = await fetch(`${values.payments}/charges`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify(order),
    ...(signal === undefined ? {} : { signal })
  })
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  return (await response.json()) as Charge
}

/** Asks the provider what became of a charge. */
const status = async (_: Order, { key, signal }: { key: string; signal: AbortSignal }) => {
  const response = await fetch(`${values.payments}/charges?key=${key}`, { signal })
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  return (await response.json()) as Charge
}

const guardedCharge = guarded(chargeCard, {
  contract: {
    tool: "chargeCard",
    input: { order: "string", amount: "int" },
    identity: ["order"],
    times: { sendWithin: "3s", settleAfter: "500ms", keyRetention: "24h" },
    ...(values.limit === undefined
      ? {}
      : { approval: { when: `args.amount > ${values.limit}`, by: "manager", expires: "1h" } })
  },
  store: values.store,
  run: "charges",
  ...(values.unasked ? {} : { status })
})

const charge: (order: Order) => Promise<Charge> = values.bare ? chargeCard : guardedCharge

for (const each of positionals) {
  const [order = "", amount = ""] = each.split("=")
  try {
    console.log(`charged ${(await charge({ order, amount: Number(amount) })).id} for ${order}`)
  } catch (cause) {
    if (!(cause instanceof BackstitchError)) throw cause
    console.log(`${cause.code} ${cause.action ?? ""} for ${order}: ${cause.message}`)
  }
}
