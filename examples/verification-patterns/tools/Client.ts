/** Requests of the tools to the services of the world. */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"

/** A request, and its act. */
export interface Sent {
  readonly body?: Json
  readonly key?: string | undefined
}

/** A connection to one service, for one customer. */
export interface Client {
  /** Reads a record; `undefined` if there is none. */
  readonly get: (path: string) => Promise<Json | undefined>
  /** Writes a record. A refusal is final; after a 502 the request is repeated under the same key, as clients do. */
  readonly send: (method: "POST" | "PATCH" | "DELETE", path: string, sent?: Sent) => Promise<JsonObject>
  /** Requests a change that is made later: an answer 202 means that it was accepted and is not done. */
  readonly submit: (path: string, sent?: Sent) => Promise<JsonObject | ToolExecutor.Accepted>
  /** Searches; answers the results, the best one first. */
  readonly find: (path: string, body: Json) => Promise<ReadonlyArray<JsonObject>>
  /** Enters a record, as an administrator of the service does. */
  readonly enter: (kind: string, id: string, body: JsonObject) => Promise<void>
}

/** Connects to a service. */
export const make = (url: string, service: string, tenant: string): Client => {
  const ask = (method: string, path: string, { body, key }: Sent = {}) =>
    fetch(`${url}/${service}/${tenant}/${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-actor": "agent",
        ...(key === undefined ? {} : { "idempotency-key": key, "x-trace": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const write = async (method: string, path: string, sent?: Sent) => {
    for (let attempt = 1; ; attempt++) {
      const response = await ask(method, path, sent)
      if (response.status === 502 && attempt < 3) continue
      const answer = (await response.json()) as JsonObject
      if (response.ok) return { answer, isTaken: response.status === 202 }
      if (response.status >= 500) throw new Error(`${service} answered ${response.status}`)
      throw new ToolExecutor.ToolRefused(answer)
    }
  }
  return {
    get: async (path) => {
      const response = await ask("GET", path)
      if (response.status === 404) return undefined
      if (!response.ok) throw new Error(`${service} answered ${response.status}`)
      return (await response.json()) as Json
    },
    send: async (...sent) => (await write(...sent)).answer,
    submit: async (path, sent) => {
      const { answer, isTaken } = await write("POST", path, sent)
      return isTaken ? new ToolExecutor.Accepted(answer) : answer
    },
    find: async (path, body) => {
      const response = await ask("POST", path, { body })
      if (!response.ok) throw new Error(`${service} answered ${response.status}`)
      return (await response.json()) as ReadonlyArray<JsonObject>
    },
    enter: async (kind, id, body) => {
      await ask("PUT", `${kind}/${id}`, { body })
    }
  }
}
