/** `backstitch verify`: checks the chain of a run, and that its states come out again. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("Name of the run"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  head: Flags.text("head", "[TICK:]LINK", "Link of the head as it was kept elsewhere, with its tick or without"),
  against: Flags.file("against", "FILE", "A tree checkpoint that was kept elsewhere; see `backstitch anchor`"),
  log: Flags.file("log", "FILE", "The log of the tree checkpoint (default: heads-TENANT.jsonl beside the store)"),
  by: Flags.text("by", "KEY", "The key that has to have signed the tree checkpoint, as `anchor` names it"),
  policy: Flags.file("policy", "FILE", "Logs and witnesses, and how many have to have cosigned (C2SP tlog-policy)"),
  witness: Flags.texts("witness", "KEY", "A witness that may have cosigned the tree checkpoint; any number of them"),
  quorum: Flags.atLeastOne("quorum", "K", "The number of these witnesses that have to have cosigned (default: all)"),
  all: Flags.flag("all", "Verify every run of the store"),
  redecide: Flags.flag("redecide", "Decide every recorded decision again under the pinned pack")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const verify = Command.make("verify", config).pipe(
  Command.withDescription(
    "Check every byte against the chain, fold the run again, and compare every committed state " +
      "digest. Without a head that was kept elsewhere, the answer is `consistent, unanchored`."
  ),
  Command.withShortDescription("Prove that a run is what was committed"),
  Command.withExamples([
    { command: "backstitch verify trip-42 --head 3fa41c...", description: "Against a head that was kept elsewhere" },
    { command: "backstitch verify --all", description: "Every run, and the names that are held" },
    {
      command: "backstitch verify --all --against monday.txt",
      description: "Against a tree checkpoint kept elsewhere"
    },
    {
      command: "backstitch verify trip-42 --redecide",
      description: "Was the pack obeyed?"
    }
  ])
)
