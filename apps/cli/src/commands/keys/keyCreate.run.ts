/** Makes a key. */
import * as AdministrationLog from "@backstitch/runtime/AdministrationLog"
import * as ApiKeys from "@backstitch/runtime/ApiKeys"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./keyCreate.ts"

/** Makes a key, and prints its text, which is nowhere else. */
export const handler: Handler<Input> = ({ capacities, holder, role }, globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const by = StoreSession.person()
    const { key, text } = yield* ApiKeys.create({ tenant, name: holder, role, capacities }, ({ id }) =>
      AdministrationLog.record(tenant, { act: "key.create", by, about: { key: id, holder, role, capacities } })
    )
    return Printer.answer({ key: ApiKeys.told(key), text }, () => {
      Terminal.print(`${Terminal.bold("KEY:")} ${key.id} | tenant=${tenant} | ${Terminal.name(holder)} | role=${role}`)
      Terminal.print(text)
      Terminal.note("This is shown once: keep it")
    })
  }).pipe(Effect.provide(StoreSession.keys(globals, "made")))
