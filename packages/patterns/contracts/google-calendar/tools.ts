/** Tools for Google Calendar's API under the contract beside this file: events with an id that is made from the key. */
import { createHash } from "node:crypto"

/** Settings. `token` answers a valid access token; `baseUrl` and `fetch` are for tests, and for proxies. */
export interface Options {
  readonly token: () => Promise<string> | string
  readonly baseUrl?: string
  readonly fetch?: typeof globalThis.fetch
}

interface Context {
  readonly key: string | undefined
  readonly signal: AbortSignal
}

interface Event {
  readonly calendar: string
  readonly title: string
  readonly start: string
  readonly end: string
  readonly attendees: ReadonlyArray<string>
}

interface Cancelled {
  readonly calendar: string
  readonly event: string
}

interface Found {
  readonly id: string
  readonly status: string
  readonly summary: string
  readonly start: { readonly dateTime: string }
  readonly end: { readonly dateTime: string }
  readonly attendees?: ReadonlyArray<{ readonly email: string }>
}

/** An error that says for good that nothing happened. Whatever else is thrown leaves the outcome unknown. */
const refused = (detail: unknown): Error =>
  Object.assign(new Error(JSON.stringify(detail)), { _tag: "ToolRefused", detail })

/** The id of the event of a key: an id of Google Calendar may have the digits and letters of base32hex alone. */
const idOf = (key = ""): string => createHash("sha256").update(key).digest("hex")

/** Makes the tools. */
export const googleCalendar = ({
  baseUrl = "https://www.googleapis.com",
  fetch = globalThis.fetch,
  token
}: Options) => {
  const ask = async (method: string, path: string, signal: AbortSignal, body?: object) => {
    const response = await fetch(`${baseUrl}/calendar/v3/calendars/${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${await token()}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, answer: text === "" ? null : JSON.parse(text) }
  }

  const failed = (status: number, answer: unknown): Error => {
    const isKnown = status >= 400 && status < 500 && status !== 408 && status !== 429
    return isKnown ? refused(answer) : new Error(`Google Calendar answered ${status}`)
  }

  const find = async (calendar: string, id: string, signal: AbortSignal) => {
    const path = `${encodeURIComponent(calendar)}/events/${id}`
    const { answer, status } = await ask("GET", path, signal)
    if (status === 404 || status === 410) return undefined
    if (status !== 200) throw new Error(`Google Calendar answered ${status}`)
    const found: Found = answer
    return {
      id: found.id,
      status: found.status,
      calendar,
      start: found.start.dateTime,
      end: found.end.dateTime,
      attendees: (found.attendees ?? []).map(({ email }) => email)
    }
  }

  return {
    insert_event: {
      execute: async ({ attendees, calendar, end, start, title }: Event, { key, signal }: Context) => {
        const id = idOf(key)
        const path = `${encodeURIComponent(calendar)}/events?sendUpdates=all`
        const { answer, status } = await ask("POST", path, signal, {
          id,
          summary: title,
          start: { dateTime: start },
          end: { dateTime: end },
          attendees: attendees.map((email) => ({ email }))
        })
        // 409: the event of this key is there.
        if (status === 200 || status === 409) return { id }
        throw failed(status, answer)
      },
      status: async ({ key, signal }: Context, { calendar }: Event) => {
        const found = await find(calendar, idOf(key), signal)
        return found === undefined || found.status === "cancelled" ? undefined : { id: found.id }
      },
      readback: ({ key, signal }: Context, { calendar }: Event) => find(calendar, idOf(key), signal)
    },
    cancel_event: {
      execute: async ({ calendar, event }: Cancelled, { signal }: Context) => {
        const path = `${encodeURIComponent(calendar)}/events/${event}?sendUpdates=all`
        const { answer, status } = await ask("DELETE", path, signal)
        // 410: it was cancelled before.
        if (status === 204 || status === 410) return { id: event }
        throw failed(status, answer)
      },
      status: async ({ signal }: Context, { calendar, event }: Cancelled) => {
        const found = await find(calendar, event, signal)
        return found?.status === "cancelled" ? { id: event } : undefined
      },
      readback: ({ signal }: Context, { calendar, event }: Cancelled) => find(calendar, event, signal)
    }
  }
}
