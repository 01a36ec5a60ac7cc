/** `backstitch stage`: says how much of its pack a run enforces, and what the next stage needs. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const stage = Command.make("stage", config).pipe(
  Command.withDescription(
    "Say which of the four stages of enforcement holds for a run (observe, replay, contracts, full), " +
      "and what is missing for the next one."
  ),
  Command.withShortDescription("Say what the next stage of enforcement needs"),
  Command.withExamples([
    { command: "backstitch stage trip-42", description: "The stage in force, and the conditions missing for the next" }
  ])
)
