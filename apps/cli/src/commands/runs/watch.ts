/** `backstitch watch`: prints transitions when any process commits them. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("A run to follow; without it, every run"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  from: Flags.tick("from", "Of a run: first tick to print, instead of the next that is committed"),
  revise: Flags.flag("revise", "Of a run: read changes of its goal from stdin, one a line, and inject each")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const watch = Command.make("watch", config).pipe(
  Command.withDescription(
    "Print each transition as it is committed, by whatever process, until Ctrl-C. With --json, one document a line, without states."
  ),
  Command.withShortDescription("Follow runs as they are written"),
  Command.withExamples([
    { command: "backstitch watch", description: "The commits of every run from now on" },
    { command: "backstitch watch trip-42 --from 1", description: "A run from its first tick" },
    { command: "backstitch watch trip-42 --revise", description: "Change your mind while the agent works" },
    { command: "backstitch watch --json", description: "The same for a program" }
  ])
)
