/** `backstitch predicate list`: lists the predicates that are in force in a run. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const list = Command.make("list", config).pipe(
  Command.withDescription("List the predicates that bind a run, and the ticks at which they first held."),
  Command.withShortDescription("List the predicates of a run"),
  Command.withExamples([{ command: "backstitch predicate list trip-42", description: "With their first ticks" }])
)
