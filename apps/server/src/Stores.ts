/**
 * The stores of tenants: each effect of a request runs within the store of its caller's tenant, and reaches no other.
 */
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { TraceStore, TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The services of a request: the traces of a tenant, and a coordinator that decides and calls no tool. */
export type Services =
  | Coordinator.Coordinator
  | History.History
  | PackLibrary.PackLibrary
  | ToolExecutor.ToolExecutor
  | TraceStore

/** Service that gives the store of a tenant. */
export class Stores extends Context.Service<Stores, Context.Context<Services>>()("@backstitch/server/Stores") {}

/** Opens the store at an address. Decisions of people derive no key, so they need no secret. */
export const layer = (address: string): Layer.Layer<Stores, TraceStoreError> =>
  Layer.effect(
    Stores,
    Layer.build(
      Coordinator.layer({ secret: "" }).pipe(
        Layer.provideMerge(ToolExecutor.layerFrom({})),
        Layer.provideMerge(History.layer(Kernel.standard)),
        Layer.provideMerge(PackLibrary.layer),
        Layer.provideMerge(SqlTraceStore.layerFromAddress(address))
      )
    )
  )

/** Provides an effect with the store of a tenant. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Stores, (services) => Effect.provide(effect, services))
