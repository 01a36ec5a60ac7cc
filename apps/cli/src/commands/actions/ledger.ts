/** `backstitch ledger`: prints the entry of each action. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const ledger = Command.make("ledger", config).pipe(
  Command.withDescription(
    "Print the ledger of a run: for each action what it was to change, what was sent, how that was " +
      "verified and reconciled, and what was decided where it differed. With --json, entries in the " +
      "published schema."
  ),
  Command.withShortDescription("Print the ledger of actions"),
  Command.withExamples([
    { command: "backstitch ledger trip-42", description: "One line an action" },
    { command: "backstitch ledger trip-42 --json", description: "Entries for an auditor" }
  ])
)
