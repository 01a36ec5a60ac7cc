/** `backstitch pack extend`: extends the pack of a run that goes on. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  file: Flags.fileArgument("file").pipe(
    Argument.withMetavar("FILE"),
    Argument.withDescription("JSON with adds_required, adds_hash_seeds or adds_violations")
  ),
  approvedBy: Flags.text("approved-by", "NAME", "Name of the person or the policy that approved it")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const extend = Command.make("extend", config).pipe(
  Command.withDescription(
    "Extend the pack of a run by required fields, hash seeds or violations, in force from a later tick on. The file may " +
      "name a `target_contract`, by default the whole pack, and an `effective_from_tick`, by default the tick after the " +
      "extension. It is on record with the name of whoever approved it, and only adds."
  ),
  Command.withShortDescription("Extend the pack of a run"),
  Command.withExamples([
    {
      command: "backstitch pack extend trip-42 kyc.json --approved-by ada",
      description: 'With {"adds_required": ["kyc"]} in the file'
    }
  ])
)
