/** `backstitch ledger`: prints the entry of each action. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  head: Flags.text("head", "[TICK:]LINK", "Link of a head that was kept elsewhere: say which actions it confirms")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const ledger = Command.make("ledger", config).pipe(
  Command.withDescription(
    "Print the ledger of a run: for each action what it was to change, what was sent, how that was " +
      "verified and reconciled, and what was decided where it differed. With --json, entries in the " +
      "published schema. With a head that was kept elsewhere, the run is verified, and actions are " +
      "audit-confirmed that were reconciled before that head, with nothing missing in their entries."
  ),
  Command.withShortDescription("Print the ledger of actions"),
  Command.withExamples([
    { command: "backstitch ledger trip-42", description: "One line an action" },
    { command: "backstitch ledger trip-42 --json", description: "Entries for an auditor" },
    {
      command: "backstitch ledger trip-42 --head 3fa41c...",
      description: "Audit-confirmed under a head kept elsewhere"
    }
  ])
)
