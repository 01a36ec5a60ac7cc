#!/usr/bin/env node
/** The program that serves, until it is asked to stop. */
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as StorePlace from "@backstitch/sql/StorePlace"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Run from "@backstitch/trace/Run"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerError from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as Server from "./Server.ts"
import * as ServerSettings from "./ServerSettings.ts"
import * as Stores from "./store/Stores.ts"

/** Written as it is, for a person who starts the server: logs are on stderr. */
const print = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

/** A store without any key in force gets one, since nobody could make the first one over HTTP. */
const firstKey = Effect.gen(function* () {
  if ((yield* (yield* ApiKeys.ApiKeys).count) > 0) return
  const { tenant } = Run.make("any")
  const create = CallerKeys.create({ tenant, name: "admin", role: "admin", capacities: [] })
  const { text } = yield* Effect.scoped(Stores.within(tenant, create))
  yield* print(`key      ${text}`)
  yield* print("         of tenant default, with the role admin. It is shown once: keep it")
})

const told = (settings: Server.Settings) =>
  HttpServer.addressFormattedWith((address) => print(`serving  ${address}  (documentation: ${address}/docs)`)).pipe(
    Effect.andThen(print(`store    ${StorePlace.shown(settings.store)}`)),
    Effect.andThen(firstKey)
  )

const serving = Effect.gen(function* () {
  const settings = yield* ServerSettings.of(process.env, process.argv.slice(2))
  return yield* Layer.launch(Layer.effectDiscard(told(settings)).pipe(Layer.provide(Server.layer(settings))))
})

/** Says in one line why the program cannot serve. Its exit code is 1. */
const complain = (cause: Cause.Cause<unknown>) =>
  Effect.sync(() => {
    const error = Cause.squash(cause)
    const place = error instanceof HttpServerError.ServeError ? "The address cannot be listened at: " : ""
    const said = error instanceof HttpServerError.ServeError ? error.cause : error
    const isForeseen = said instanceof Error && ("_tag" in said || place !== "")
    process.stderr.write(`backstitch: ${place}${isForeseen ? said.message : Cause.pretty(cause)}\n`)
    process.exitCode = 1
  })

NodeRuntime.runMain(
  Effect.catchCause(serving, (cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : complain(cause))),
  // A server that was told to stop, and has, ends well: a process manager takes another code for a failure.
  {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)
  }
)
