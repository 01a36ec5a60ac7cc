/** `backstitch webhook test`: sends an endpoint a test. */
import * as Command from "effect/cli/Command"
import { endpoint } from "./EndpointArgument.ts"

const config = { endpoint }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const test = Command.make("test", config).pipe(
  Command.withDescription("Send an endpoint a signed message of the type webhook.test, once, and say what came of it."),
  Command.withShortDescription("Send an endpoint a test"),
  Command.withExamples([
    { command: "backstitch webhook test ep_4450816696c3999eb8c56ce7c219870a", description: "Does it answer?" }
  ])
)
