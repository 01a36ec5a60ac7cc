/**
 * Carries out the requests that change the world, correctly or with a fault.
 *
 * The record, its idempotency key and the line in the log are one transaction. A final refusal is stored under its
 * key like any other answer.
 */
import type { Command } from "./Command.ts"
import type { Database } from "./Database.ts"
import * as Delivery from "./Delivery.ts"
import { DomainError, refused } from "./DomainError.ts"
import type { Fault } from "./Faults.ts"
import { requestHash } from "./IdempotencyKeys.ts"
import type { Receipt, Twist } from "./Receipt.ts"
import type { Records } from "./Records.ts"
import type { Entry, Outcome } from "./RequestLog.ts"
import type { Mutation } from "./Tool.ts"

/** A mutation as requested. */
export interface MutationRequest {
  readonly tenant: string
  readonly key: string | null
  readonly command: Command
}

/** The answer to a request, and its line of the log. */
interface End {
  readonly answer: Delivery.Answer
  readonly entry: Pick<Entry, "outcome" | "code" | "id" | "committed">
}

/** The time for which a request that is never answered is held, in milliseconds, if the request names none. */
const holdMillis = 30_000

/** The component that carries out mutations. */
export class Mutations {
  readonly #database: Database
  readonly #records: Records
  readonly #now: () => number
  readonly #settleAfterMillis: number
  readonly #underWay = new Set<NodeJS.Timeout>()

  constructor(options: {
    readonly database: Database
    readonly records: Records
    readonly now: () => number
    readonly settleAfterMillis: number
  }) {
    this.#database = options.database
    this.#records = options.records
    this.#now = options.now
    this.#settleAfterMillis = options.settleAfterMillis
  }

  /** Carries out a request under a fault, if any. */
  execute(request: MutationRequest, fault: Fault | undefined): Delivery.Delivery {
    switch (fault?.kind) {
      case "unavailable": {
        const error = new DomainError({
          status: 503,
          code: "unavailable",
          message: `${request.command.tool} is unavailable and did nothing; repeat the request later`
        })
        this.#log(request, fault, { outcome: "refused", code: error.code, committed: false })
        return Delivery.refusal(error)
      }
      case "timeout_before_commit":
        this.#log(request, fault, { outcome: "dropped", committed: false })
        return { way: "hold", forMillis: fault.delayMillis ?? holdMillis }
      case "slow_commit":
      case "late_commit":
      case "queued":
      case "queued_refused":
        return this.#defer(request, fault)
      default: {
        const { answer } = this.#settle(request, fault, (end) => this.#log(request, fault, end.entry))
        return Delivery.under(fault, answer)
      }
    }
  }

  /** Drops the commits that are still under way. */
  close(): void {
    for (const timer of this.#underWay) clearTimeout(timer)
    this.#underWay.clear()
    this.#records.keys.dropPending()
  }

  /** Lets the mutation happen later. Until then its key is pending (slow, queued) or unknown (late). */
  #defer(request: MutationRequest, fault: Fault): Delivery.Delivery {
    const known = request.key === null ? undefined : this.#records.keys.find(request.tenant, request.key, this.#now())
    if (known !== undefined) {
      this.#settle(request, undefined, (end) => this.#log(request, fault, end.entry))
      return wayOf(request, fault)
    }
    const reserved = fault.kind !== "late_commit" && request.key !== null ? { ...request, key: request.key } : undefined
    const then: Fault | undefined = fault.kind === "queued_refused" ? { ...fault, kind: "refuse" } : undefined
    const line = this.#database.transaction(() => {
      if (reserved !== undefined) this.#records.keys.reserve(reserved, this.#now())
      return this.#log(request, fault, { outcome: "deferred", committed: false })
    })
    const timer = setTimeout(() => {
      this.#underWay.delete(timer)
      if (reserved !== undefined) this.#records.keys.forget(reserved.tenant, reserved.key)
      this.#settle(request, then, ({ entry }) => {
        const outcome: Outcome = entry.outcome === "replayed" ? "dropped" : entry.outcome
        this.#records.log.settle(line, { ...entry, outcome })
      })
    }, fault.delayMillis ?? this.#settleAfterMillis)
    this.#underWay.add(timer)
    return wayOf(request, fault)
  }

  /** Settles a request in one transaction, which includes what `record` writes. */
  #settle(request: MutationRequest, fault: Fault | undefined, record: (end: End) => void): End {
    try {
      return this.#database.transaction(() => {
        const end = this.#stored(request) ?? this.#commit(request, fault)
        record(end)
        return end
      })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      const answer = { status: error.status, body: error.toBody() }
      const end: End = { answer, entry: { outcome: "refused", code: error.code, committed: false } }
      return this.#database.transaction(() => {
        if (error.final) this.#remember(request, { kind: null, id: null, ...answer })
        record(end)
        return end
      })
    }
  }

  /** The answer that is stored under the key. */
  #stored({ command, key, tenant }: MutationRequest): End | undefined {
    const row = key === null ? undefined : this.#records.keys.find(tenant, key, this.#now())
    if (row === undefined) return undefined
    if (row.requestHash !== requestHash(command)) {
      throw new DomainError({
        status: 422,
        code: "key_reused",
        message: `Key ${row.key} stands for another request (${row.tool}); send a new key for a new request`
      })
    }
    if (row.state === "pending" || row.status === null || row.response === null) {
      throw new DomainError({
        status: 409,
        code: "in_progress",
        message: `The request with key ${row.key} is being processed; ask GET /status/${encodeURIComponent(row.key)}`
      })
    }
    return {
      answer: { status: row.status, body: row.response, replayed: true },
      entry: { outcome: "replayed", committed: false, ...(row.id === null ? {} : { id: row.id }) }
    }
  }

  /** Writes the record and its key. */
  #commit(request: MutationRequest, fault: Fault | undefined): End {
    if (fault?.kind === "refuse") throw refusals[request.command.tool]
    const twist = twistOf(fault)
    const receipt = this.#perform(request, twist)
    if (fault?.kind === "duplicate_on_missing_key" && request.key === null) this.#performAgain(request)
    const answer = { status: receipt.status, body: JSON.stringify(receipt.body) }
    const committed = twist !== "lie"
    if (committed) this.#remember(request, { kind: receipt.kind, id: receipt.id, ...answer })
    return { answer, entry: { outcome: committed ? "done" : "lied", id: receipt.id, committed } }
  }

  #perform({ command, tenant }: MutationRequest, twist: Twist): Receipt {
    const now = this.#now()
    switch (command.tool) {
      case "book_flight":
        return this.#records.bookings.book({ tenant, ...command }, twist, now)
      case "cancel_flight":
        return this.#records.bookings.cancel({ tenant, id: command.pnr }, twist, now)
      case "book_hotel":
        return this.#records.stays.book({ tenant, ...command }, twist, now)
      case "cancel_hotel":
        return this.#records.stays.cancel({ tenant, id: command.stay }, twist, now)
      case "charge_card":
        return this.#records.payments.charge({ tenant, ...command }, twist, now)
      case "refund_charge":
        return this.#records.payments.refund({ tenant, ...command }, twist, now)
      case "send_confirmation":
        return this.#records.messages.send({ tenant, ...command }, twist, now)
    }
  }

  /** Writes a second row; if the rules forbid a second row, there is only the first. */
  #performAgain(request: MutationRequest): void {
    try {
      this.#perform(request, "none")
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }

  #remember(
    { command, key, tenant }: MutationRequest,
    end: { readonly kind: string | null; readonly id: string | null; readonly status: number; readonly body: string }
  ): void {
    if (key === null) return
    const settled = { kind: end.kind, id: end.id, status: end.status, response: end.body }
    this.#records.keys.settle({ tenant, key, command }, settled, this.#now())
  }

  #log(
    { command, key, tenant }: MutationRequest,
    fault: Fault | undefined,
    end: Pick<Entry, "outcome" | "code" | "id" | "committed">
  ): number {
    return this.#records.log.add({
      at: this.#now(),
      tenant,
      tool: command.tool,
      key,
      fault: fault?.kind ?? null,
      ...end
    })
  }
}

/** The sender of a queued request is told that it is accepted; other senders get no answer. */
const wayOf = ({ command, key }: MutationRequest, { kind }: Fault): Delivery.Delivery =>
  kind === "queued" || kind === "queued_refused"
    ? Delivery.json(202, { state: "pending", tool: command.tool, key })
    : { way: "cut" }

const twistOf = (fault: Fault | undefined): Twist => {
  switch (fault?.kind) {
    case "lie":
    case "partial":
    case "wrong_target":
      return fault.kind
    default:
      return "none"
  }
}

/** The refusal of each tool under the fault `refuse`. */
const refusals: Readonly<Record<Mutation, DomainError>> = {
  book_flight: refused("sold_out", "The flight has no seat left; choose another flight"),
  cancel_flight: refused("not_cancellable", "The booking can't be cancelled any more; ask the airline"),
  book_hotel: refused("no_rooms", "The hotel is full on one of the nights; choose another hotel or date"),
  cancel_hotel: refused("not_cancellable", "The stay can't be cancelled any more; ask the hotel"),
  charge_card: refused("card_declined", "The card is declined; use another card", 402),
  refund_charge: refused("refund_refused", "The charge can't be refunded any more; ask the bank"),
  send_confirmation: refused("recipient_refused", "The recipient takes no messages; use another address")
}
