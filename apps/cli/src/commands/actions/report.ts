/** `backstitch report`: says what a user may be told about a run. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const report = Command.make("report", config).pipe(
  Command.withDescription(
    "Say what a user may be told of a run: one sentence an action and one for the whole, each by how it " +
      "was reconciled, and why what is held is held."
  ),
  Command.withShortDescription("Say what a user may be told"),
  Command.withExamples([
    { command: "backstitch report trip-42", description: "The claims that may be made, and those that may not" }
  ])
)
