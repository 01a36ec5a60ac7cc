/** `backstitch plan`: shows what a revision would keep, undo and lose. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"
import * as RevisionFlags from "./RevisionFlags.ts"

const config = { run: Flags.run, ...RevisionFlags.flags, ...ModelFlags.judging }

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const plan = Command.make("plan", config).pipe(
  Command.withDescription(
    "Show what a revision of a run's goal would keep, undo and lose, and its price. Without changes: of the " +
      "revisions that were injected and not absorbed yet. Nothing is recorded."
  ),
  Command.withShortDescription("Show what a revision would keep, undo and lose"),
  Command.withExamples([
    {
      command: "backstitch plan trip-42 --set max_total=400",
      description: "The plan if the user wanted to spend less"
    },
    { command: "backstitch plan trip-42 --revision change.json", description: "The plan of a revision in a file" },
    { command: "backstitch plan trip-42", description: "The plan of revisions that were injected already" }
  ])
)
