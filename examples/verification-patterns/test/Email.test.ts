/** Sending a message through a provider with its own state: each known failure is provoked there. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Email from "../tools/Email.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const letter = { from: "desk@acme.example", to: "ada@mail.example", subject: "Your seat", text: "Seat 4A is yours." }

/** A customer of the provider, whose domain signs its messages. */
const customer = async (name: string) => {
  const client = Client.make(world.url, "email", name)
  await client.enter("domains", "acme.example", { signs: true })
  return client
}
const sends = (client: Client.Client, more: Partial<Email.Letter> = {}) =>
  lab.act(Email.send(client), Email.args({ ...letter, ...more }))

describe.concurrent("a message", () => {
  it("is confirmed once it is delivered as it was written", async () => {
    const trial = await sends(await customer("plain"))
    lab.isReconciled(trial)
    lab.wasAccepted(trial)
  })

  it("bounces off a mailbox that is full: bounced", async () => {
    const client = await customer("full")
    await client.enter("mailboxes", letter.to, { quota: 0 })
    assert.deepStrictEqual(lab.isHeldFor(await sends(client), "bounced", "value_mismatch"), { status: "bounced" })
  })

  it("is turned away by a domain that refuses its sender: rejected", async () => {
    const client = await customer("refused")
    await client.enter("domains", "mail.example", { refuses: letter.from })
    lab.isHeldFor(await sends(client), "rejected", "no_op_failure")
  })

  it("is put aside by the filter of the other side: quarantined", async () => {
    const client = await customer("filtered")
    await client.enter("domains", "mail.example", { filters: "winner" })
    lab.isHeldFor(await sends(client, { subject: "You are a winner" }), "quarantined", "value_mismatch")
  })

  it("is not sent to a recipient who has complained: suppressed", async () => {
    const client = await customer("complained")
    await client.enter("suppressions", letter.to, { since: "yesterday" })
    assert.deepStrictEqual(lab.isHeldFor(await sends(client), "suppressed", "no_op_failure"), {
      status: "suppressed",
      suppressed: true
    })
  })

  it("goes to the catch-all of a gateway that was left in rehearsal: wrong_recipient", async () => {
    const client = await customer("rehearsal")
    await client.enter("settings", "main", { catchAll: "all@rehearsal.example" })
    assert.deepStrictEqual(lab.isHeldFor(await sends(client), "wrong_recipient", "wrong_target_modified"), {
      recipient: "all@rehearsal.example"
    })
  })

  it("is sent again by a gateway that stuttered and has lost its keys: sent_twice", async () => {
    const client = await customer("stutter")
    await client.enter("settings", "main", { forgetsKeys: true, stutters: 1 })
    assert.deepStrictEqual(lab.isHeldFor(await sends(client), "sent_twice", "duplicate_side_effect"), { count: 2 })
  })

  it("is sent once by a gateway that stuttered and keeps its keys", async () => {
    const client = await customer("keyed")
    await client.enter("settings", "main", { stutters: 1 })
    lab.isReconciled(await sends(client))
  })

  it("waits at a domain that asks to come back later, beyond its time: delivery_unknown", async () => {
    const client = await customer("later")
    await client.enter("domains", "mail.example", { greylists: true })
    assert.deepStrictEqual(lab.isHeldFor(await sends(client), "delivery_unknown", "unknown_state"), {
      status: "deferred"
    })
  })

  it("is not confirmed if its signature or its text is not the sender's", async () => {
    const [unsigned, altered] = [Client.make(world.url, "email", "unsigned"), await customer("altered")]
    await altered.enter("settings", "main", { footer: "Sent by a free account." })
    lab.isHeldFor(await sends(unsigned), "aligned", "value_mismatch")
    lab.isHeldFor(await sends(altered), "body", "value_mismatch")
  })
})
