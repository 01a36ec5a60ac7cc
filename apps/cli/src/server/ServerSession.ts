/** A server in the place of a store: its traces to read, its lists, and the decisions that it takes. */
import * as RemoteTraceStore from "@backstitch/api/RemoteTraceStore"
import * as ServerClient from "@backstitch/api/ServerClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Server } from "../input/Globals.ts"

/** Error for a server that refuses a request, in its own words, and with the variable that has the key. */
export class ServerRefused extends Schema.TaggedError<ServerRefused>("@backstitch/cli/ServerRefused")("ServerRefused", {
  tag: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return this.tag === "CallerUnknown"
      ? `${this.detail}. The command line sends the key in BACKSTITCH_KEY`
      : this.detail
  }
}

/** Error for an address at which no server of Backstitch answers. */
export class ServerSilent extends Schema.TaggedError<ServerSilent>("@backstitch/cli/ServerSilent")("ServerSilent", {
  address: Schema.String
}) {
  override get message(): string {
    return `No server of Backstitch answers at ${this.address}. Check the address and that the server runs`
  }
}

/** Makes one call to a server. */
export const ask = <A, E>(server: Server, call: (api: ServerClient.ServerClient) => Effect.Effect<A, E>) =>
  Effect.mapError(Effect.flatMap(ServerClient.make(server), call), (error) =>
    isProblem(error) ? new ServerRefused(error) : new ServerSilent({ address: server.address })
  )

/** A delivery as it came, for a tool of a tenant. */
export interface Delivery {
  readonly tenant: string
  readonly tool: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** The verdict of a server on a delivery: `ok` unless its action still waits. */
export interface Delivered {
  readonly tool: string
  readonly verdict: string
  readonly action: string | null
  readonly ok: boolean
}

/** Hands a delivery to a server, byte for byte, as its provider would. */
export const deliver = ({ address }: Server, { body, headers, tenant, tool }: Delivery) =>
  Effect.tryPromise({
    try: async () => {
      const place = `v1/deliveries/${encodeURIComponent(tenant)}/${encodeURIComponent(tool)}`
      const response = await fetch(new URL(place, `${address.replace(/\/$/, "")}/`), {
        method: "POST",
        body: body as Uint8Array<ArrayBuffer>,
        headers: [...headers].filter(([name]) => !hopHeaders.has(name))
      })
      return { status: response.status, told: (await response.json()) as unknown }
    },
    catch: () => new ServerSilent({ address })
  }).pipe(
    Effect.flatMap(({ status, told }) =>
      isProblem(told)
        ? Effect.fail(new ServerRefused(told))
        : Effect.succeed({ ...(told as Omit<Delivered, "ok">), ok: status === 200 })
    )
  )

/** Headers of the connection on which a delivery came, and not of the delivery. */
const hopHeaders: ReadonlySet<string> = new Set(["connection", "content-length", "host", "transfer-encoding", "expect"])

/** Layer of the traces of a server. */
export const layer = (server: Server) => RemoteTraceStore.layer(server)

const isProblem = (error: unknown): error is { readonly tag: string; readonly detail: string } =>
  typeof error === "object" && error !== null && "tag" in error && "detail" in error
