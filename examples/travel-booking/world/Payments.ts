/**
 * Cards, their charges, and their refunds.
 *
 * Amounts are integers in minor units. A charge never changes; its refunds are rows of their own, so a second refund
 * of the same charge is visible.
 */
import type { Database, Query } from "./Database.ts"
import { noOtherTarget, notFound, refused } from "./DomainError.ts"
import type { Receipt, Twist } from "./Receipt.ts"
import * as Reference from "./Reference.ts"
import * as Seed from "./Seed.ts"
import * as View from "./View.ts"

/** Tables of this noun. */
export const schema = `
CREATE TABLE IF NOT EXISTS cards (
  card TEXT PRIMARY KEY, currency TEXT NOT NULL, spendingLimit INTEGER, blocked INTEGER NOT NULL,
  spent INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS charges (
  number INTEGER PRIMARY KEY, charge TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, card TEXT NOT NULL REFERENCES cards,
  amount INTEGER NOT NULL, currency TEXT NOT NULL, reference TEXT NOT NULL, createdAt INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS refunds (
  number INTEGER PRIMARY KEY, refund TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
  charge TEXT NOT NULL REFERENCES charges (charge), amount INTEGER NOT NULL, createdAt INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS refundsByCharge ON refunds (charge);
`

type CardRow = {
  readonly card: string
  readonly currency: string
  readonly spendingLimit: number | null
  readonly blocked: number
  readonly spent: number
}

type ChargeRow = {
  readonly number: number
  readonly charge: string
  readonly tenant: string
  readonly card: string
  readonly amount: number
  readonly currency: string
  readonly reference: string
  readonly createdAt: number
}

type RefundRow = { readonly amount: number; readonly createdAt: number }

/** The payments of the world. */
export class Payments {
  readonly #insertCard: Query<CardRow>
  readonly #findCard: Query<CardRow>
  readonly #otherCard: Query<CardRow>
  readonly #spend: Query<CardRow>
  readonly #insertCharge: Query<ChargeRow>
  readonly #findCharge: Query<ChargeRow>
  readonly #otherCharges: Query<ChargeRow & { readonly remaining: number }>
  readonly #insertRefund: Query<RefundRow>
  readonly #refunds: Query<RefundRow>
  #lastCharge: number
  #lastRefund: number
  #phantoms = 0

  constructor(database: Database) {
    this.#insertCard = database.query(
      "INSERT OR IGNORE INTO cards (card, currency, spendingLimit, blocked) VALUES (?, ?, ?, ?)"
    )
    this.#findCard = database.query("SELECT * FROM cards WHERE card = ?")
    this.#otherCard = database.query(
      "SELECT * FROM cards WHERE card <> ? AND currency = ? AND blocked = 0 ORDER BY card LIMIT 1"
    )
    this.#spend = database.query("UPDATE cards SET spent = spent + ?2 WHERE card = ?1")
    this.#insertCharge = database.query("INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    this.#findCharge = database.query("SELECT * FROM charges WHERE charge = ? AND tenant = ?")
    this.#otherCharges = database.query(
      `SELECT * FROM (SELECT *, amount - (SELECT COALESCE(SUM(amount), 0) FROM refunds
       WHERE refunds.charge = charges.charge) AS remaining FROM charges WHERE charge <> ? AND tenant = ?)
       WHERE remaining > 0 ORDER BY number DESC LIMIT 1`
    )
    this.#insertRefund = database.query("INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?)")
    this.#refunds = database.query("SELECT amount, createdAt FROM refunds WHERE charge = ? ORDER BY number")
    const last = (table: "charges" | "refunds") =>
      database.query<{ last: number | null }>(`SELECT MAX(number) AS last FROM ${table}`).one()?.last ?? 0
    this.#lastCharge = last("charges")
    this.#lastRefund = last("refunds")
  }

  /** Writes the missing rows of the seed. */
  seed(): void {
    for (const { blocked, card, currency, spendingLimit } of Seed.cards) {
      this.#insertCard.run(card, currency, spendingLimit, blocked ? 1 : 0)
    }
  }

  /** Charges a card. If it is done only in part, half of the amount is charged. */
  charge(
    order: {
      readonly tenant: string
      readonly card: string
      readonly amount: number
      readonly currency: string
      readonly reference: string
    },
    twist: Twist,
    now: number
  ): Receipt {
    const asked = this.#findCard.one(order.card)
    if (asked === undefined) throw notFound("card_not_found", `No card ${order.card}; use a card on file`)
    const card = twist === "wrong_target" ? this.#otherCard.one(order.card, order.currency) : asked
    if (card === undefined) throw noOtherTarget(`card ${order.card}`)
    if (card.blocked === 1) throw refused("card_declined", `Card ${card.card} is declined; use another card`, 402)
    if (card.currency !== order.currency) {
      throw refused("currency_not_accepted", `Card ${card.card} pays in ${card.currency}, not ${order.currency}`, 402)
    }
    if (twist !== "wrong_target" && card.spendingLimit !== null && card.spent + order.amount > card.spendingLimit) {
      const left = card.spendingLimit - card.spent
      throw refused("limit_exceeded", `Card ${card.card} has ${left} left, not ${order.amount}; use another card`, 402)
    }
    const charge = Reference.numbered("CH", twist === "lie" ? Reference.phantom + ++this.#phantoms : ++this.#lastCharge)
    const claimed = { number: this.#lastCharge, charge, ...order, createdAt: now }
    if (twist !== "lie") {
      const amount = twist === "partial" ? Math.floor(order.amount / 2) : order.amount
      this.#insertCharge.run(
        ...[this.#lastCharge, charge, order.tenant, card.card, amount, order.currency, order.reference, now]
      )
      this.#spend.run(card.card, amount)
    }
    return { kind: "charge", id: charge, status: 201, body: toJson(claimed, []) }
  }

  /** Gives back an amount, or the whole remaining amount. If it is done only in part, half of it is given back. */
  refund(
    order: { readonly tenant: string; readonly charge: string; readonly amount: number | null },
    twist: Twist,
    now: number
  ): Receipt {
    const asked = this.#findCharge.one(order.charge, order.tenant)
    if (asked === undefined) throw unknownCharge(order.charge)
    const remaining = asked.amount - total(this.#refunds.all(asked.charge))
    if (remaining === 0) throw refused("already_refunded", `Charge ${order.charge} is already refunded in full`)
    const wanted = order.amount ?? remaining
    if (wanted > remaining) {
      throw refused("refund_exceeds_charge", `Charge ${order.charge} has ${remaining} left to refund, not ${wanted}`)
    }
    const other = twist === "wrong_target" ? this.#otherCharges.one(order.charge, order.tenant) : undefined
    if (twist === "wrong_target" && other === undefined) throw noOtherTarget(`charge ${order.charge}`)
    const target = other ?? asked
    const refund = Reference.numbered("RF", twist === "lie" ? Reference.phantom + ++this.#phantoms : ++this.#lastRefund)
    if (twist !== "lie") {
      const possible = Math.min(wanted, other?.remaining ?? wanted)
      const amount = twist === "partial" ? Math.floor(possible / 2) : possible
      this.#insertRefund.run(this.#lastRefund, refund, order.tenant, target.charge, amount, now)
      this.#spend.run(target.card, -amount)
    }
    const refunded = asked.amount - remaining + wanted
    const body = { refund, charge: asked.charge, amount: wanted, currency: asked.currency, refunded }
    return { kind: "refund", id: refund, status: 201, body }
  }

  /** The charge as a reader sees it. */
  read(options: { readonly tenant: string; readonly id: string; readonly view: View.View }): unknown {
    const row = this.#findCharge.one(options.id, options.tenant)
    if (row === undefined) throw unknownCharge(options.id)
    const refunds = this.#refunds.all(options.id)
    const version = View.version(options.view, [row.createdAt, ...refunds.map((refund) => refund.createdAt)])
    if (version === 0) throw unknownCharge(options.id)
    return toJson(row, refunds.slice(0, version - 1))
  }
}

const unknownCharge = (charge: string) =>
  notFound("charge_not_found", `No charge ${charge}; check the id and the tenant`)

const total = (refunds: ReadonlyArray<RefundRow>): number => refunds.reduce((sum, refund) => sum + refund.amount, 0)

const toJson = (row: ChargeRow, refunds: ReadonlyArray<RefundRow>) => {
  const refunded = total(refunds)
  return {
    charge: row.charge,
    card: row.card,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    status: refunded === 0 ? "captured" : refunded < row.amount ? "partially_refunded" : "refunded",
    refunded,
    version: refunds.length + 1
  }
}
