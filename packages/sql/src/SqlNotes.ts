/**
 * Layers that keep notes in the same place as traces.
 *
 * Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */

import { layerMemory, Notes } from "@backstitch/trace/Notes"
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Postgres from "./postgres/Postgres.ts"
import * as StorePlace from "./StorePlace.ts"
import * as SqliteNotes from "./sqlite/SqliteNotes.ts"
import type * as SqliteTraceStore from "./sqlite/SqliteTraceStore.ts"

/** Keeps notes in one SQLite file. */
export const layerSqlite = (options: SqliteTraceStore.Options): Layer.Layer<Notes, TraceStoreError> =>
  Layer.effect(Notes, SqliteNotes.make(options))

/** Keeps notes in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = (options: Postgres.Options): Layer.Layer<Notes, TraceStoreError> =>
  Layer.effect(
    Notes,
    Effect.flatMap(
      Effect.promise(() => import("./postgres/PostgresNotes.ts")),
      (module) => module.make(options)
    )
  )

/** Chooses a layer by an address, as {@link StorePlace.fromAddress} reads it. */
export const layerFromAddress = (address: string): Layer.Layer<Notes, TraceStoreError> =>
  StorePlace.layer(address, { memory: layerMemory, postgres: layerPostgres, sqlite: layerSqlite })
