/**
 * Layers that keep sealed values in the same place as traces.
 *
 * Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import { layerMemory, Vault } from "@backstitch/trace/Vault"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Postgres from "./postgres/Postgres.ts"
import * as StorePlace from "./StorePlace.ts"
import type * as SqliteTraceStore from "./sqlite/SqliteTraceStore.ts"
import * as SqliteVault from "./sqlite/SqliteVault.ts"

/** Keeps sealed values in one SQLite file. */
export const layerSqlite = (options: SqliteTraceStore.Options): Layer.Layer<Vault, TraceStoreError> =>
  Layer.effect(Vault, SqliteVault.make(options))

/** Keeps sealed values in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = (options: Postgres.Options): Layer.Layer<Vault, TraceStoreError> =>
  Layer.effect(
    Vault,
    Effect.flatMap(
      Effect.promise(() => import("./postgres/PostgresVault.ts")),
      (module) => module.make(options)
    )
  )

/** Chooses a layer by an address, as {@link StorePlace.fromAddress} reads it. */
export const layerFromAddress = (address: string): Layer.Layer<Vault, TraceStoreError> =>
  StorePlace.layer(address, { memory: layerMemory, postgres: layerPostgres, sqlite: layerSqlite })
