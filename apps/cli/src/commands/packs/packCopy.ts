/** `backstitch pack copy`: copies a reviewed contract for a usual system, with the code of its tools. */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  name: Argument.String("name").pipe(
    Argument.withMetavar("NAME"),
    Argument.withDescription("Contract to copy; without one, those that there are"),
    Argument.optional
  ),
  to: Flags.path("to", "directory").pipe(
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("Folder for the copy; a folder of the contract's name by default"),
    Flag.optional
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const copy = Command.make("copy", config).pipe(
  Command.withDescription(
    "Copy a reviewed contract and the code of its tools: payments, mail, a calendar, tickets, a Git forge, object " +
      "storage, rows of a table. The copy is yours: change what your business decides. Without a name, list them."
  ),
  Command.withShortDescription("Copy a contract for a usual system"),
  Command.withExamples([
    { command: "backstitch pack copy", description: "The contracts that there are" },
    { command: "backstitch pack copy stripe-payments --to payments", description: "payments/pack.yaml and tools.ts" }
  ])
)
