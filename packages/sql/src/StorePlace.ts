/**
 * The place of a store: in memory, in a SQLite file, or on a Postgres server.
 *
 * Traces, leases and sealed values of one address are stored together, so each of their ports reads the address here
 * and chooses its layer by it.
 */
import type * as Layer from "effect/Layer"
import type * as Postgres from "./postgres/Postgres.ts"
import { addressShown } from "./queries/addressShown.ts"
import type * as SqliteStatements from "./sqlite/SqliteStatements.ts"

/** A place that an address names. */
export type StorePlace =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Postgres"; readonly url: string }
  | { readonly _tag: "Sqlite"; readonly filename: string }

/** The layers of one port, by the place of its store. */
export interface Layers<Port, Failure> {
  readonly memory: Layer.Layer<Port, Failure>
  readonly postgres: (options: Postgres.Options) => Layer.Layer<Port, Failure>
  readonly sqlite: (options: SqliteStatements.Options) => Layer.Layer<Port, Failure>
}

/**
 * Reads an address: `postgres://…` or `postgresql://…`, `memory:`, or the name of a SQLite file, which `sqlite:` or
 * `file:` may precede.
 */
export const fromAddress = (address: string): StorePlace => {
  if (/^postgres(ql)?:\/\//.test(address)) return { _tag: "Postgres", url: address }
  if (address === "memory:") return { _tag: "Memory" }
  return { _tag: "Sqlite", filename: address.replace(/^(sqlite|file):(\/\/(?=\/))?/, "") }
}

/** Shows an address to people, without what is secret in it. */
export const shown = (address: string): string => {
  const place = fromAddress(address)
  return place._tag === "Postgres" ? addressShown(place.url) : address
}

/** Tells whether an address names something that is neither a file nor Postgres. As a file, it would be a folder. */
export const isForeign = (address: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(address) && !/^(?:postgres(?:ql)?|sqlite|file):/.test(address)

/** Chooses the layer of a port for an address, as {@link fromAddress} reads it. */
export const layer = <Port, Failure>(
  address: string,
  { memory, postgres, sqlite }: Layers<Port, Failure>
): Layer.Layer<Port, Failure> => {
  const place = fromAddress(address)
  switch (place._tag) {
    case "Memory":
      return memory
    case "Postgres":
      return postgres({ url: place.url })
    case "Sqlite":
      return sqlite({ filename: place.filename })
  }
}
