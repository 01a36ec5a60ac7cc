/** `backstitch inject`: revises the goal of a run. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"
import * as RevisionFlags from "./RevisionFlags.ts"

const config = {
  run: Flags.run,
  words: Argument.String("words").pipe(
    Argument.withMetavar("WORDS"),
    Argument.withDescription("The words of the user. A --model, or `revise` of the --agent, turns them into changes"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  ...RevisionFlags.flags,
  by: Flags.text("by", "NAME", "The person who revises the goal, for the record"),
  agent: Flags.agent,
  dryRun: Flags.flag("dry-run", "Only show what would be kept, undone and lost, and the price"),
  ...ModelFlags.flags
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const inject = Command.make("inject", config).pipe(
  Command.withDescription(
    "Revise the goal of a run, also while its agent works. The agent begins nothing until the revision is " +
      "absorbed: what no longer fits is undone, the rest is kept. The process of the agent does that before its next " +
      "turn; with --agent it is done here."
  ),
  Command.withShortDescription("Revise the goal of a run"),
  Command.withExamples([
    { command: "backstitch inject trip-42 --set max_total=400 --dry-run", description: "The plan and its price" },
    { command: "backstitch inject trip-42 --set max_total=400 --by Ada", description: "Revise the goal" },
    {
      command: "backstitch inject trip-42 --widen --agent travel.ts",
      description: "Absorb what was injected and is blocked: give up what was built on it as lost"
    },
    {
      command: 'backstitch inject trip-42 "no more than 400, please" --agent travel.ts',
      description: "Let the agent's model read what the user said"
    }
  ])
)
