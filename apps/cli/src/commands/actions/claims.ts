/** `backstitch claims`: lists held names with their holders, and how to settle them. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

const config = {
  namespace: Flag.Literals("namespace", ["target", "key", "run", "command", "delivery", "all"]).pipe(
    Flag.withDescription("Kind of names: targets are held until settled, the others for good"),
    Flag.withDefault("target")
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const claims = Command.make("claims", config).pipe(
  Command.withDescription(
    "List the names that are held, by which action of which run, since when, and how to settle it."
  ),
  Command.withShortDescription("List what unsettled actions hold"),
  Command.withExamples([{ command: "backstitch claims", description: "What waits to be settled" }])
)
