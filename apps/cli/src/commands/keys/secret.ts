/** `backstitch secret`: says whether the present secret is the one that the store knows. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  accept: Flags.flag(
    "accept",
    "Take the secret at hand as that of the tenant from now on; one is made if there is none"
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const secret = Command.make("secret", config).pipe(
  Command.withDescription(
    "Say where the secret of the tenant's keys is looked for, and whether it is the one that the store knows by its " +
      "fingerprint. With --accept another one takes its place: earlier acts are not recognised under it, and what is " +
      "proposed again is done again."
  ),
  Command.withShortDescription("Compare the secret at hand with the store's"),
  Command.withExamples([
    { command: "backstitch secret", description: "Is it the one that keys were derived from?" },
    { command: "backstitch secret --accept", description: "Begin with another one, at the cost of what it recognised" }
  ])
)
