/**
 * A travel system of somebody else, as an HTTP service with its own database.
 *
 * Agents book, pay and notify through it; it knows nothing about them. It honours idempotency keys, answers status
 * queries by key, and misbehaves on request, so that an agent's claims can be compared with the real effects.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Delivery } from "./Delivery.ts"
import { Service } from "./Service.ts"

/**
 * Options of a world. All have defaults: a free port, a database in memory, half a second to settle, keys kept for a
 * day, seats and rooms of the seed, the clock of the machine.
 */
export interface WorldOptions {
  /** Loopback port; 0 takes a free one. */
  readonly port?: number
  /** The database file, or `:memory:`. */
  readonly db?: string
  /**
   * Time after which a request has had its effect or will never have it, and after which the replica shows the
   * effect.
   */
  readonly settleAfterMillis?: number
  /** Time after which a key is forgotten. */
  readonly keyRetentionMillis?: number
  /** Seats of every flight and rooms of every hotel that has any, in place of those of the seed. */
  readonly capacity?: number
  /** The clock, in milliseconds. */
  readonly now?: () => number
}

/** A world that runs in this process. */
export interface World {
  readonly url: string
  readonly close: () => Promise<void>
}

/** A body longer than this is refused. */
const bodyBytesMax = 65_536

/** Starts a world on the loopback interface. */
export const start = async (options: WorldOptions = {}): Promise<World> => {
  const service = new Service({
    filename: options.db ?? ":memory:",
    settleAfterMillis: options.settleAfterMillis ?? 500,
    keyRetentionMillis: options.keyRetentionMillis ?? 86_400_000,
    capacity: options.capacity,
    now: options.now ?? Date.now
  })
  const server = createServer((request, response) => receive(service, request, response))
  try {
    const port = await listen(server, options.port ?? 0)
    return { url: `http://127.0.0.1:${port}`, close: () => stop(server, service) }
  } catch (error) {
    service.close()
    throw error
  }
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") reject(new Error("The server has no port"))
      else resolve(address.port)
    })
  })

const stop = (server: Server, service: Service): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      service.close()
      resolve()
    })
    server.closeAllConnections()
  })

const receive = (service: Service, request: IncomingMessage, response: ServerResponse): void => {
  const chunks: Array<Buffer> = []
  let length = 0
  request.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length <= bodyBytesMax) chunks.push(chunk)
  })
  request.on("end", () => {
    if (length > bodyBytesMax) {
      const message = `The body has ${length} bytes; send at most ${bodyBytesMax}`
      answer(response, { status: 413, body: JSON.stringify({ error: { code: "too_large", message } }) })
      return
    }
    const header = (name: string) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(", ") : value
    }
    const delivery = service.handle({
      method: request.method ?? "GET",
      url: request.url ?? "/",
      tenant: header("tenant"),
      key: header("idempotency-key"),
      fault: header("fault"),
      body: Buffer.concat(chunks).toString("utf8")
    })
    deliver(response, delivery)
  })
}

const deliver = (response: ServerResponse, delivery: Delivery): void => {
  switch (delivery.way) {
    case "answer":
      if (delivery.delayMillis === 0) answer(response, delivery.answer)
      else later(response, delivery.delayMillis, () => answer(response, delivery.answer))
      return
    case "hold":
      if (delivery.forMillis !== null) later(response, delivery.forMillis, () => response.destroy())
      return
    case "cut":
      response.destroy()
  }
}

/** Acts after a delay, unless the connection is closed by then. */
const later = (response: ServerResponse, delayMillis: number, act: () => void): void => {
  const timer = setTimeout(act, delayMillis)
  response.once("close", () => clearTimeout(timer))
}

const answer = (
  response: ServerResponse,
  content: {
    readonly status: number
    readonly body: string
    readonly contentType?: string
    readonly replayed?: boolean
  }
): void => {
  response.writeHead(content.status, {
    "Content-Type": content.contentType ?? "application/json",
    "Content-Length": Buffer.byteLength(content.body),
    ...(content.replayed === true ? { "Idempotent-Replayed": "true" } : {})
  })
  response.end(content.body)
}
