/**
 * Layers that keep traces in a database.
 *
 * SQLite is the default on a single machine: one file, no server, any number of processes, one flush per commit.
 * Postgres is for several machines. Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */
import { layerMemory, TraceStore, type TraceStoreError } from "@backstitch/trace/TraceStore"
import type * as Layer from "effect/Layer"
import * as StoreLayers from "./StoreLayers.ts"
import * as SqliteTraceStore from "./sqlite/SqliteTraceStore.ts"

/** A layer that opens its store when it is built. */
export type SqlLayer = Layer.Layer<TraceStore, TraceStoreError>

const layers = StoreLayers.make(TraceStore, layerMemory, {
  postgres: async () => (await import("./postgres/PostgresTraceStore.ts")).make,
  sqlite: SqliteTraceStore.make
})

/**
 * Keeps traces in one SQLite file.
 *
 * **Example** (A run that outlives its process)
 *
 * ```ts import.meta.vitest
 * import { SqlTraceStore } from "@backstitch/sql"
 * import { Run, TraceStore } from "@backstitch/trace"
 * import { Effect } from "effect"
 *
 * const store = SqlTraceStore.layerSqlite({ filename: ":memory:" })
 * const known = Effect.flatMap(TraceStore.TraceStore, (store) => store.info(Run.make("trip-42")))
 *
 * await Effect.runPromise(Effect.provide(known, store)) // => undefined
 * ```
 */
export const layerSqlite = layers.sqlite

/** Keeps traces in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = layers.postgres

/** Chooses a layer by an address, as `StorePlace` reads it. */
export const layerFromAddress = layers.fromAddress
