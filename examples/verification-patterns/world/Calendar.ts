/**
 * A calendar service: calendars with an owner, a time zone and rights, and events that invite people.
 *
 * An invited person accepts, or declines if the hour is taken. A calendar may move every event to its own time zone,
 * be moderated, be fed by a second connector, or pass to another owner.
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Router from "./Router.ts"
import type { Named, Tenant } from "./Tenant.ts"

const invite = (tenant: Tenant, email: Json): JsonObject => {
  const person = tenant.get("people", String(email))
  return {
    email,
    invited: person !== undefined,
    response: person === undefined ? "none" : person["busy"] === true ? "declined" : "accepted"
  }
}

const eventsOf = (tenant: Tenant, calendar: string): ReadonlyArray<Named> =>
  tenant.all("events").filter(({ body }) => body["calendar"] === calendar)

const overlapping = (tenant: Tenant, event: JsonObject): ReadonlyArray<string> =>
  eventsOf(tenant, String(event["calendar"])).flatMap(({ body, id }) =>
    body["key"] !== event["key"] &&
    String(body["start"]) < String(event["end"]) &&
    String(event["start"]) < String(body["end"])
      ? [id]
      : []
  )

const create = (request: Router.Request): Router.Reply => {
  const { actor, body, path, tenant } = request
  const calendar = path["calendar"] ?? ""
  const about = tenant.get("calendars", calendar) ?? {}
  const reply = Router.once(request, "events", () => {
    const attendees = Array.isArray(body["attendees"]) ? body["attendees"] : []
    return {
      ...body,
      calendar,
      organizer: actor,
      timezone: about["keepsTimezone"] === true ? (about["timezone"] ?? null) : (body["timezone"] ?? null),
      attendees: attendees.map((email) => invite(tenant, email)),
      conferencing: `https://meet.example/${calendar}`,
      status: "confirmed"
    }
  })
  const [event] = eventsOf(tenant, calendar).filter(({ body: each }) => each["key"] === request.key)
  if (event === undefined) return reply
  // The moderator removes events that nobody requested. A connector without identities adds the event a second time.
  if (about["moderated"] === true) tenant.remove("events", event.id)
  if (about["connector"] === true) tenant.add("events", event.body)
  const owner = about["passesTo"]
  if (owner !== undefined) tenant.patch("calendars", calendar, { owner, access: { [actor]: "reader" } })
  return reply
}

/** The calendar service. */
export const service: Router.Service = {
  "POST /calendars/:calendar/events": create,
  "GET /calendars/:calendar/events": ({ path, query, tenant }) =>
    Router.json(
      eventsOf(tenant, path["calendar"] ?? "")
        .filter(({ body }) => body["key"] === query.get("key"))
        .map(({ body, id }) => ({ ...body, id, conflicts: overlapping(tenant, body) }))
    ),
  "GET /calendars/:calendar/access": ({ actor, path, tenant }) => {
    const access = tenant.get("calendars", path["calendar"] ?? "")?.["access"]
    return Router.json({ access: (Router.isObject(access) ? access[actor] : undefined) ?? "none" })
  }
}
