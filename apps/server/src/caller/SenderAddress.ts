/**
 * Finds the address from which a request comes that has no caller.
 *
 * Anybody may write any address into a header, so none is read unless the operator names the proxies before the server.
 * Each of them adds the address that it has seen at the end of `X-Forwarded-For`: the first of theirs is that of the
 * sender, and what stands before it is what the sender says.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/** Proxies of the operator through which each request comes. */
export const Proxies = Context.Reference<number>("@backstitch/server/Proxies", { defaultValue: () => 0 })

/** Finds the address of a request: that of its connection, or the one that the outermost proxy has seen. */
export const of = ({
  headers,
  remoteAddress
}: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">): Effect.Effect<string> =>
  Effect.map(Proxies, (proxies) => {
    const connected = Option.getOrElse(remoteAddress, () => "nowhere")
    const seen = proxies === 0 ? undefined : (headers["x-forwarded-for"] ?? "").split(",").at(-proxies)?.trim()
    return seen === undefined || seen === "" ? connected : withoutPort(seen)
  })

/** Some proxies write the port as well, and each connection of a sender has another one. */
const withoutPort = (address: string): string =>
  address.replace(/^\[([^\]]+)\](?::\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")
