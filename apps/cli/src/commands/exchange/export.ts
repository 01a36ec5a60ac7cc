/** `backstitch export`: writes a run to one file that can be verified without this program. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  out: Flags.file("out", "FILE", "File to write; without it, stdout"),
  vault: Flags.file("vault", "FILE", "Write what its sealed values stand for to another file; without it, to none"),
  recipient: Flags.file("recipient", "KEY", "With --vault: the X25519 public key, in PEM, of whom it is for alone"),
  gzip: Flags.flag("gzip", "Compress the file"),
  evidence: Flags.flag("evidence", "Write a run that does not verify as it is, and say what is wrong with it")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const exportRun = Command.make("export", config).pipe(
  Command.withDescription(
    "Write a run as JSON lines, with the packs and states that it names. docs/FORMAT.md " +
      "describes the format, and tooling/verify.py checks it without this program."
  ),
  Command.withShortDescription("Write a run to one file"),
  Command.withExamples([
    { command: "backstitch export trip-42 --out trip-42.jsonl.gz --gzip", description: "Write a compressed file" }
  ])
)
