/** Asks a world over HTTP, for the tests. */
import * as World from "../World.ts"

/**
 * Every field that some endpoint answers. Nothing is checked here: a test reads the fields of the endpoint it asked.
 */
export interface Body {
  readonly error: { readonly code: string; readonly message: string }
  readonly flights: ReadonlyArray<{
    readonly number: string
    readonly price: number
    readonly currency: string
    readonly seats: number
  }>
  readonly hotels: ReadonlyArray<{ readonly hotel: string; readonly rooms: number }>
  readonly pnr: string
  readonly flight: string
  readonly stay: string
  readonly hotel: string
  readonly nights: number
  readonly charge: string
  readonly card: string
  readonly amount: number
  readonly message: string
  readonly to: string
  readonly price: number
  readonly cancellationFee: number
  readonly refunded: number
  readonly status: string | number
  readonly state: string
  readonly kind: string
  readonly id: string
  readonly response: Body
  readonly armed: ReadonlyArray<{ readonly tool: string; readonly kind: string; readonly times: number }>
}

/** The rows of the world's database. */
export interface Truth {
  readonly counts: Readonly<Record<Table, number>>
  readonly rows: Readonly<Record<Table, ReadonlyArray<Readonly<Record<string, string | number | null>>>>>
}

/** The tables of the world. */
export type Table =
  | "bookings"
  | "stays"
  | "charges"
  | "refunds"
  | "messages"
  | "flights"
  | "nights"
  | "cards"
  | "keys"
  | "requests"

/** An answer, or the fact that none came. */
export interface Reply {
  readonly status: number
  readonly body: Body
  /** The same body, to be compared as a whole. */
  readonly json: unknown
  readonly replayed: boolean
  readonly text: string
}

/** The headers that may accompany a request. */
export interface Extras {
  readonly key?: string
  readonly tenant?: string
  readonly fault?: string
  readonly timeoutMillis?: number
}

/** The body of a reply that is not JSON. */
const nothing: Body = JSON.parse("{}")

/** A reply without an answer: `lost` if the connection was cut, `timeout` if the client gave up. */
const without = (text: "lost" | "timeout"): Reply => ({
  status: 0,
  body: nothing,
  json: undefined,
  replayed: false,
  text
})

/** A client of one world. */
export class WorldClient {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  /** Sends any request. A body that is not a text is sent as JSON. */
  async send(method: string, path: string, body?: unknown, extras: Extras = {}): Promise<Reply> {
    const headers: Record<string, string> = {}
    if (extras.key !== undefined) headers["Idempotency-Key"] = extras.key
    if (extras.tenant !== undefined) headers["Tenant"] = extras.tenant
    if (extras.fault !== undefined) headers["Fault"] = extras.fault
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(extras.timeoutMillis ?? 10_000),
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      const replayed = response.headers.get("idempotent-replayed") === "true"
      const isJson = response.headers.get("content-type") === "application/json"
      const answer: Body = isJson ? JSON.parse(text) : nothing
      return { status: response.status, body: answer, json: isJson ? answer : undefined, replayed, text }
    } catch (error) {
      return without(error instanceof DOMException && error.name === "TimeoutError" ? "timeout" : "lost")
    }
  }

  get(path: string, extras?: Extras): Promise<Reply> {
    return this.send("GET", path, undefined, extras)
  }

  post(path: string, body?: unknown, extras?: Extras): Promise<Reply> {
    return this.send("POST", path, body, extras)
  }

  /** Arms a fault. */
  async arm(fault: Record<string, unknown>): Promise<void> {
    const reply = await this.post("/faults", fault)
    if (reply.status !== 201) throw new Error(reply.text)
  }

  /** The rows of the world's database. */
  async audit(query = ""): Promise<Truth> {
    return JSON.parse((await this.get(`/audit${query}`)).text)
  }

  /** Waits until a deferred commit is made. */
  async settled(): Promise<void> {
    for (;;) {
      const { rows } = await this.audit("?tables=requests")
      if (!rows.requests.some((request) => request["outcome"] === "deferred")) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

/** Runs a test against a new world, and closes it. */
export const withWorld =
  (test: (client: WorldClient) => Promise<void>, options: World.WorldOptions = {}) =>
  async (): Promise<void> => {
    const world = await World.start(options)
    try {
      await test(new WorldClient(world.url))
    } finally {
      await world.close()
    }
  }
