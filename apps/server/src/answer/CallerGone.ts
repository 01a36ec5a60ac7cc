/**
 * Ends work that only reads once its caller has gone (disconnected), and carries a write through.
 *
 * Of a write that is cut off nobody would know how far it came. Work for a route that asks for the role of a viewer
 * only reads, also if it is asked by `POST`: a viewer writes nothing.
 */
import * as Access from "@backstitch/api/Access"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"

/** Completed once the caller has gone; `undefined` where the answer is interrupted then. */
const CallerGone = Context.Reference<Deferred.Deferred<void> | undefined>("@backstitch/server/CallerGone", {
  defaultValue: () => undefined
})

/** Carries an answer through to its end, even if its caller goes. Work under {@link reading} is ended then. */
export const carried = <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask(() =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(Effect.provideService(answer, CallerGone, gone), { uninterruptible: true })
      const waited = yield* Effect.exit(Effect.interruptible(Fiber.await(fiber)))
      if (Exit.isFailure(waited)) yield* Deferred.succeed(gone, undefined)
      return yield* Fiber.join(fiber)
    })
  )

/** Ends the work for a route of viewers once its caller has gone. */
export const reading =
  (annotations: HttpApiEndpoint.Top["annotations"]) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Context.getOrUndefined(annotations, Access.Required) === "viewer"
      ? Effect.flatMap(CallerGone, (gone) =>
          gone === undefined ? work : Effect.raceFirst(work, Effect.andThen(Deferred.await(gone), Effect.interrupt))
        )
      : work
