/**
 * The tools of the caller, as the executor of a session.
 *
 * Callers with tools of their own share the runs of a session. Each call brings its tools along, so it is carried out
 * by the code that made it.
 */
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Executor = ToolExecutor.ToolExecutor["Service"]

const none = ToolExecutor.fromTools({})

/** The executor of the caller; by default there are no tools. */
export const CurrentTools = Context.Reference<Executor>("@backstitch/sdk/CurrentTools", { defaultValue: () => none })

/** Carries out an effect with the tools of an executor. */
export const using =
  (executor: Executor) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, CurrentTools, executor)

/** Layer that sends each request to the tools of its caller. */
export const layer: Layer.Layer<ToolExecutor.ToolExecutor> = Layer.succeed(ToolExecutor.ToolExecutor, {
  mode: "live",
  call: (request) => Effect.flatMap(CurrentTools, (tools) => tools.call(request)),
  status: (request) => Effect.flatMap(CurrentTools, (tools) => tools.status(request)),
  readback: (request) => Effect.flatMap(CurrentTools, (tools) => tools.readback(request)),
  open: (request) => Effect.flatMap(CurrentTools, (tools) => tools.open!(request))
})
