/**
 * Events as Google Calendar answers them: ids that the caller gives, and events that are cancelled and stay readable.
 *
 * @source Google Calendar, "Events: insert", "Events: get" and "Events: delete"
 */
import { randomUUID } from "node:crypto"
import type { Make, Reply } from "./Provider.ts"
import { ok } from "./Provider.ts"
import * as Records from "./Records.ts"

interface Event {
  readonly id: string
  readonly status: string
  readonly summary: string
  readonly start: unknown
  readonly end: unknown
  readonly attendees: ReadonlyArray<{ readonly email: string }>
}

const error = (code: number, message: string): Reply => ok({ error: { code, message, errors: [{ message }] } }, code)

/** The provider. */
export const make: Make = (database) => {
  const events = Records.make<Event>(database, "google.events")
  return ({ body, headers, method, path }) => {
    if (!headers["authorization"]?.startsWith("Bearer ")) return error(401, "Invalid Credentials")
    const [, , , calendar = "", , id = ""] = path
    const name = `${calendar}/${id}`
    const known = events.get(name)
    if (method === "POST") {
      const given = JSON.parse(body)
      const event: Event = {
        attendees: [],
        ...given,
        id: given.id ?? randomUUID().replaceAll("-", ""),
        status: "confirmed"
      }
      if (!/^[0-9a-v]{5,1024}$/.test(event.id)) return error(400, "Invalid resource id value.")
      if (events.get(`${calendar}/${event.id}`) !== undefined)
        return error(409, "The requested identifier already exists.")
      events.put(`${calendar}/${event.id}`, event)
      return ok(event)
    }
    if (known === undefined) return error(404, "Not Found")
    if (method === "GET") return ok(known)
    if (known.status === "cancelled") return error(410, "Resource has been deleted")
    events.put(name, { ...known, status: "cancelled" })
    return { status: 204 }
  }
}
