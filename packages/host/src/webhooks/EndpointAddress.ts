/**
 * Keeps a host from sending where it should not: to itself, to its own network, or to the services of its cloud.
 *
 * An address is checked twice: its text when an endpoint is made, and at each connection the machine that its name
 * stands for. A name may stand for another machine by then.
 */
import * as Net from "node:net"
import * as Result from "effect/Result"
import * as Limits from "../Limits.ts"

/** The reason why an address is refused. */
export type AddressFault = "no_url" | "scheme" | "credentials" | "private"

/** Options of a check. `permitPrivate` is for tests, and for hosts whose endpoints are in their own network. */
export interface Options {
  readonly permitPrivate?: boolean | undefined
}

/** Addresses that are not of the public internet, by RFC 6890 and its updates. */
const inner = new Net.BlockList()
for (const [address, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
] as const) {
  inner.addSubnet(address, prefix, "ipv4")
}

/** Only 2000::/3 is in use for the public; of it, tunnels and documentation are not. */
const outer = new Net.BlockList()
outer.addSubnet("2000::", 3, "ipv6")
for (const [address, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
] as const) {
  inner.addSubnet(address, prefix, "ipv6")
}

/** Tells whether the address of a machine is one of the public internet. */
export const isPublic = (address: string): boolean => {
  const family = Net.isIP(address)
  if (family === 4) return !inner.check(address, "ipv4")
  return family === 6 && outer.check(address, "ipv6") && !inner.check(address, "ipv6")
}

/** Reads the address of an endpoint. A name is permitted here, and looked up when a message is sent. */
export const parse = (text: string, { permitPrivate = false }: Options = {}): Result.Result<URL, AddressFault> => {
  if (text.length > Limits.refusing.webhookAddressCharactersMax || !URL.canParse(text)) return Result.fail("no_url")
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return Result.fail("scheme")
  if (url.username !== "" || url.password !== "") return Result.fail("credentials")
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const isInner = Net.isIP(host) === 0 ? isLocalName(host) : !isPublic(host)
  return isInner && !permitPrivate ? Result.fail("private") : Result.succeed(url)
}

/**
 * Answers the scheme and the host of an address, for records, logs and answers. Its path is often a secret of its own,
 * and so is a name or a password in it. A text without a host is named, but not quoted.
 */
export const originOf = (text: string): string => {
  if (!URL.canParse(text)) return "this address"
  const { host, protocol } = new URL(text)
  return host === "" ? "this address" : `${protocol}//${host}`
}

/** Names that resolvers answer themselves. */
const isLocalName = (host: string): boolean => /(^|\.)(localhost|local|internal|localdomain)\.?$/i.test(host)
