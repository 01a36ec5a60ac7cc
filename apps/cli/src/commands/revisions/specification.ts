/** `backstitch spec`: shows the clauses of a run's goal. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = { run: Flags.run }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const specification = Command.make("spec", config).pipe(
  Command.withDescription(
    "Show the clauses of a run's goal as revisions have left them, the most important one first: their values, their " +
      "conditions, and whether these hold now. Then every revision, with what the user said."
  ),
  Command.withShortDescription("Show the clauses of a run's goal"),
  Command.withExamples([{ command: "backstitch spec trip-42", description: "The clauses in force now" }])
)
