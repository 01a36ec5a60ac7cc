/**
 * The store of a server: each effect of a request runs within it, for the tenant of its caller and for no other.
 */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import type * as Sealing from "@backstitch/runtime/Sealing"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlLeases from "@backstitch/sql/SqlLeases"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { TraceStore } from "@backstitch/trace/TraceStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Secrets from "./Secrets.ts"

/** The services of a request: traces, and a coordinator that decides and calls no tool. */
export type Services =
  | Coordinator.Coordinator
  | History.History
  | PackLibrary.PackLibrary
  | Sealing.Sealing
  | ToolExecutor.ToolExecutor
  | TraceStore

/** Service that gives a request its services. */
export class Stores extends Context.Service<Stores, Context.Context<Services>>()("@backstitch/server/Stores") {}

/** Layer of a store: the services of its traces, leases, notes and sealed values. */
export const layerStore = (address: string, secrets: Secrets.Given) =>
  History.layer(Kernel.standard).pipe(
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        SqlTraceStore.layerFromAddress(address),
        SqlLeases.layerFromAddress(address),
        SqlNotes.layerFromAddress(address),
        Secrets.layerSealing(address, secrets)
      )
    )
  )

/** Layer of the services of requests. A decision of a person derives no key, so it needs no secret. */
export const layer = Layer.effect(Stores, Effect.context<Services>()).pipe(
  Layer.provide(Coordinator.layer({ secret: "" })),
  Layer.provide(ToolExecutor.layerFrom({}))
)

/** Provides an effect with the store. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Stores, (services) => Effect.provide(effect, services))
