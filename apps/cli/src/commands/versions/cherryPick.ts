/** `backstitch cherry-pick`: carries an intent of one run to another, if the other has the state that justified it. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  source: Argument.String("source").pipe(
    Argument.withMetavar("RUN@TICK"),
    Argument.withDescription("The intent: the tick at which an agent proposed it")
  ),
  onto: Flag.String("onto").pipe(Flag.withMetavar("RUN"), Flag.withDescription("Run to carry it to")),
  dryRun: Flags.flag("dry-run", "Judge it, and commit and call nothing"),
  agent: Flags.agent
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const cherryPick = Command.make("cherry-pick", config).pipe(
  Command.withDescription(
    "Carry an intent of one run to another. It is refused, and nothing is changed, unless both are under the same " +
      "pack, and the target has the fields that justified the intent. A tool call needs the agent that has its code."
  ),
  Command.withShortDescription("Carry an intent to another run, in context"),
  Command.withExamples([
    { command: "backstitch cherry-pick fund-a@23 --onto fund-b --dry-run", description: "Would it be accepted?" },
    { command: "backstitch cherry-pick fund-a@23 --onto fund-b --agent fund.ts", description: "Carry it out there" }
  ])
)
