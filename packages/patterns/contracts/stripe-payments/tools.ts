/**
 * Tools for Stripe's API under the contract beside this file: payment intents and refunds.
 *
 * Each request carries the key of its action twice. Stripe recognises a repetition by the header `Idempotency-Key`, and
 * the metadata show the key on the record, by which a payment is found again after a lost answer.
 */

/** Settings. `baseUrl` and `fetch` are for tests, and for proxies. */
export interface Options {
  readonly secretKey: string
  readonly baseUrl?: string
  readonly fetch?: typeof globalThis.fetch
}

interface Context {
  readonly key: string | undefined
  readonly signal: AbortSignal
  readonly observed: unknown
}

interface Payment {
  readonly order: string
  readonly amount: number
  readonly currency: string
  readonly customer: string
  readonly payment_method: string
}

interface Refund {
  readonly payment: string
  readonly refund: string
  readonly amount: number
}

interface Found {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly payment_intent?: string
  readonly metadata: Readonly<Record<string, string>>
}

interface Page {
  readonly data: ReadonlyArray<Found>
  readonly has_more: boolean
}

/** Seconds of which the list is searched for a key: as long as the contract says that keys are kept. */
const searchedSeconds = 24 * 60 * 60

/** Pages of a hundred entries that are searched. A key that is not among them throws: it is not known to be absent. */
const pagesMax = 50

/** An error that says for good that nothing happened. Whatever else is thrown leaves the outcome unknown. */
const refused = (detail: unknown): Error =>
  Object.assign(new Error(JSON.stringify(detail)), { _tag: "ToolRefused", detail })

/** Makes the tools. */
export const stripePayments = ({
  baseUrl = "https://api.stripe.com",
  fetch = globalThis.fetch,
  secretKey
}: Options) => {
  const ask = async <A>(path: string, signal: AbortSignal, form?: URLSearchParams, key = ""): Promise<A> => {
    const response = await fetch(`${baseUrl}/v1/${path}`, {
      method: form === undefined ? "GET" : "POST",
      signal,
      headers: {
        authorization: `Bearer ${secretKey}`,
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded", "idempotency-key": key })
      },
      ...(form === undefined ? {} : { body: form.toString() })
    })
    const answer = (await response.json()) as A & { readonly error?: object }
    if (response.ok) return answer
    // 409: a request under this key is under way. 429 and 5xx: nobody knows. All others were refused.
    const isKnown = response.status < 500 && response.status !== 409 && response.status !== 429
    throw isKnown ? refused(answer.error ?? answer) : new Error(`Stripe answered ${response.status}`)
  }

  const withKey = async (list: string, { key, signal }: Context): Promise<ReadonlyArray<Found>> => {
    const found: Array<Found> = []
    const since = Math.floor(Date.now() / 1000) - searchedSeconds
    let after = ""
    for (let page = 0; page < pagesMax; page++) {
      const query = `${list}${list.includes("?") ? "&" : "?"}limit=100&created[gte]=${since}${after}`
      const { data, has_more: hasMore } = await ask<Page>(query, signal)
      found.push(...data.filter(({ metadata }) => metadata["backstitch_key"] === key))
      const last = data.at(-1)
      if (!hasMore || last === undefined) return found
      after = `&starting_after=${last.id}`
    }
    throw new Error(`the key is not among the latest ${pagesMax * 100} entries`)
  }

  const shown = (found: Found, count: number) => ({
    id: found.id,
    amount: found.amount,
    currency: found.currency,
    status: found.status,
    key: found.metadata["backstitch_key"] ?? null,
    order: found.metadata["order"] ?? null,
    payment: found.payment_intent ?? null,
    count
  })

  const find = async (list: string, context: Context) => {
    const all = await withKey(list, context)
    const first = all.find(({ status }) => status !== "requires_payment_method") ?? all[0]
    return first && shown(first, all.length)
  }

  return {
    create_payment: {
      execute: async (args: Payment, { key = "", signal }: Context) => {
        const form = new URLSearchParams({
          amount: String(args.amount),
          currency: args.currency,
          customer: args.customer,
          payment_method: args.payment_method,
          confirm: "true",
          off_session: "true",
          "metadata[backstitch_key]": key,
          "metadata[order]": args.order
        })
        const { id } = await ask<Found>("payment_intents", signal, form, key)
        return { id }
      },
      status: async (context: Context) => {
        const found = await find("payment_intents", context)
        return found === undefined || found.status === "requires_payment_method" ? undefined : { id: found.id }
      },
      readback: (context: Context) => find("payment_intents", context)
    },
    refund_payment: {
      execute: async (args: Refund, { key = "", signal }: Context) => {
        const form = new URLSearchParams({
          payment_intent: args.payment,
          amount: String(args.amount),
          "metadata[backstitch_key]": key
        })
        const { id } = await ask<Found>("refunds", signal, form, key)
        return { id }
      },
      status: async (context: Context, { payment }: Refund) => {
        const found = await find(`refunds?payment_intent=${payment}`, context)
        return found && { id: found.id }
      },
      readback: (context: Context, { payment }: Refund) => find(`refunds?payment_intent=${payment}`, context)
    }
  }
}
