/**
 * `backstitch predicate list`: lists the predicates that bind a run.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/**
 * What can be typed.
 *
 * @category models
 * @since 0.1.0
 */
export type Input = Command.Command.Config.Infer<typeof config>

/**
 * The command.
 *
 * @category commands
 * @since 0.1.0
 */
export const list = Command.make("list", config).pipe(
  Command.withDescription("List the predicates that bind a run, and the ticks at which they first held."),
  Command.withShortDescription("List the predicates of a run"),
  Command.withExamples([{ command: "backstitch predicate list trip-42", description: "With their first ticks" }])
)
