/** `backstitch webhook create`: makes an endpoint to which news are sent. */
import * as NewsType from "@backstitch/runtime/NewsType"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  url: Argument.String("url").pipe(
    Argument.withMetavar("URL"),
    Argument.withDescription("Address to which messages are posted: http or https, of the public internet")
  ),
  types: Flag.Literals("type", NewsType.all).pipe(
    Flag.withDescription("A type of news to send, repeatable; all of them unless given"),
    Flags.repeated
  ),
  shows: Flags.flag("arguments", "Send cards of approvals whole, with the arguments of the calls")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const create = Command.make("create", config).pipe(
  Command.withDescription(
    "Make an endpoint to which a server on this store sends news of the runs that it hosts, for the tenant of --tenant: " +
      "approvals that wait, held actions, violations and ends. The secret with which messages are signed (Standard " +
      "Webhooks) is shown once. Messages name things and hold no arguments of calls, unless --arguments asks for them; " +
      "sensitive ones stay sealed."
  ),
  Command.withShortDescription("Make an endpoint"),
  Command.withExamples([
    { command: "backstitch webhook create https://hooks.example.com/in", description: "Everything that happens" },
    {
      command: "backstitch webhook create https://hooks.example.com/in --type approval.requested --arguments",
      description: "Whole cards, for a program in which people decide"
    }
  ])
)
