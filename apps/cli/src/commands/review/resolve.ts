/** `backstitch resolve`: records a person's decision about a held action. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

/** The verdicts, each with its meaning. */
const verdicts = [
  ["success", "it happened; of an undoing: the effect is undone, and nothing is sent for it any more"],
  ["failure", "it did not happen; of an undoing: the effect stands"],
  ["abandoned", "nobody finds out: the discrepancy stays on record for ever"],
  ["reopened", "the obstacle is gone: `resume` verifies the action again, or undoes the rest"],
  ["resent", "it did not happen, and `resume` sends it again"],
  ["noted", "a person has looked: it stays as it was settled"]
] as const

const config = {
  run: Flags.run,
  action: Argument.String("action").pipe(
    Argument.withMetavar("ACTION"),
    Argument.withDescription("Name of the action, as `review` lists it")
  ),
  as: Flag.Literals("as", ["success", "failure", "abandoned", "reopened", "resent", "noted"]).pipe(
    Flag.withDescription("The outcome as which it is settled")
  ),
  evidence: Flag.String("evidence").pipe(
    Flag.withMetavar("TEXT"),
    Flag.withDescription("The evidence for the decision")
  ),
  by: Flag.String("by").pipe(Flag.withMetavar("NAME"), Flag.withDescription("The person who decides")),
  record: Flags.file("record", "FILE", "With success: what the system of record shows of it, as JSON")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const resolve = Command.make("resolve", config).pipe(
  Command.withDescription(
    [
      "Settle an action that is held, with the evidence for it. Nobody's word is a verification: a success that a " +
        "person attests is reported as unverified, and one that nobody has read needs the record, with --record. " +
        "`review` names the verdicts that an action takes. Each means:",
      "",
      ...verdicts.map(([verdict, meaning]) => `    ${verdict.padEnd(10)} ${meaning}`)
    ].join("\n")
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
