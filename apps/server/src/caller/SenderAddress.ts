/**
 * Finds the address by which requests without a caller are limited: one that their sender cannot choose.
 *
 * Anybody may write any address into a header, so none is read unless the operator names the proxies before the server.
 * Each of them adds, at the end of `X-Forwarded-For`, the address that it has seen. The first that they have added is
 * that of the sender. Whatever stands before it was written by the sender.
 */
import * as Net from "node:net"
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
    const seen = proxies === 0 ? "" : (headers["x-forwarded-for"]?.split(",").at(-proxies) ?? "")
    const address = withoutPort(seen.trim())
    return networkOf(Net.isIP(address) === 0 ? connected : address)
  })

/** Some proxies write the port as well, and each connection of a sender has another one. */
const withoutPort = (address: string): string =>
  address.replace(/^\[([^\]]+)\](?::\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1")

/**
 * The address of IPv4, also where it is mapped into one of IPv6, or the first 64 bits of an address of IPv6: the rest
 * of it a sender chooses as it likes.
 */
const networkOf = (address: string): string => {
  const plain = address.replace(/%.*$/, "")
  if (!Net.isIPv6(plain)) return plain
  const [before = [], after = []] = plain.split("::").map(groupsOf)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  const groups = [...before, ...zeros, ...after]
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".")
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(":")}::/64`
}

/** The groups of a part of an address of IPv6. One of IPv4 at its end is two groups. */
const groupsOf = (part: string): ReadonlyArray<number> =>
  part
    .split(":")
    .filter((group) => group !== "")
    .flatMap((group) => {
      if (!Net.isIPv4(group)) return [Number.parseInt(group, 16)]
      const [first = 0, second = 0, third = 0, fourth = 0] = group.split(".").map(Number)
      return [first * 256 + second, third * 256 + fourth]
    })
