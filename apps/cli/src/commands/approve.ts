/**
 * `backstitch approve`: records that a person approved an intent that waits.
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
export const approve = Command.make(
  "approve",
  config,
  Handler.lazily<Input>(() => import("../handlers/approve.ts"))
).pipe(
  Command.withDescription(
    "Say yes to an intent that waits for a person: to exactly these arguments, in this context, under this contract, " +
      "until the approval expires. The run goes on with `resume`."
  ),
  Command.withShortDescription("Say yes to what waits for a person"),
  Command.withExamples([
    {
      command: "backstitch approve trip-42 r3fa41c09b7d2 --by Ada --role manager",
      description: "The approval of one intent"
    }
  ])
)
