/** `backstitch anchor`: logs the heads of the runs, and prints the head of that log, to be kept elsewhere. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  log: Flags.file("log", "FILE", "The file in which heads are logged (default: heads-TENANT.jsonl beside the store)"),
  key: Flags.file("key", "FILE", "Private Ed25519 key in PEM to sign with; made if it is not there"),
  origin: Flags.text("origin", "NAME", "Unique name of the log, such as a URL without its scheme"),
  policy: Flags.file("policy", "FILE", "Witnesses that are asked to cosign, and how many have to (C2SP tlog-policy)")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const anchor = Command.make("anchor", config).pipe(
  Command.withDescription(
    "Add the heads of all runs that have gone on to a log, and print the head of its Merkle tree as a tree checkpoint (C2SP). " +
      "Kept elsewhere, it anchors every run: `verify --against` names the first tick that was rewritten, dropped or cut off."
  ),
  Command.withShortDescription("Anchor all runs with one signed text"),
  Command.withExamples([
    {
      command: "backstitch anchor --key anchor.pem > monday.txt",
      description: "Signed; keep monday.txt elsewhere"
    },
    {
      command: "backstitch verify --all --against monday.txt",
      description: "Is everything still as it was on Monday?"
    },
    {
      command: "backstitch anchor --key anchor.pem --policy witnesses.txt > tuesday.txt",
      description: "Cosigned by witnesses, who saw no other history"
    }
  ])
)
