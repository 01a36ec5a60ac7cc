/** `backstitch runs`: lists the runs of a store. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"
import * as Limits from "../../Limits.ts"

const config = {
  limit: Flags.limit("RUNS", "Runs to list at most", Limits.showing.listedRunsMax),
  since: Flags.time("since", "Runs that went on at or after this time, such as 2026-11-27 or 2026-11-27T08:00Z")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const runs = Command.make("runs", config).pipe(
  Command.withDescription("List the runs of the store, with their goals and where they stand."),
  Command.withShortDescription("List the runs of the store"),
  Command.withExamples([
    { command: "backstitch runs --json", description: "For programs" },
    { command: "backstitch runs --since 2026-11-27", description: "Runs of that day and later (UTC)" }
  ])
)
