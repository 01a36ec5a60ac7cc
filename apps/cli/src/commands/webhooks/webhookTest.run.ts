/** Sends an endpoint a test. */
import * as WebhookDesk from "@backstitch/host/WebhookDesk"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as WebhookSession from "../../program/WebhookSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./webhookTest.ts"

const words = { taken: "took it", gone: "wants no more", refused: "did not take it" } as const

const print = ({ endpoint, outcome, why }: WebhookDesk.Tested): void => {
  const paint = outcome === "taken" ? Terminal.good : Terminal.bad
  Terminal.print(`${paint("TESTED:")} ${endpoint} ${words[outcome]}${why === null ? "" : `: ${why}`}`)
}

const tested = Effect.fnUntraced(function* ({ endpoint }: Input, globals: Globals) {
  const { server } = globals
  if (server !== undefined) {
    return yield* ServerCall.ask(server, (api) => api.webhooks.test({ headers: {}, params: { endpoint } }))
  }
  return yield* Effect.gen(function* () {
    const tenant = yield* StoreSession.tenant(globals)
    return yield* WebhookDesk.test(tenant, endpoint, yield* WebhookSession.settings(globals, tenant))
  }).pipe(Effect.provide(WebhookSession.layer(globals, "there")))
})

/** Sends a test; 1 if the endpoint does not take it. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.map(tested(input, globals), (result) =>
    Printer.answer(result, () => print(result), result.outcome === "taken" ? 0 : 1)
  )
