/** Revokes a key. */
import * as AdministrationLog from "@backstitch/runtime/AdministrationLog"
import * as ApiKeys from "@backstitch/runtime/ApiKeys"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./keyRevoke.ts"

/** Revokes a key of the tenant. */
export const handler: Handler<Input> = ({ id }, globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    yield* AdministrationLog.record(tenant, { act: "key.revoke", by: StoreSession.person(), about: { key: id } })
    const key = ApiKeys.told(yield* ApiKeys.revoke(tenant, id))
    return Printer.answer(key, () =>
      Terminal.print(`${Terminal.bold("REVOKED:")} ${key.id} | tenant=${tenant} | ${Terminal.name(key.name)}`)
    )
  }).pipe(Effect.provide(StoreSession.keys(globals, "there")))
