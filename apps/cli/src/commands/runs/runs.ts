/**
 * `backstitch runs`: lists the runs of a store.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  limit: Flags.limit("RUNS", "Runs to list at most", 1000)
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
export const runs = Command.make("runs", config).pipe(
  Command.withDescription("List the runs of the store, with their goals and where they stand."),
  Command.withShortDescription("List the runs of the store"),
  Command.withExamples([{ command: "backstitch runs --json", description: "For programs" }])
)
