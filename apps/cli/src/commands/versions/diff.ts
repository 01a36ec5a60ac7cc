/** `backstitch diff`: says where two runs parted and how they differ. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  left: Argument.String("left").pipe(
    Argument.withMetavar("A[@TICK]"),
    Argument.withDescription("A run, and the tick at which it is taken to end")
  ),
  right: Argument.String("right").pipe(
    Argument.withMetavar("B[@TICK]"),
    Argument.withDescription("Another, or the same at another tick")
  ),
  from: Flags.tick("from", "First tick to compare"),
  to: Flags.tick("to", "Last tick to compare"),
  type: Flag.Literals("type", ["structural", "semantic", "confidence", "outcome"]).pipe(
    Flag.withDescription("Kind of difference to keep; give it again for more kinds"),
    Flags.repeated
  ),
  state: Flags.tick("state", "Print instead the JSON Patch that turns A's state after this tick into B's"),
  record: Flags.flag("record", "Commit the comparison to run A")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const diff = Command.make("diff", config).pipe(
  Command.withDescription(
    "Say where two runs parted, and how they differ in what they did and where they ended. Time and usage are not compared."
  ),
  Command.withShortDescription("Say how two runs differ"),
  Command.withExamples([
    { command: "backstitch diff trip-42 trip-43", description: "All differences" },
    { command: "backstitch diff trip-42 trip-43 --type outcome", description: "Their last transitions" },
    {
      command: "backstitch diff trip-42 trip-43 --state 12",
      description: "The differences of their states after tick 12"
    }
  ])
)
