/** `backstitch audit`: says how tools of a pack recover from a crash, and which crack its topology shows first. */

import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("pack").pipe(Argument.withMetavar("PACK"), Argument.withDescription("Pack to audit"))
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const audit = Command.make("audit", config).pipe(
  Command.withDescription(
    "Say of each tool of a pack whether it is idempotent, keyed, can be asked and can be undone, and " +
      "so what a crash in mid-call comes to. What is unrecoverable is marked, with what the contract would " +
      "have to declare. Then, of each tool, what its class has to compare after a call: what the contract checks, " +
      "waives with a reason, and leaves out, and how long the proof may take. Of a declared topology: the failure that " +
      "it shows first, by which signal, and whether anything would detect it. Without a detector it is an error."
  ),
  Command.withShortDescription("Say what a crash comes to, tool by tool"),
  Command.withExamples([{ command: "backstitch audit travel.yaml", description: "Before the pack is signed" }])
)
