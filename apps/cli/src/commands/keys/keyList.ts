/** `backstitch key list`: lists the keys of the tenant. */
import * as Command from "effect/cli/Command"

const config = {}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const list = Command.make("list", config).pipe(
  Command.withDescription(
    "List the keys with which servers on this store are called, in the order in which they were made."
  ),
  Command.withShortDescription("List keys"),
  Command.withExamples([
    { command: "backstitch key list --tenant acme", description: "Who may call, and in which role?" }
  ])
)
