/** Ordering through a department with vendors, approvals and budgets of its own. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Procurement from "../tools/Procurement.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const wanted: Procurement.Order = {
  vendor: "officina",
  sku: "desk-140",
  quantity: 2,
  amount: 80_000,
  currency: "CHF",
  allocation: "it-2026",
  approver: "grace"
}

/** A department with one offer and one budget. */
const department = async (
  name: string,
  more: { readonly offer?: JsonObject; readonly budget?: JsonObject; readonly settings?: JsonObject } = {}
) => {
  const client = Client.make(world.url, "procurement", name)
  const offer = { price: 40_000, currency: "CHF", terms: "net30", authorized: true }
  await client.enter("catalogue", "officina:desk-140", { ...offer, ...more.offer })
  await client.enter("catalogue", "barato:desk-140", { ...offer, authorized: false })
  await client.enter("budgets", "it-2026", { remaining: 100_000, owner: "grace", ...more.budget })
  await client.enter("settings", "main", more.settings ?? {})
  return client
}
const orders = async (...about: Parameters<typeof department>) =>
  lab.act(Procurement.order(await department(...about)), wanted)

describe.concurrent("an order", () => {
  it("is confirmed when register, catalogue and budget agree", async () => {
    lab.isReconciled(await orders("plain"))
  })

  it("goes to an unauthorised vendor, as the first is sold out: vendor_not_authorized", async () => {
    const trial = await orders("stock", { offer: { deliveredBy: "barato" } })
    assert.deepStrictEqual(lab.isHeldFor(trial, "vendor_not_authorized", "wrong_target_modified"), { listed: false })
  })

  it("costs the present price of the catalogue: price_differs", async () => {
    const trial = await orders("price", { offer: { price: 42_000 } })
    assert.deepStrictEqual(lab.isHeldFor(trial, "price_differs", "value_mismatch"), { amount: 84_000, currency: "CHF" })
  })

  it("takes a soft budget below zero: over_budget", async () => {
    const trial = await orders("budget", { budget: { remaining: 50_000 } })
    assert.deepStrictEqual(lab.isHeldFor(trial, "over_budget", "value_mismatch"), { remaining: -30_000 })
  })

  it("passes without the signature that the contract wants: no_approval", async () => {
    const trial = await orders("unsigned", { settings: { unsignedBelow: 100_000 } })
    assert.deepStrictEqual(lab.isHeldFor(trial, "no_approval", "value_mismatch"), { approvals: [], status: "ordered" })
  })

  it("is twice in a register that stuttered and has lost its keys: duplicate_order", async () => {
    const trial = await orders("stutter", { settings: { forgetsKeys: true, stutters: 1 } })
    assert.deepStrictEqual(lab.isHeldFor(trial, "duplicate_order", "duplicate_side_effect"), { count: 2 })
  })

  it("is turned down, since the budget is frozen: rejected", async () => {
    const trial = await orders("frozen", { budget: { frozen: true } })
    assert.deepStrictEqual(lab.isHeldFor(trial, "rejected", "no_op_failure"), { status: "rejected" })
  })
})
