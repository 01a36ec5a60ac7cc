/** `backstitch review`: lists held actions, with the reasons. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("Only what this run holds"),
    Argument.withDefault("")
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const review = Command.make("review", config).pipe(
  Command.withDescription(
    "List the actions that are held, with the discrepancy, what the recovery table says of it, and how to go on: those " +
      "that nothing has settled, those whose undoing failed, and those whose undoing cannot begin."
  ),
  Command.withShortDescription("List what is held, and why"),
  Command.withExamples([
    { command: "backstitch review", description: "The held actions of all runs" },
    { command: "backstitch review trip-42", description: "The held actions of one run" }
  ])
)
