/** `backstitch predicate register`: tries a predicate before a pack relies on it. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  id: Argument.String("id").pipe(Argument.withMetavar("ID"), Argument.withDescription("Name for the predicate")),
  when: Flags.text("when", "EXPR", "An expression over the state that holds where the predicate is violated"),
  function: Flags.file("function", "FILE", "Instead: a module whose default export is a pure function that tells"),
  scope: Flags.texts("scope", "TYPE|TOOL", "Evaluate it at transitions of this type or tool alone"),
  each: Flags.text("each", "TABLE", "Evaluate it for changed rows of this table, such as world.bookings"),
  at: Flags.choice("at", ["before", "after"], "Look at the state before or after the transition"),
  verifyMonotone: Flags.flag("verify-monotone", "Accept it as monotone, if no sample shows a recovery"),
  sample: Flags.texts("sample", "RUN", "Run to try it on"),
  pack: Flags.file("pack", "FILE", "Pack whose fields it reads, instead of that of the first sample"),
  into: Flags.text("into", "RUN", "Commit it to this run, in force from the next tick on"),
  approvedBy: Flags.text("approved-by", "NAME", "With --into: who approved it")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const register = Command.make("register", config).pipe(
  Command.withDescription(
    "Check that a predicate is pure, reads fields that are there, and does not recover " +
      "in sample runs and variations of them; then print it as a pack takes it, or commit it to a run."
  ),
  Command.withShortDescription("Try a predicate on sample runs"),
  Command.withExamples([
    {
      command: 'backstitch predicate register overspent --when "world.spent > 500" --verify-monotone --sample trip-42',
      description: "Try it"
    }
  ])
)
