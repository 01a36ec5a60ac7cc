/** `backstitch deny`: records that a person denied an intent that waits. */
import * as Command from "effect/cli/Command"
import { config } from "../../input/DecisionFlags.ts"

/** The command. */
export const deny = Command.make("deny", config).pipe(
  Command.withDescription(
    "Say no to an intent that waits for a person. Proposed again, it is refused: a decision is made once."
  ),
  Command.withShortDescription("Say no to what waits for a person"),
  Command.withExamples([
    {
      command: "backstitch deny trip-42 r3fa41c09b7d2 --by Ada --role manager",
      description: "The refusal of one intent"
    }
  ])
)
