/** `backstitch blame`: says which transition last set a field of the state. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("Name of the run, or a tick of it as in RUN@7, RUN~3 or RUN:head")
  ),
  field: Argument.String("field").pipe(
    Argument.withMetavar("FIELD"),
    Argument.withDescription(
      "A field as in world.spent, a value within as in world.orders.milk.price, or a JSON pointer"
    )
  ),
  history: Flags.flag("history", "Show every transition that set it, latest first")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const blame = Command.make("blame", config).pipe(
  Command.withDescription(
    "Say which transition last set a field of the state, what stood there before, and who wrote it."
  ),
  Command.withShortDescription("Say who set a field"),
  Command.withExamples([
    { command: "backstitch blame trip-42 world.spent", description: "The last one" },
    { command: "backstitch blame trip-42@12 world.orders.milk --history", description: "All of them up to tick 12" }
  ])
)
