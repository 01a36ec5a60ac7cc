/** Arguments and flags of a decision about an intent that waits: approved or denied. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "./Flags.ts"

/** The arguments and flags. */
export const config = {
  run: Flags.run,
  review: Argument.String("review").pipe(
    Argument.withMetavar("REVIEW"),
    Argument.withDescription("Name of the review, as `report` lists it")
  ),
  by: Flag.String("by").pipe(Flag.withMetavar("NAME"), Flag.withDescription("The person who decides")),
  role: Flags.text("role", "ROLE", "In which role: one that the pack names for this review"),
  reason: Flags.text("reason", "TEXT", "Why, for the record")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>
