/** Makes an endpoint. */
import * as WebhookDesk from "@backstitch/host/WebhookDesk"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as WebhookSession from "../../program/WebhookSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./webhookCreate.ts"

const made = Effect.fnUntraced(function* ({ shows, types, url }: Input, globals: Globals) {
  const [first, ...more] = types
  const asked = { url, ...(first === undefined ? {} : { types: [first, ...more] as const }), shows }
  const { server } = globals
  if (server !== undefined) {
    return yield* ServerCall.ask(server, (api) => api.webhooks.create({ headers: {}, payload: asked }))
  }
  return yield* Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    const settings = yield* WebhookSession.settings(globals, tenant)
    return yield* WebhookDesk.create(tenant, { ...asked, by: StoreSession.person() }, settings)
  }).pipe(Effect.provide(WebhookSession.layer(globals, "made")))
})

/** Makes an endpoint, and prints its secret, which is nowhere else. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.map(made(input, globals), (document) => {
    const { secret, webhook } = document
    return Printer.answer(document, () => {
      Terminal.print(`${Terminal.bold("WEBHOOK:")} ${webhook.endpoint} | ${webhook.url} | ${webhook.types.join(", ")}`)
      Terminal.print(secret)
      Terminal.note("This is shown once: keep it")
    })
  })
