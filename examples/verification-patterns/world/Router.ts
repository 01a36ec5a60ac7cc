/** Requests to the services of the world, and their answers. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import type { Tenant } from "./Tenant.ts"

/**
 * A request as a service sees it. `key` is the idempotency key, `actor` the caller, and `trace` the trace that the
 * request belongs to.
 */
export interface Request {
  readonly tenant: Tenant
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: JsonObject
  readonly key: string | undefined
  readonly actor: string
  readonly trace: string
  readonly cookie: string
}

/** An answer: JSON, or a page. */
export interface Reply {
  readonly status: number
  readonly json?: Json
  readonly page?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A service: its answers by method and path. The path begins with the name of the service and the customer. */
export interface Service {
  readonly [route: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`]: (request: Request) => Reply | Promise<Reply>
}

/** Answers with JSON. */
export const json = (value: Json, status = 200): Reply => ({ status, json: value })

/** The answer that there is no such record. */
export const missing: Reply = { status: 404, json: { error: "not found" } }

/**
 * Carries out a request once for each key, if the service keeps keys. Applies the setting `stutters`.
 *
 * **Details**
 *
 * A service that only accepts the request answers with 202 the first time, as `taken`. A service with the setting
 * `forgetsKeys` has lost its key store. A service with `stutters: n` carries out the request and answers the next n
 * requests with 502, like a gateway whose upstream was too slow.
 */
export const once = ({ key, tenant }: Request, kind: string, make: () => JsonObject, taken = 201): Reply => {
  const known = tenant.all(kind).find(({ body }) => key !== undefined && body["key"] === key)
  const isKnown = known !== undefined && tenant.setting("forgetsKeys") !== true
  const id = isKnown ? known.id : tenant.add(kind, { ...make(), key: key ?? null })
  return tenant.takes("stutters") ? json({ error: "bad gateway" }, 502) : json({ id }, isKnown ? 200 : taken)
}

/** Tells whether a value is an object. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Matched {
  readonly handler: Service[keyof Service]
  readonly path: Readonly<Record<string, string>>
}

/** Answers requests by the service that they name. Administrators enter records with `PUT /service/tenant/kind/id`. */
export const make = (
  services: Readonly<Record<string, Service>>,
  tenantOf: (service: string, tenant: string) => Tenant
): ((message: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const answer = async (message: IncomingMessage): Promise<Reply> => {
    const url = new URL(message.url ?? "/", "http://world")
    const [, service = "", name = "", ...rest] = url.pathname.split("/").map(decodeURIComponent)
    const tenant = tenantOf(service, name)
    const body = await bodyOf(message)
    if (message.method === "PUT") return json(tenant.put(rest[0] ?? "", rest[1] ?? "", body))
    const found = match(services[service] ?? {}, `${message.method} /${rest.join("/")}`)
    if (found === undefined) return missing
    const header = (key: string) => message.headers[key]?.toString()
    return found.handler({
      tenant,
      path: found.path,
      query: url.searchParams,
      body,
      key: header("idempotency-key"),
      actor: header("x-actor") ?? "somebody",
      trace: header("x-trace") ?? "",
      cookie: header("cookie") ?? ""
    })
  }
  return async (message, response) => {
    const reply = await answer(message).catch((cause) => json({ error: String(cause) }, 500))
    const type = reply.page === undefined ? "application/json" : "text/html; charset=utf-8"
    response.writeHead(reply.status, { "content-type": type, ...reply.headers })
    response.end(reply.page ?? JSON.stringify(reply.json ?? null))
  }
}

const match = (service: Service, asked: string): Matched | undefined => {
  for (const [route, handler] of Object.entries(service)) {
    const [wanted, given] = [route.split("/"), asked.split("/")]
    const isSame = wanted.length === given.length && wanted.every((part, at) => part[0] === ":" || part === given[at])
    if (!isSame) continue
    const named = wanted.flatMap((part, at) => (part[0] === ":" ? [[part.slice(1), given[at] ?? ""] as const] : []))
    return { handler, path: Object.fromEntries(named) }
  }
  return undefined
}

/** JSON, or the fields of a form. */
const bodyOf = async (message: IncomingMessage): Promise<JsonObject> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  if (text === "") return {}
  if (message.headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text))
  }
  return JSON.parse(text)
}
