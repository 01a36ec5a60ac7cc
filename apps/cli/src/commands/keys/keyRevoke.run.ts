/** Revokes a key. */
import type * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as KeyDesk from "@backstitch/runtime/KeyDesk"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import type { Foreseen, Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./keyRevoke.ts"

/** Revokes a key of the tenant. */
export const handler: Handler<Input> = ({ id }, globals) => {
  const revoking: Effect.Effect<ReturnType<typeof CallerKeys.told>, Foreseen> = globals.server === undefined
    ? stored(id, globals)
    : served(id, globals.server)
  return Effect.map(revoking, (key) =>
    Printer.answer(key, () =>
      Terminal.print(`${Terminal.bold("REVOKED:")} ${key.id} | tenant=${globals.tenant} | ${Terminal.name(key.name)}`)
    )
  )
}

const served = (key: string, server: Server) =>
  ServerCall.ask(server, (api) => api.keys.revoke({ params: { key }, headers: {} }))

const stored = (id: string, globals: Globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    return yield* KeyDesk.revoke(tenant, { by: StoreSession.person(), key: id })
  }).pipe(Effect.provide(StoreSession.keys(globals, "there")))
