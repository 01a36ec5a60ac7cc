/** Makes a key. */
import * as KeyDesk from "@backstitch/runtime/KeyDesk"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./keyCreate.ts"

const told = (
  { key, text }: Effect.Success<ReturnType<typeof KeyDesk.create>>,
  { tenant }: Globals
): Printer.CommandAnswer =>
  Printer.answer({ key, text }, () => {
    const { id, name, role } = key
    Terminal.print(`${Terminal.bold("KEY:")} ${id} | tenant=${tenant} | ${Terminal.name(name)} | role=${role}`)
    Terminal.print(text)
    Terminal.note("This is shown once: keep it")
  })

const making = ({ capacities, holder, role }: Input, globals: Globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const by = StoreSession.person()
    return told(yield* KeyDesk.create(tenant, { by, name: holder, role, capacities }), globals)
  }).pipe(Effect.provide(StoreSession.keys(globals, "made")))

const asking = ({ capacities, holder: name, role }: Input, server: Server, globals: Globals) =>
  Effect.map(
    ServerCall.ask(server, (api) => api.keys.create({ headers: {}, payload: { capacities, name, role } })),
    (made) => told(made, globals)
  )

/** Makes a key, and prints its text, which is nowhere else. */
export const handler: Handler<Input> = (input, globals) =>
  globals.server === undefined ? making(input, globals) : asking(input, globals.server, globals)
