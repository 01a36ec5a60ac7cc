/** Arguments and flags of a decision about an intent that waits: approved or denied. */
import * as Digest from "@backstitch/trace/Digest"
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
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
  reason: Flags.text("reason", "TEXT", "Why, for the record"),
  digest: Flag.String("digest").pipe(
    Flag.withMetavar("DIGEST"),
    Flag.withDescription(
      "The card that you saw, as `approvals` shows it; if another question waits, nothing is decided"
    ),
    Flag.filter(
      (given) => Digest.isDigest(given),
      (given) => `--digest takes 64 hex digits, as \`approvals\` shows them, and not "${given}"`
    ),
    Flag.optional,
    Flag.map((given) => Option.getOrUndefined(given) as Digest.Digest | undefined)
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>
