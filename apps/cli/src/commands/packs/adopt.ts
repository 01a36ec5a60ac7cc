/** `backstitch adopt`: says which stage a run has reached, and what the next stage needs. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const adopt = Command.make("adopt", config).pipe(
  Command.withDescription(
    "Say which of the four stages of adoption holds for a run (observe, replay, contracts, full), " +
      "and what is missing for the next one."
  ),
  Command.withShortDescription("Say what the next stage of adoption wants"),
  Command.withExamples([{ command: "backstitch adopt trip-42", description: "What holds, and what is missing" }])
)
