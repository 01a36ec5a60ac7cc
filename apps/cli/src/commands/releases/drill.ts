/** `backstitch drill`: exercises the undos that a pack declares, and lists their proofs. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("file").pipe(
    Argument.withMetavar("FILE"),
    Argument.withDescription("Pack whose undos are exercised")
  ),
  agent: Flags.file(
    "agent",
    "FILE",
    "Agent under the same pack, whose tools reach a sandbox; without it, proofs are listed"
  ),
  tools: Flags.texts("tool", "TOOL", "Only the undo of this tool; any number of times"),
  from: Flags.texts(
    "from",
    "RUN",
    "Run whose recorded successes give the arguments that no test gives; any number of times"
  ),
  yes: Flags.flag("yes", "Call the tools; without it, the calls are only listed")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const drill = Command.make("drill", config).pipe(
  Command.withDescription(
    "Exercise each undo that a pack declares: make the effect in a sandbox, undo it, and have the system of record " +
      "confirm both. Each drill is a run, and its trace is the proof. A proof counts until the contract of the tool " +
      "changes. The exit code is 1 if an undo has no proof."
  ),
  Command.withShortDescription("Exercise the undos of a pack"),
  Command.withExamples([
    { command: "backstitch drill travel.yaml", description: "The undos, and when each was last exercised" },
    { command: "backstitch drill travel.yaml --agent sandbox.ts --yes", description: "Exercise all of them" }
  ])
)
