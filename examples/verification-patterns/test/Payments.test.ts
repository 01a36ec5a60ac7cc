/** Charging and refunding through a processor with accounts, and a merchant with books of their own. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Payments from "../tools/Payments.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const order: Payments.Charge = { account: "ada", amount: 8_000, currency: "CHF" }

/** A merchant of whom one card is known. */
const merchant = async (name: string, account: JsonObject = {}) => {
  const client = Client.make(world.url, "payments", name)
  await client.enter("accounts", order.account, { balance: 100_000, ...account })
  return client
}
const charges = (client: Client.Client) => lab.act(Payments.charge(client), order)

describe.concurrent("a payment", () => {
  it("is confirmed when processor and books agree", async () => {
    const client = await merchant("plain")
    const charged = await charges(client)
    lab.isReconciled(charged)
    const { id } = (charged.outcome as { readonly output: JsonObject }).output
    lab.isReconciled(await lab.act(Payments.refund(client), { ...order, charge: id, refund: 3_000 }))
  })

  it("is not made from an empty account: declined", async () => {
    const trial = await charges(await merchant("empty", { balance: 10 }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "declined", "no_op_failure"), { status: "declined" })
  })

  it("is made twice by a processor that stuttered and has lost its keys: duplicate_charge", async () => {
    const client = await merchant("stutter")
    await client.enter("settings", "main", { forgetsKeys: true, stutters: 1 })
    assert.deepStrictEqual(lab.isHeldFor(await charges(client), "duplicate_charge", "duplicate_side_effect"), {
      count: 2
    })
  })

  it("takes the rest of the money on a prepaid card: amount_differs", async () => {
    const trial = await charges(await merchant("prepaid", { balance: 5_000, prepaid: true }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "amount_differs", "value_mismatch"), { amount: 5_000, currency: "CHF" })
  })

  it("is looked at by the processor's people, beyond its time: pending_too_long", async () => {
    const trial = await charges(await merchant("review", { underReview: true }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "pending_too_long", "unknown_state"), { status: "pending" })
  })

  it("is captured and does not reach the bank: settlement_failed", async () => {
    lab.isHeldFor(await charges(await merchant("bank", { bank: "closed" })), "settlement_failed", "partial_application")
  })

  it("goes back less a fee: refund_differs", async () => {
    const client = await merchant("fee", { refundFee: 150 })
    const charged = await charges(client)
    const { id } = (charged.outcome as { readonly output: JsonObject }).output
    const trial = await lab.act(Payments.refund(client), { ...order, charge: id, refund: 3_000 })
    assert.deepStrictEqual(lab.isHeldFor(trial, "refund_differs", "value_mismatch"), { refunded: 2_850 })
  })

  it("is missing from books whose period is closed: ledgers_diverge", async () => {
    const client = await merchant("closed")
    await client.enter("settings", "main", { periodClosed: true })
    assert.deepStrictEqual(lab.isHeldFor(await charges(client), "ledgers_diverge", "partial_application"), {
      amount: 8_000,
      ledger: null,
      status: "settled"
    })
  })
})
