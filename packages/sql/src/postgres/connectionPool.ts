/**
 * Connections of a pool, one of which is kept ready for the next caller.
 *
 * Taking a connection from a pool and returning it costs a commit more than its statement. A store with one request
 * at a time uses one connection. Further requests take others from the pool, and a kept one is returned as soon as a
 * caller waits for the pool.
 */
import { type ClientBase, DatabaseError, type Pool, type PoolClient } from "pg"

/** Clients to take and to give back. */
export interface Connections<Client extends ClientBase> {
  /** Synchronous if one is ready. */
  readonly take: () => Client | Promise<Client>
  /** With an error if it must not be used again. */
  readonly give: (client: Client, error?: Error | undefined) => void
}

/** The clients of a pool. */
export interface ConnectionPool extends Connections<PoolClient> {
  /** Waits for clients that are taken. */
  readonly close: () => Promise<void>
}

/** Keeps one connection of a pool ready. */
export const make = (pool: Pool): ConnectionPool => {
  let kept: PoolClient | undefined
  let isClosed = false
  const broken = new WeakMap<PoolClient, Error>()
  const listeners = new WeakMap<PoolClient, (error: Error) => void>()

  // A server can end a connection in the moment in which it is handed over: an error without a listener would end the
  // process.
  pool.on("connect", (client) => client.on("error", () => undefined))

  const release = (client: PoolClient, error?: Error) => {
    const listener = listeners.get(client)
    if (listener !== undefined) client.off("error", listener)
    listeners.delete(client)
    client.release(error)
  }

  const listen = (client: PoolClient): PoolClient => {
    // Without a listener, an error between two statements would end the process.
    const listener = (error: Error) => {
      broken.set(client, error)
      if (kept !== client) return
      kept = undefined
      release(client, error)
    }
    listeners.set(client, listener)
    client.on("error", listener)
    return client
  }

  return {
    take: () => {
      const client = kept
      if (client === undefined) return pool.connect().then(listen)
      kept = undefined
      countIn(client).ref()
      return client
    },
    give: (client, given) => {
      const error = broken.get(client) ?? given
      if (error !== undefined || isClosed || kept !== undefined || pool.waitingCount > 0) {
        release(client, error)
        return
      }
      kept = client
      // A kept connection does not keep the process alive.
      countIn(client).unref()
    },
    close: () => {
      isClosed = true
      const client = kept
      kept = undefined
      if (client !== undefined) release(client)
      return pool.end()
    }
  }
}

/**
 * The error of a statement that breaks the connection; `undefined` for an answer of the server, after which the
 * connection stays usable.
 */
export const breaking = (cause: unknown): Error | undefined => {
  if (cause === undefined || (cause instanceof DatabaseError && cause.severity === "ERROR")) return undefined
  return cause instanceof Error ? cause : new Error(String(cause))
}

/** The driver's clients can be excluded from what keeps a process alive, which its types do not declare. */
export const countIn = (client: ClientBase) =>
  client as ClientBase & { readonly ref: () => void; readonly unref: () => void }
