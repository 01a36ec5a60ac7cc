/** `backstitch resolve`: records what a person decided of an action that is held. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  action: Argument.String("action").pipe(
    Argument.withMetavar("ACTION"),
    Argument.withDescription("Name of the action, as `review` lists it")
  ),
  as: Flag.Literals("as", ["success", "failure", "abandoned", "reopened", "resent", "noted"]).pipe(
    Flag.withDescription("What it is settled as")
  ),
  evidence: Flag.String("evidence").pipe(Flag.withMetavar("TEXT"), Flag.withDescription("What the decision rests on")),
  by: Flag.String("by").pipe(Flag.withMetavar("NAME"), Flag.withDescription("Who decides")),
  record: Flags.text("record", "FILE", "With success: what the system of record shows of it, as JSON")
}

/** What can be typed. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const resolve = Command.make("resolve", config).pipe(
  Command.withDescription(
    "Settle an action that is held, with the evidence for it. Nobody's word is a verification: a success that a person " +
      "attests is reported as unverified, and what nobody has read needs the record, with --record: beliefs follow from it. " +
      "Of an undoing that is held, success means that it is undone: nothing is sent for it any more; reopened means " +
      "that the obstacle is gone, and `resume` " +
      "undoes what still stands; failure lets the effect stand; abandoned keeps the discrepancy on record for ever. " +
      "What is reopened is verified again by `resume`; what is resent did not happen, and " +
      "`resume` sends it again; what is noted was looked at, and stays as it was settled."
  ),
  Command.withShortDescription("Settle what is held, with evidence"),
  Command.withExamples([
    {
      command:
        'backstitch resolve trip-42 a9 --as failure --evidence "the airline has no such booking, ticket 311" --by Ada',
      description: "The decision of one person about one action"
    },
    {
      command:
        'backstitch resolve trip-42 a9 --as success --record booking.json --evidence "read out on the phone" --by Ada',
      description: "A success that nobody could read back"
    }
  ])
)
