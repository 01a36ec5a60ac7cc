/** `backstitch approvals`: lists what waits for an approval, in all runs. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  tool: Flags.text("tool", "TOOL", "Only what waits for this tool")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const approvals = Command.make("approvals", config).pipe(
  Command.withDescription(
    "List the intents that wait for a person, in all runs, with who may decide, since when, and the command that does."
  ),
  Command.withShortDescription("List what waits for an approval"),
  Command.withExamples([{ command: "backstitch approvals", description: "Everything that waits" }])
)
