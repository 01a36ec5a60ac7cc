/** `backstitch log`: shows runs as a graph of forks, one line per tick. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"
import * as Limits from "../../Limits.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("A run, shown with its ancestors and forks; without it, every run"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  limit: Flags.limit("TICKS", "Most ticks to show", Limits.showing.loggedTicksMax)
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const log = Command.make("log", config).pipe(
  Command.withDescription(
    "Show runs as a graph of forks, one line a tick, newest first. What a fork shares with its parent is shown once."
  ),
  Command.withShortDescription("Show the graph of forks"),
  Command.withExamples([
    { command: "backstitch log trip-42", description: "A run with its ancestors and forks" },
    { command: "backstitch log --limit 20", description: "The last ticks of every run" }
  ])
)
