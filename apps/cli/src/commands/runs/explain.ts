/** `backstitch explain`: says why something was refused, is held, or was allowed. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN@TICK"),
    Argument.withDescription("Name of the run, and the tick to explain")
  ),
  pack: Flags.file("pack", "FILE", "The pack as a file, to name its lines")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const explain = Command.make("explain", config).pipe(
  Command.withDescription(
    "Say why something was refused, is held, was blocked or was allowed, as a tree of conditions with what was found and what would make it pass."
  ),
  Command.withShortDescription("Say why a tick came out as it did"),
  Command.withExamples([
    { command: "backstitch explain trip-42@7", description: "Why tick 7 was refused" },
    { command: "backstitch explain trip-42@7 --pack travel.yaml", description: "With lines of the pack" }
  ])
)
