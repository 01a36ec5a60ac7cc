/**
 * A named place where a test can stop the world.
 *
 * Production code calls `at("append/committed")` and continues: by default nothing happens. A test provides another
 * reference, and can fail, wait or kill the process there, without a global and without changing the code.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Places on the commit path, in their order. */
export type PointName =
  | "propose/decided"
  | "append/before"
  | "append/committed"
  | "effect/before"
  | "effect/answered"
  | "inside/before"
  | "inside/answered"
  | "conclude/before"
  | "conclude/answered"
  | "status/before"
  | "status/answered"
  | "original/before"
  | "original/answered"
  | "readback/before"
  | "readback/answered"
  | "settle/staged"
  | "settle/due"
  | "settle/committed"

/** The effect that runs at a place. By default none; a test may provide one. */
export const FaultPoint = Context.Reference<(place: PointName) => Effect.Effect<void>>(
  "@backstitch/runtime/FaultPoint",
  {
    defaultValue: () => () => Effect.void
  }
)

/** Reaches a place. */
export const at = (place: PointName): Effect.Effect<void> => FaultPoint.use((reach) => reach(place))
