/** `backstitch webhook list`: lists the endpoints of the tenant. */
import * as Command from "effect/cli/Command"

const config = {}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const list = Command.make("list", config).pipe(
  Command.withDescription(
    "List the endpoints to which news are sent, each with the messages that it has not taken yet, and why."
  ),
  Command.withShortDescription("List endpoints"),
  Command.withExamples([
    { command: "backstitch webhook list --tenant acme", description: "Who is told, and who is not?" }
  ])
)
