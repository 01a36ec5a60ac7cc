/** `backstitch action`: prints all that is known of one action. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  id: Argument.String("action").pipe(
    Argument.withMetavar("ACTION"),
    Argument.withDescription("Id of the action, as `ledger` prints it")
  ),
  run: Flags.text("run", "RUN", "Run of the action, where several runs have one of this id"),
  head: Flags.text("head", "[TICK:]LINK", "Link of a head that was kept elsewhere: say whether it confirms the action")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const action = Command.make("action", config).pipe(
  Command.withDescription(
    "Print one action on one page: its states with their ticks, its key, what came back, which predicates held, " +
      "what differed, and what was decided and approved."
  ),
  Command.withShortDescription("Print one action on one page"),
  Command.withExamples([{ command: "backstitch action a4 --run trip-42", description: "The outcome of one booking" }])
)
