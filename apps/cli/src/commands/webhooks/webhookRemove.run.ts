/** Removes an endpoint. */
import * as WebhookDesk from "@backstitch/host/WebhookDesk"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as WebhookSession from "../../program/WebhookSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./webhookRemove.ts"

const removed = Effect.fnUntraced(function* ({ endpoint }: Input, globals: Globals) {
  const { server } = globals
  if (server !== undefined) {
    return yield* ServerCall.ask(server, (api) => api.webhooks.remove({ headers: {}, params: { endpoint } }))
  }
  return yield* Effect.flatMap(StoreSession.tenant(globals), (tenant) =>
    WebhookDesk.remove(tenant, { by: StoreSession.person(), endpoint })
  ).pipe(Effect.provide(WebhookSession.layer(globals, "there")))
})

/** Removes an endpoint of the tenant. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.map(removed(input, globals), (webhook) =>
    Printer.answer(webhook, () =>
      Terminal.print(`${Terminal.bold("REMOVED:")} ${webhook.endpoint} | ${webhook.url ?? webhook.unread}`)
    )
  )
