/**
 * Answers the requests that only read.
 *
 * Reads are strongly consistent unless the request asks for the replica or a fault makes it stale.
 */
import * as Delivery from "./Delivery.ts"
import { DomainError } from "./DomainError.ts"
import type { Fault } from "./Faults.ts"
import * as Input from "./Input.ts"
import type { Records } from "./Records.ts"
import type { Read } from "./Tool.ts"
import * as View from "./View.ts"

/** A read as requested; `id` is the part of the path that names a record or a key. */
export interface ReadRequest {
  readonly tenant: string
  readonly tool: Read
  readonly id: string
  readonly query: URLSearchParams
}

/** The time for which a request that is never answered is held, in milliseconds, if the request names none. */
const holdMillis = 30_000

/** The component that answers reads. */
export class Reads {
  readonly #records: Records
  readonly #now: () => number
  readonly #replicaLagMillis: number

  constructor(options: {
    readonly records: Records
    readonly now: () => number
    readonly replicaLagMillis: number
  }) {
    this.#records = options.records
    this.#now = options.now
    this.#replicaLagMillis = options.replicaLagMillis
  }

  /** Answers a request under a fault, if any. */
  execute(request: ReadRequest, fault: Fault | undefined): Delivery.Delivery {
    if (fault?.kind === "timeout_before_commit") {
      this.#log(request, fault, { outcome: "dropped" })
      return { way: "hold", forMillis: fault.delayMillis ?? holdMillis }
    }
    try {
      if (fault?.kind === "refuse" || fault?.kind === "unavailable") throw refusal(fault.kind, request.tool)
      const answer = this.#answer(request, this.#view(request, fault))
      this.#log(request, fault, { outcome: "done" })
      return Delivery.under(fault, answer)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      this.#log(request, fault, { outcome: "refused", code: error.code })
      return Delivery.under(fault, { status: error.status, body: error.toBody() })
    }
  }

  #view(request: ReadRequest, fault: Fault | undefined): View.View {
    if (fault?.kind === "stale_read") return View.previous
    if (!request.query.has("consistency")) return View.current
    const wanted = Input.oneOf(Input.fromQuery(request.query), "consistency", ["strong", "replica"])
    return wanted === "strong" ? View.current : { mode: "asOf", time: this.#now() - this.#replicaLagMillis }
  }

  #answer({ id, query, tenant, tool }: ReadRequest, view: View.View): Delivery.Answer {
    switch (tool) {
      case "search_flights": {
        const fields = Input.fromQuery(query)
        const from = Input.text(fields, "from")
        return ok(
          this.#records.flights.search({ from, to: Input.text(fields, "to"), date: Input.date(fields, "date"), view })
        )
      }
      case "search_hotels": {
        const fields = Input.fromQuery(query)
        const nights = Input.integer(fields, "nights", { min: 1, max: 30 })
        const city = Input.text(fields, "city")
        return ok(this.#records.hotels.search({ city, from: Input.date(fields, "from"), nights, view }))
      }
      case "get_booking":
        return ok(this.#records.bookings.read({ tenant, id, view }))
      case "get_stay":
        return ok(this.#records.stays.read({ tenant, id, view }))
      case "get_charge":
        return ok(this.#records.payments.read({ tenant, id, view }))
      case "get_message":
        return ok(this.#records.messages.read({ tenant, id, view }))
      case "status":
        return this.#status(tenant, id, view)
    }
  }

  #status(tenant: string, key: string, view: View.View): Delivery.Answer {
    const row = this.#records.keys.find(tenant, key, this.#now())
    if (row === undefined || View.version(view, [row.createdAt]) === 0) {
      return { status: 404, body: JSON.stringify({ state: "not_found" }) }
    }
    if (row.state === "pending") return ok({ state: "pending", tool: row.tool })
    const response: unknown = row.response === null ? null : JSON.parse(row.response)
    return ok({ state: "done", tool: row.tool, kind: row.kind, id: row.id, status: row.status, response })
  }

  #log(
    { id, tenant, tool }: ReadRequest,
    fault: Fault | undefined,
    end: { readonly outcome: "done" | "refused" | "dropped"; readonly code?: string }
  ): void {
    const subject = tool === "status" ? { key: id } : { key: null, ...(id === "" ? {} : { id }) }
    this.#records.log.add({
      at: this.#now(),
      tenant,
      tool,
      fault: fault?.kind ?? null,
      committed: false,
      ...subject,
      ...end
    })
  }
}

const ok = (body: unknown): Delivery.Answer => ({ status: 200, body: JSON.stringify(body) })

const refusal = (kind: "refuse" | "unavailable", tool: Read): DomainError =>
  kind === "refuse"
    ? new DomainError({
        status: 403,
        code: "forbidden",
        message: `You may not use ${tool}; ask for access`,
        final: true
      })
    : new DomainError({ status: 503, code: "unavailable", message: `${tool} is unavailable; repeat the request later` })
