/** Serves the runs of a store as an MCP server. */
import * as RunServer from "@backstitch/mcp/RunServer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import { version } from "../../terminal/Version.ts"
import type { Input } from "./mcpServer.ts"

const serve = Effect.fnUntraced(function* (decider: RunServer.Settings["decider"], globals: Globals) {
  const tenant = yield* StoreSession.tenant(globals)
  Terminal.acting()
  const streams = RunServer.streams(process.stdin, Terminal.stream())
  const served = RunServer.layer({ tenant, version, decider }).pipe(Layer.provide(streams))
  // The server interrupts the fiber that has begun it, once the client has ended.
  yield* Fiber.await(yield* Effect.forkChild(Layer.launch(served)))
  return Printer.written()
})

/** Serves until the client ends. */
export const handler: Handler<Input> = ({ allowDecisions, by, role }, globals): ReturnType<Handler<Input>> => {
  if (allowDecisions && by === undefined) {
    return Effect.fail(new Usage({ problem: "Name the person who decides, as in --allow-decisions --by Ada" }))
  }
  const decider = allowDecisions && by !== undefined ? { by, role: role ?? "operator" } : undefined
  return serve(decider, globals).pipe(Effect.provide(StoreSession.writing(globals)))
}
