/**
 * `backstitch prove`: proves the value of a field at a tick, for people who have neither the store nor this program.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("Name of the run, or a tick of it as in RUN@7, RUN~3 or RUN:head"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  field: Argument.String("field").pipe(
    Argument.withMetavar("FIELD"),
    Argument.withDescription("A field as in world.spent, a value within as in world.orders.milk, or a JSON pointer"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  out: Flags.file("out", "FILE", "File to write the proof to; without it, stdout"),
  against: Flags.file("against", "FILE", "A tree checkpoint whose log names the run, which goes into the proof"),
  log: Flags.file("log", "FILE", "The log of the tree checkpoint (default: heads-TENANT.jsonl beside the store)"),
  check: Flags.file("check", "FILE", "Check a proof instead of making one"),
  head: Flags.text("head", "[TICK:]LINK", "Link of the head as it was kept elsewhere; with --check"),
  by: Flags.text("by", "KEY", "The key that has to have signed the tree checkpoint of the proof; with --check"),
  policy: Flags.file("policy", "FILE", "Logs and witnesses of the tree checkpoint, and how many; with --check"),
  witness: Flags.texts("witness", "KEY", "A witness that may have cosigned the tree checkpoint; with --check"),
  quorum: Flags.atLeastOne("quorum", "K", "The number of these witnesses that have to have cosigned (default: all)")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const prove = Command.make("prove", config).pipe(
  Command.withDescription(
    "Write one file that shows what a field of a run was at a tick, or that nothing stood there, and nothing of the rest " +
      "but digests and the names of the fields beside it. --check checks such a file, and so does `tooling/verify_state.py` without this program."
  ),
  Command.withShortDescription("Prove a field to somebody outside"),
  Command.withExamples([
    { command: "backstitch prove trip-42@28 world.spent --out spent.json", description: "Under the head of the run" },
    {
      command: "backstitch prove trip-42@28 world.spent --against monday.txt",
      description: "Under a tree checkpoint that others have signed"
    },
    { command: "backstitch prove --check spent.json --head 3fa41c...", description: "Does it hold?" }
  ])
)
