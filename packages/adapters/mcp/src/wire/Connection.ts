/**
 * A connection of our own to a server: the handshake, and questions after it.
 *
 * It is used where no client of somebody else is connected: to draft contracts from the tools of a server, to ask
 * about an open call after the server has been started again, and by programs whose agents call the tools.
 *
 * @source MCP, 2025-11-25, "Lifecycle"
 */
import type { JsonObject } from "@backstitch/trace/Canonical"
import * as Limits from "../Limits.ts"
import * as JsonRpc from "../message/JsonRpc.ts"
import * as Link from "./Link.ts"
import type * as Wire from "./Wire.ts"

/** A connection after its handshake. */
export interface Connection extends Link.Link {
  /** The answer of the server to the handshake: its name and its capabilities. */
  readonly server: JsonObject
  readonly close: () => Promise<void>
}

/** The version of MCP in which the connection is opened. A server that knows another one answers with its own. */
export const protocolVersion = "2025-11-25"

/** Opens a connection. Requests of the server are refused: nobody is there to answer them. */
export const open = async (wire: Wire.Served): Promise<Connection> => {
  const link = Link.make(
    ({ text }) => wire.send(text),
    () => ({}),
    () => {}
  )
  void pump(wire, link)
  const { message } = await link.ask(
    "initialize",
    { protocolVersion, capabilities: {}, clientInfo: { name: "backstitch", version: "0.1.0" } },
    { timeoutMillis: Limits.pacing.questionMillis }
  )
  if (message?._tag !== "Response" || message.result === undefined) {
    throw new Link.Unanswered("the server refused to begin a session")
  }
  await wire.send(JsonRpc.notification("notifications/initialized", {}).text)
  return { ...link, server: message.result, close: wire.stop }
}

const pump = async (wire: Wire.Served, link: Link.OwnedLink): Promise<void> => {
  try {
    for await (const arrived of wire.arriving) {
      const frame = Buffer.isBuffer(arrived) ? JsonRpc.frameOf(arrived) : arrived
      if (link.answered(frame)) continue
      const { message } = frame
      if (message?._tag === "Notification" && message.method === "notifications/tools/list_changed") link.listChanged()
      if (message?._tag !== "Request") continue
      const says = { code: JsonRpc.codes.noMethod, message: "No client is there to answer this" }
      const answer = message.method === "ping" ? JsonRpc.success(message.id, {}) : JsonRpc.failure(message.id, says)
      await wire.send(answer.text)
    }
    link.closed(await wire.ended)
  } catch (cause) {
    link.closed(cause instanceof Error ? cause.message : String(cause))
  }
}
