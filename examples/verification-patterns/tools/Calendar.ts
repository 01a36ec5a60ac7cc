/** Puts an event into a calendar, proven by the content of the calendar. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import type { Client } from "./Client.ts"
import * as Proven from "./Proven.ts"

/** An event. Its times are wall-clock times in its time zone. */
export interface Event {
  readonly calendar: string
  readonly title: string
  readonly start: string
  readonly end: string
  readonly timezone: string
  readonly attendees: ReadonlyArray<string>
  readonly recurrence: string
  readonly reminders: ReadonlyArray<number>
}

/** The tool. */
export const schedule = (client: Client): Proven.Proven => ({
  contract: Proven.contract("calendar", {
    class: "medium_risk_write",
    input: {
      calendar: "string",
      title: "string",
      start: "string",
      end: "string",
      timezone: "string",
      attendees: { list: "string" },
      recurrence: "string",
      reminders: { list: "int" }
    },
    identity: ["calendar", "title", "start"],
    target: "'calendar/' + args.calendar",
    options: {
      wants: {
        timezone: "args.timezone",
        access: "'writer'",
        organizer: "'agent'",
        calendar: "args.calendar",
        start: "args.start",
        end: "args.end",
        attendees: "args.attendees",
        recurrence: "args.recurrence",
        conferencing: "'https://meet.example/' + args.calendar",
        reminders: "args.reminders",
        status: "'confirmed'"
      },
      confirm: [
        "organizer",
        "calendar",
        "time",
        "attendees",
        "accepted",
        "recurrence",
        "conferencing",
        "reminders",
        "status"
      ]
    }
  }),
  code: {
    execute: ({ calendar, ...event }: Event, { key }) =>
      client.send("POST", `calendars/${calendar}/events`, { key, body: event }),
    readback: async ({ key }, { calendar }: Event) => {
      const events = (await client.get(`calendars/${calendar}/events?key=${key}`)) as ReadonlyArray<JsonObject>
      const [event] = events
      if (event === undefined) return undefined
      const { access } = (await client.get(`calendars/${calendar}/access`)) as { readonly access: string }
      return { ...event, access, count: events.length }
    }
  }
})
