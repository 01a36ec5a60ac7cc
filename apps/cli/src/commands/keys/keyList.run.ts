/** Lists keys. */
import * as CallerKeys from "@backstitch/runtime/CallerKeys"
import * as ApiKeys from "@backstitch/trace/ApiKeys"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import type { Foreseen, Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./keyList.ts"

type Told = ReturnType<typeof CallerKeys.told>

const minute = (moment: string): string => moment.slice(0, 16).replace("T", " ")

const print = (keys: ReadonlyArray<Told>, tenant: string): void => {
  if (keys.length === 0) {
    Terminal.print(`Tenant ${tenant} has no keys`)
    return
  }
  const rows = keys.map(({ capacities, created, id, name, revoked, role }) => [
    id,
    Terminal.name(name),
    role,
    capacities.join(", "),
    minute(created),
    revoked === null ? "" : minute(revoked)
  ])
  TextTable.print(rows, { header: ["KEY", "HOLDER", "ROLE", "DECIDES AS", "MADE (UTC)", "REVOKED"] })
}

/** Lists the keys of the tenant, revoked ones included. */
export const handler: Handler<Input> = (_, globals) => {
  const keys: Effect.Effect<ReadonlyArray<Told>, Foreseen> = globals.server === undefined
    ? stored(globals)
    : served(globals.server)
  return Effect.map(keys, (keys) => Printer.answer({ keys }, () => print(keys, globals.tenant)))
}

const stored = (globals: Globals) =>
  Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    return (yield* (yield* ApiKeys.ApiKeys).ofTenant(tenant)).map(CallerKeys.told)
  }).pipe(Effect.provide(StoreSession.keys(globals, "there")))

const served = (server: Server) =>
  Effect.map(
    ServerCall.ask(server, (api) => api.keys.list()),
    ({ keys }) => keys
  )
