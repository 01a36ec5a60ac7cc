/** Tells the parts of the server that it stops: streams end, and it is not ready for further requests. */
import type * as Http from "node:http"
import type { Socket } from "node:net"
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

/**
 * Closes connections once the server stops: those on which no request has come, and each other one as soon as its last
 * answer is written. A client that keeps them for later holds nobody up.
 */
export const closing = Effect.fnUntraced(function* (server: Http.Server) {
  const { begun } = yield* Draining
  const unused = new Set<Socket>()
  server.on("connection", (socket) => {
    unused.add(socket)
    socket.once("close", () => unused.delete(socket))
  })
  server.on("request", ({ socket }) => unused.delete(socket))
  const close = Effect.sync(() => {
    // Node asks for it after each answer; with 0 a connection would be kept for ever.
    server.keepAliveTimeout = 1
    for (const socket of unused) socket.destroy()
  })
  yield* Effect.forkScoped(Effect.andThen(begun, close))
})

/** Layer that begins to stop when it is closed. Built over a server, it is closed before the server is. */
export const layerFirst: Layer.Layer<never, never, Draining> = Layer.effectDiscard(
  Effect.flatMap(Draining, ({ begin }) =>
    Effect.addFinalizer(() => Effect.andThen(Effect.logInfo("The server stops"), begin))
  )
)
