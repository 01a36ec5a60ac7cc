/** Changing a ticket at a desk with locks, rules and other people. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Client from "../tools/Client.ts"
import * as Tickets from "../tools/Tickets.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const change: Tickets.Change = {
  ticket: "T1",
  version: 7,
  values: { priority: "urgent", product: "seat" },
  assignee: "ada",
  comment: "The customer has called again."
}

/** A desk with one ticket, and the settings of its administrators. */
const desk = async (name: string, settings: JsonObject = {}) => {
  const client = Client.make(world.url, "tickets", name)
  await client.enter("settings", "main", settings)
  await client.enter("tickets", "T1", {
    ref: "case-1",
    tenant: name,
    version: 7,
    values: { priority: "low", product: "seat" },
    assignee: "bob",
    status: "open",
    workflow: "support",
    comments: [],
    lockedBy: null
  })
  return { client, tool: Tickets.update(client, name) }
}

describe.concurrent("a ticket", () => {
  it("is confirmed if record and history show the change", async () => {
    const { tool } = await desk("plain")
    lab.isReconciled(await lab.act(tool, change))
  })

  it("keeps a field that the agent may not write, without a word: field_not_updated", async () => {
    const { tool } = await desk("protected", { protects: "priority" })
    assert.deepStrictEqual(lab.isHeldFor(await lab.act(tool, change), "field_not_updated", "no_op_failure"), {
      values: { priority: "low", product: "seat" }
    })
  })

  it("is assigned by a rule: wrong_assignee", async () => {
    const { tool } = await desk("assigned", { assigns: "eve" })
    assert.deepStrictEqual(lab.isHeldFor(await lab.act(tool, change), "wrong_assignee", "value_mismatch"), {
      assignee: "eve"
    })
  })

  it("is copied to another queue when it becomes urgent: duplicate_ticket", async () => {
    const { tool } = await desk("copied", { copies: "urgent" })
    assert.deepStrictEqual(lab.isHeldFor(await lab.act(tool, change), "duplicate_ticket", "duplicate_side_effect"), {
      count: 2
    })
  })

  it("is being edited by somebody, and the change waits: record_locked", async () => {
    const { client, tool } = await desk("locked")
    const ticket = (await client.get("tickets/T1")) as JsonObject
    await client.enter("tickets", "T1", { ...ticket, lockedBy: "bob" })
    assert.deepStrictEqual(lab.isHeldFor(await lab.act(tool, change), "record_locked", "unknown_state"), {
      lockedBy: "bob"
    })
  })

  it("was changed by somebody after the plan was made: stale_state", async () => {
    const { client, tool } = await desk("overtaken")
    await client.send("PATCH", "tickets/T1", { key: "bob's", body: { values: { priority: "high" } } })
    const shown = lab.isHeldFor(await lab.act(tool, change), "stale_state", "stale_state")
    assert.deepStrictEqual(shown, { basis: 8 })
  })

  it("has no entry in a history that was switched off: no_history_entry", async () => {
    const { tool } = await desk("silent", { historyOff: true })
    assert.deepStrictEqual(lab.isHeldFor(await lab.act(tool, change), "no_history_entry", "value_mismatch"), {
      history: []
    })
  })
})
