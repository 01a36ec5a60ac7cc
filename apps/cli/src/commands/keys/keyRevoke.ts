/** `backstitch key revoke`: revokes a key. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

const config = {
  id: Argument.String("id").pipe(
    Argument.withMetavar("ID"),
    Argument.withDescription("Id of the key, as `key list` shows it")
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const revoke = Command.make("revoke", config).pipe(
  Command.withDescription(
    "Revoke a key of the tenant. No server on this store recognises it from the next request on."
  ),
  Command.withShortDescription("Revoke a key"),
  Command.withExamples([{ command: "backstitch key revoke 4450816696c3999e", description: "It was lost" }])
)
