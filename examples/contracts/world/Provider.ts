/** A provider as this world plays it: requests in the provider's own protocol, and its answers. */
import type { DatabaseSync } from "node:sqlite"

/** A request. The path begins behind the name of the provider. */
export interface Request {
  readonly method: string
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The whole address, which signatures cover. */
  readonly url: string
}

/** An answer. A text is sent as it is, and other values as JSON. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A provider. */
export type Provider = (request: Request) => Reply | Promise<Reply>

/** Makes a provider that keeps its records in a database. */
export type Make = (database: DatabaseSync) => Provider

/** An answer with a value. */
export const ok = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body,
  headers
})
