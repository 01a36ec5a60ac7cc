/** `backstitch instances`: lists the subtasks of a run. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = { run: Flags.run }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const instances = Command.make("instances", config).pipe(
  Command.withDescription(
    "List the subtasks of a run: each occurrence with its phase, the data that it read and wrote, and its effects."
  ),
  Command.withShortDescription("List the subtasks of a run"),
  Command.withExamples([
    { command: "backstitch instances trip-42", description: "The instances, each with its entity" }
  ])
)
