/**
 * Layers that keep leases in the same place as traces.
 *
 * Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */
import { Leases, layerMemory } from "@backstitch/trace/Leases"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Postgres from "./postgres/Postgres.ts"
import * as StorePlace from "./StorePlace.ts"
import * as SqliteLeases from "./sqlite/SqliteLeases.ts"
import type * as SqliteTraceStore from "./sqlite/SqliteTraceStore.ts"

/** Keeps leases in one SQLite file. */
export const layerSqlite = (options: SqliteTraceStore.Options): Layer.Layer<Leases, TraceStoreError> =>
  Layer.effect(Leases, SqliteLeases.make(options))

/** Keeps leases in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = (options: Postgres.Options): Layer.Layer<Leases, TraceStoreError> =>
  Layer.effect(
    Leases,
    Effect.flatMap(
      Effect.promise(() => import("./postgres/PostgresLeases.ts")),
      (module) => module.make(options)
    )
  )

/** Chooses a layer by an address, as {@link StorePlace.fromAddress} reads it. */
export const layerFromAddress = (address: string): Layer.Layer<Leases, TraceStoreError> =>
  StorePlace.layer(address, { memory: layerMemory, postgres: layerPostgres, sqlite: layerSqlite })
