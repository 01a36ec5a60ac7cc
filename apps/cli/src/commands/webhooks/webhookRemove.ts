/** `backstitch webhook remove`: removes an endpoint. */
import * as Command from "effect/cli/Command"
import { endpoint } from "./EndpointArgument.ts"

const config = { endpoint }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const remove = Command.make("remove", config).pipe(
  Command.withDescription(
    "Remove an endpoint. Messages to it that wait are dropped, and its secret signs nothing more."
  ),
  Command.withShortDescription("Remove an endpoint"),
  Command.withExamples([
    {
      command: "backstitch webhook remove ep_4450816696c3999eb8c56ce7c219870a",
      description: "Its secret is known to others"
    }
  ])
)
