/** The layers of a port: one for each place of a store, and one that an address chooses. */
import type { TraceStoreError } from "@backstitch/trace/TraceStore"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Postgres from "./postgres/Postgres.ts"
import type { Port, Statements } from "./queries/Statements.ts"
import * as StorePlace from "./StorePlace.ts"
import * as SqliteStatements from "./sqlite/SqliteStatements.ts"

type Open<Options, Service> = (options: Options) => Effect.Effect<Service, TraceStoreError, Scope.Scope>

/** Opens the service of a port in a database. `postgres` loads the driver, when its layer is built. */
interface Openers<Service> {
  readonly postgres: () => Promise<Open<Postgres.Options, Service>>
  readonly sqlite: Open<SqliteStatements.Options, Service>
}

/** The layers of a port in a database. */
interface StoreLayers<Id> extends Omit<StorePlace.Layers<Id, TraceStoreError>, "memory"> {
  readonly fromAddress: (address: string) => Layer.Layer<Id, TraceStoreError>
}

/** Makes the layers of a port from its openers, and from its layer in memory. */
export const make = <Id, Service>(
  port: Context.Key<Id, Service>,
  memory: Layer.Layer<Id>,
  open: Openers<Service>
): StoreLayers<Id> => {
  const layers: StorePlace.Layers<Id, TraceStoreError> = {
    memory,
    postgres: (options) =>
      Layer.effect(
        port,
        Effect.flatMap(Effect.promise(open.postgres), (opens) => opens(options))
      ),
    sqlite: (options) => Layer.effect(port, open.sqlite(options))
  }
  return { ...layers, fromAddress: (address) => StorePlace.layer(address, layers) }
}

/** Opens the service of a port over the statements of a database. */
export const overStatements = <Service>(port: Port, over: (statements: Statements) => Service): Openers<Service> => ({
  postgres: async () => {
    const { make } = await import("./postgres/PostgresStatements.ts")
    return (options) => Effect.map(make(options, port), over)
  },
  sqlite: (options) => Effect.map(SqliteStatements.make(options, port), over)
})
