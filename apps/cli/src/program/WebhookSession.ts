/** The services of commands on endpoints, over a store. */
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import type * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Globals } from "../input/Globals.ts"
import * as StoreSession from "./StoreSession.ts"
import * as TenantSecret from "./TenantSecret.ts"

/** Services to change endpoints. A store that is to be there is refused if it is missing, or else made. */
export const layer = (globals: Globals, store: "made" | "there") =>
  Layer.provideMerge(
    SqlNotes.layerFromAddress(globals.store),
    store === "made" ? StoreSession.importing(globals) : StoreSession.writing(globals)
  )

/** The secret from which those of endpoints are derived, which is that of a server on the store, and where it sends. */
export const settings = Effect.fnUntraced(function* (globals: Globals, tenant: Run.Tenant) {
  const secret = yield* TenantSecret.recognised(globals, tenant)
  const permitPrivate = process.env["BACKSTITCH_WEBHOOKS"] === "private"
  return { permitPrivate, tenantSecret: secret, tenantSecretOf: () => Effect.succeed(secret) }
})
