/**
 * `backstitch deny`: records that a person denied an intent that waits.
 *
 * @since 0.1.0
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import * as Handler from "../Handler.ts"

const config = {
  run: Flags.run,
  review: Argument.String("review").pipe(
    Argument.withMetavar("REVIEW"),
    Argument.withDescription("Name of the review, as `report` lists it")
  ),
  by: Flag.String("by").pipe(Flag.withMetavar("NAME"), Flag.withDescription("Who decides")),
  role: Flags.text("role", "ROLE", "In which role, where the contract names several")
}

/**
 * What can be typed.
 *
 * @category models
 * @since 0.1.0
 */
export type Input = Command.Command.Config.Infer<typeof config>

/**
 * The command.
 *
 * @category commands
 * @since 0.1.0
 */
export const deny = Command.make(
  "deny",
  config,
  Handler.lazily<Input>(() => import("../handlers/deny.ts"))
).pipe(
  Command.withDescription(
    "Say no to an intent that waits for a person. Proposed again, it is refused; another decision may follow."
  ),
  Command.withShortDescription("Say no to what waits for a person"),
  Command.withExamples([
    {
      command: "backstitch deny trip-42 r3fa41c09b7d2 --by Ada --role manager",
      description: "The refusal of one intent"
    }
  ])
)
