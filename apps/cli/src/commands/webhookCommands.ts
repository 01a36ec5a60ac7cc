/** Commands on the endpoints to which servers on a store send news of its runs. */
import * as Command from "effect/cli/Command"
import * as Handler from "../program/Handler.ts"
import { create } from "./webhooks/webhookCreate.ts"
import { list } from "./webhooks/webhookList.ts"
import { remove } from "./webhooks/webhookRemove.ts"
import { test } from "./webhooks/webhookTest.ts"

const webhook = Command.make("webhook").pipe(
  Command.withDescription(
    "Make, list, test and remove the endpoints to which a server on this store sends news of runs."
  ),
  Command.withShortDescription("Send news of runs to endpoints"),
  Command.withSubcommands([
    Handler.bind(create, () => import("./webhooks/webhookCreate.run.ts"), "webhook"),
    Handler.bind(list, () => import("./webhooks/webhookList.run.ts"), "webhook"),
    Handler.bind(remove, () => import("./webhooks/webhookRemove.run.ts"), "webhook"),
    Handler.bind(test, () => import("./webhooks/webhookTest.run.ts"), "webhook")
  ])
)

/** The commands of the group, each with its handler. */
export const commands = [webhook] as const
