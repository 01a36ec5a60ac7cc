/** `backstitch approve`: records that a person approved an intent that waits. */
import * as Command from "effect/cli/Command"
import { config } from "../../input/DecisionFlags.ts"

/** The command. */
export const approve = Command.make("approve", config).pipe(
  Command.withDescription(
    "Say yes to an intent that waits for a person: to exactly these arguments, in this context, under this pack, " +
      "until the approval expires. The run goes on with `resume`. Where nobody who may decide can be reached and a critical " +
      "mutation cannot wait, `resume --break-glass` starts it without; approve then accepts what it did."
  ),
  Command.withShortDescription("Say yes to what waits for a person"),
  Command.withExamples([
    {
      command: "backstitch approve trip-42 r3fa41c09b7d2 --by Ada --role manager",
      description: "The approval of one intent"
    }
  ])
)
