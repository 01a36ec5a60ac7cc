/** Sends a message to an endpoint over HTTP: once, without redirects, and only to permitted addresses. */
import * as Dns from "node:dns"
import * as Http from "node:http"
import * as Https from "node:https"
import type * as Net from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"
import * as EndpointAddress from "./EndpointAddress.ts"

/** The outcome of an attempt: the endpoint took the message, wants no more, or did not take it, and why. */
export type Attempt =
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Refused"; readonly why: string }

/** A message with its headers, for the address of an endpoint. */
export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a message. Any answer but one of the 200s is a refusal; a redirect is not followed. */
export const send = ({ body, headers, url }: Outgoing, options: EndpointAddress.Options = {}): Effect.Effect<Attempt> =>
  Effect.callback<Attempt>((resume) => {
    const parsed = EndpointAddress.parse(url, options)
    if (Result.isFailure(parsed)) return resume(Effect.succeed({ _tag: "Refused", why: parsed.failure }))
    const { success } = parsed
    const client = success.protocol === "https:" ? Https : Http
    const request = client.request(success, {
      method: "POST",
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)), "user-agent": "backstitch" },
      lookup: options.permitPrivate === true ? Dns.lookup : guarded,
      // A connection that is kept would not be looked up again.
      agent: false
    })
    const refused = (why: string) => resume(Effect.succeed({ _tag: "Refused", why }))
    request.on("error", (error: NodeJS.ErrnoException) => refused(error.code ?? error.message))
    request.on("response", (response) => {
      const { statusCode = 0 } = response
      response.destroy()
      if (statusCode >= 200 && statusCode < 300) resume(Effect.succeed({ _tag: "Taken" }))
      else if (statusCode === 410) resume(Effect.succeed({ _tag: "Gone" }))
      else refused(`status ${statusCode}`)
    })
    request.end(body)
    return Effect.sync(() => request.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: Limits.pacing.webhookAnswerMillis,
      orElse: () => Effect.succeed<Attempt>({ _tag: "Refused", why: "no answer in time" })
    })
  )

/** Looks a name up, and refuses it if any of its addresses is not public: the connection is made to one of these. */
const guarded: Net.LookupFunction = (host, options, done) => {
  Dns.lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, "", 0)
    const inner = found.find(({ address }) => !EndpointAddress.isPublic(address))
    const [first] = found
    if (inner !== undefined || first === undefined) {
      return done(Object.assign(new Error(`${host} is no public address`), { code: "private" }), "", 0)
    }
    return options.all === true ? done(null, found) : done(null, first.address, first.family)
  })
}
