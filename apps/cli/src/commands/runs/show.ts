/** `backstitch show`: prints what a run did, tick by tick. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN[@TICK]"),
    Argument.withDescription("Name of the run, and a tick to look at closely")
  ),
  from: Flags.tick("from", "First tick to print"),
  to: Flags.tick("to", "Last tick to print"),
  type: Flags.texts("type", "TYPE", "Print transitions of this type alone"),
  state: Flags.flag("state", "Print the state after the tick, too"),
  fields: Flags.texts(
    "fields",
    "FIELD",
    "With --json: print these fields alone, as in tick,policy; any number of times"
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const show = Command.make("show", config).pipe(
  Command.withDescription(
    "Print what a run did: one line a transition, or all there is about one tick. With --json, states before and after are reconstructed."
  ),
  Command.withShortDescription("Print what a run did"),
  Command.withExamples([
    { command: "backstitch show trip-42", description: "The whole run" },
    { command: "backstitch show trip-42@7 --json", description: "One transition, every field" }
  ])
)
