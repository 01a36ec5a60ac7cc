/** Tells the parts of the server that it stops: streams end, and it is not ready for further requests. */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Service that says whether the server stops. */
export class Draining extends Context.Service<
  Draining,
  {
    /** Begins to stop. */
    readonly begin: Effect.Effect<void>
    /** Waits until the server stops. */
    readonly begun: Effect.Effect<void>
    readonly isBegun: Effect.Effect<boolean>
  }
>()("@backstitch/server/Draining") {}

/** Layer of the service. */
export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.map(Deferred.make<void>(), (stop) =>
    Draining.of({
      begin: Effect.asVoid(Deferred.succeed(stop, undefined)),
      begun: Deferred.await(stop),
      isBegun: Deferred.isDone(stop)
    })
  )
)

/** Layer that begins to stop when it is closed. Built over a server, it is closed before the server is. */
export const layerFirst: Layer.Layer<never, never, Draining> = Layer.effectDiscard(
  Effect.flatMap(Draining, ({ begin }) =>
    Effect.addFinalizer(() => Effect.andThen(Effect.logInfo("The server stops"), begin))
  )
)
