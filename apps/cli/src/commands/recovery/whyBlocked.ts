/** `backstitch why-blocked`: says why a subtask may not be rolled back by itself. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"
import * as SubtaskFlags from "./SubtaskFlags.ts"

const config = { run: Flags.run, ...SubtaskFlags.flags }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const whyBlocked = Command.make("why-blocked", config).pipe(
  Command.withDescription(
    "Say which work and which effects keep the failed subtask of a run, or the one that is named, from going back by " +
      "itself, and what could go back together with it, at which price. Nothing is changed."
  ),
  Command.withShortDescription("Say what keeps a subtask from going back"),
  Command.withExamples([
    { command: "backstitch why-blocked trip-42", description: "Of the subtask that failed last" },
    { command: "backstitch why-blocked trip-42 --instance slot::0::0", description: "Of a subtask that is named" }
  ])
)
