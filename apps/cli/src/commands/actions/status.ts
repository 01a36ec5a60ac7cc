/** `backstitch status`: says in one sentence what may be said about a run. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const status = Command.make("status", config).pipe(
  Command.withDescription(
    "Say in one sentence what a user may be told of a run, and in one of each of its actions. The exit code is 0 " +
      "only where the goal was declared reached and every action is a reconciled success, so that a script can rely on it."
  ),
  Command.withShortDescription("Say whether a run is done, for people and scripts"),
  Command.withExamples([
    { command: "backstitch status trip-42", description: "The claims that may be made now" },
    { command: "backstitch status trip-42 && notify", description: "Go on only after a reconciled success" }
  ])
)
