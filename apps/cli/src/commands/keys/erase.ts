/** `backstitch erase`: destroys a person's sealed values, and leaves every trace unchanged. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  subject: Flags.text(
    "subject",
    "NAME",
    "The person whose values are erased, by the name that the contract's subject had"
  ),
  run: Flags.text("run", "RUN", "In this run and its forks alone"),
  everybody: Flags.flag("everybody", "Of every subject, in place of --subject"),
  by: Flags.text("by", "NAME", "The person who decides"),
  reason: Flags.text("reason", "TEXT", "The reason. It is committed, so name nobody in it"),
  as: Flag.Literals("as", ["user", "institution"]).pipe(
    Flag.withDescription("The party for whom they decide"),
    Flag.withDefault("user" as const)
  ),
  dryRun: Flags.flag("dry-run", "Say what would be erased, and erase nothing"),
  yes: Flags.flag("yes", "Erase: nobody can bring it back")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const erase = Command.make("erase", config).pipe(
  Command.withDescription(
    "Destroy the keys of a subject and all that is sealed under them: in one run and its forks, in all runs of the " +
      "tenant, or of everybody. What is erased is committed first, without saying what it was. No committed byte changes: " +
      "runs verify, fold, fork and are decided again as before. An action that still needs a value stops and says so."
  ),
  Command.withShortDescription("Erase what is sealed of a person"),
  Command.withExamples([
    {
      command: "backstitch erase --subject anna --dry-run",
      description: "Her sealed values, and the runs that hold them"
    },
    {
      command: 'backstitch erase --subject anna --by Ada --reason "request 311" --yes',
      description: "Erase it in all runs of the tenant"
    }
  ])
)
