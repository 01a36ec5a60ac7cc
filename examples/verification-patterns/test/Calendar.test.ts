/** Putting an event into a calendar with its own owner, rights and neighbours. */

import type { JsonObject } from "@backstitch/trace/Canonical"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Calendar from "../tools/Calendar.ts"
import * as Client from "../tools/Client.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

let world: WorldProcess.WorldProcess
beforeAll(async () => {
  world = await WorldProcess.start()
})
afterAll(() => world.stop())

const event: Calendar.Event = {
  calendar: "team",
  title: "Review",
  start: "2026-12-01T09:00",
  end: "2026-12-01T10:00",
  timezone: "Europe/Zurich",
  attendees: ["ada@acme.example"],
  recurrence: "weekly",
  reminders: [10]
}

/** A customer with one calendar and one person. */
const customer = async (name: string, calendar: JsonObject = {}) => {
  const client = Client.make(world.url, "calendar", name)
  await client.enter("calendars", event.calendar, {
    owner: "desk",
    timezone: "UTC",
    access: { agent: "writer" },
    ...calendar
  })
  await client.enter("people", "ada@acme.example", {})
  return client
}
const schedules = (client: Client.Client, more: Partial<Calendar.Event> = {}) =>
  lab.act(Calendar.schedule(client), { ...event, ...more })

describe.concurrent("an event", () => {
  it("is confirmed if the calendar holds it as it was asked for", async () => {
    lab.isReconciled(await schedules(await customer("plain")))
  })

  it("is taken out by a moderator: missing_event", async () => {
    lab.isHeldFor(await schedules(await customer("moderated", { moderated: true })), "missing_event", "no_op_failure")
  })

  it("is moved to the time zone of its calendar: wrong_timezone", async () => {
    const trial = await schedules(await customer("zoned", { keepsTimezone: true }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_timezone", "value_mismatch"), { timezone: "UTC" })
  })

  it("is brought in once more by a second connector: duplicate_event", async () => {
    const trial = await schedules(await customer("connected", { connector: true }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "duplicate_event", "duplicate_side_effect"), { count: 2 })
  })

  it("invites an unknown address: invitation_failed", async () => {
    const trial = await schedules(await customer("nobody"), { attendees: ["ada@acme.example", "bob@acme.example"] })
    lab.isHeldFor(trial, "invitation_failed", "partial_application")
  })

  it("is in a calendar that passed to another owner meanwhile: permission_mismatch", async () => {
    const trial = await schedules(await customer("passed", { passesTo: "eve" }))
    assert.deepStrictEqual(lab.isHeldFor(trial, "permission_mismatch", "wrong_target_modified"), { access: "reader" })
  })

  it("overlaps another one: conflicting_booking", async () => {
    const client = await customer("busy")
    const { id } = await client.send("POST", "calendars/team/events", { key: "other", body: { ...event } })
    const shown = lab.isHeldFor(await schedules(client), "conflicting_booking", "value_mismatch")
    assert.deepStrictEqual(shown, { conflicts: [id] })
  })

  it("is not confirmed if an attendee declines", async () => {
    const client = await customer("declined")
    await client.enter("people", "ada@acme.example", { busy: true })
    lab.isHeldFor(await schedules(client), "accepted", "value_mismatch")
  })
})
