/** Lists endpoints. */
import * as WebhookDesk from "@backstitch/host/WebhookDesk"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as WebhookSession from "../../program/WebhookSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./webhookList.ts"

const minute = (moment: string): string => moment.slice(0, 16).replace("T", " ")

const waiting = ({ failed, gone, undelivered }: WebhookDesk.Webhook): string => {
  if (gone) return Terminal.wary("wants no more")
  if (undelivered === null) return failed === null ? "" : `gave one up at ${minute(failed.at)}: ${failed.why}`
  const { attempts, dueAt, messages, why } = undelivered
  return `${messages}, after ${attempts} attempts${why === null ? "" : ` (${why})`}, next at ${minute(dueAt)}`
}

const print = (webhooks: ReadonlyArray<WebhookDesk.Webhook>): void => {
  if (webhooks.length === 0) {
    Terminal.print("News of runs are sent nowhere")
    return
  }
  const rows = webhooks.map((each) => [
    each.endpoint,
    each.url ?? Terminal.bad("cannot be read: remove it"),
    each.types.join(", "),
    each.shows ? "yes" : "no",
    each.since === null ? "" : minute(each.since),
    waiting(each)
  ])
  TextTable.print(rows, { header: ["ENDPOINT", "URL", "TYPES", "ARGUMENTS", "MADE (UTC)", "NOT TAKEN YET"] })
}

const listed = Effect.fnUntraced(function* (globals: Globals) {
  const { server } = globals
  if (server !== undefined) return (yield* ServerCall.ask(server, (api) => api.webhooks.list())).webhooks
  return yield* Effect.flatMap(StoreSession.tenant(globals), (tenant) => WebhookDesk.list(tenant)).pipe(
    Effect.provide(WebhookSession.layer(globals, "there"))
  )
})

/** Lists the endpoints of the tenant. */
export const handler: Handler<Input> = (_, globals) =>
  Effect.map(listed(globals), (webhooks) => Printer.answer({ webhooks }, () => print(webhooks)))
