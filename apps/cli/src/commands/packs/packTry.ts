/** `backstitch pack try`: says what another pack would have done in recorded runs. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("new").pipe(Argument.withMetavar("NEW"), Argument.withDescription("Pack to try")),
  against: Flags.path("against", "file").pipe(
    Flag.withMetavar("STORE"),
    Flag.withDescription("Recorded runs: a store, or a file that `export` wrote")
  ),
  runs: Flags.texts("run", "RUN", "Only this run; any number of times")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const attempt = Command.make("try", config).pipe(
  Command.withDescription(
    "Decide every recorded proposal, and everything that came back, under another pack: what it would have " +
      "refused, asked a person for or recovered otherwise. Nothing is asked of the world. The exit code is 1 if " +
      "anything comes out otherwise."
  ),
  Command.withShortDescription("Try a pack on recorded runs"),
  Command.withExamples([
    { command: "backstitch pack try new.yaml --against .backstitch/trace.db", description: "On every recorded run" }
  ])
)
