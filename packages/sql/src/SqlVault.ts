/**
 * Layers that keep sealed values in the same place as traces.
 *
 * Both pass the suite of `@backstitch/conformance`, like the memory layer.
 */
import { layerMemory, Vault } from "@backstitch/trace/Vault"
import * as StoreLayers from "./StoreLayers.ts"
import * as SqliteVault from "./sqlite/SqliteVault.ts"

const layers = StoreLayers.make(Vault, layerMemory, {
  postgres: async () => (await import("./postgres/PostgresVault.ts")).make,
  sqlite: SqliteVault.make
})

/** Keeps sealed values in one SQLite file. */
export const layerSqlite = layers.sqlite

/** Keeps sealed values in a schema of a Postgres database. The driver is loaded when the layer is built. */
export const layerPostgres = layers.postgres

/** Chooses a layer by an address, as `StorePlace` reads it. */
export const layerFromAddress = layers.fromAddress
