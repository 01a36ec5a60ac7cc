/** `backstitch import`: imports recorded runs into the store. */
import * as FormatName from "@backstitch/importers/FormatName"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  file: Flags.fileArgument("file").pipe(
    Argument.withMetavar("FILE"),
    Argument.withDescription("File to read, plain or gzip")
  ),
  format: Flag.Literals("format", ["backstitch", ...FormatName.names]).pipe(
    Flag.withDescription("The format of the file: an export of ours, or a record of another framework"),
    Flag.withDefault("backstitch")
  ),
  vault: Flags.file("vault", "FILE", "With an export: what its sealed values stand for"),
  recipient: Flags.file("recipient", "KEY", "With --vault: the X25519 private key, in PEM, that it was written for"),
  pack: Flags.file("pack", "PACK", "Pack that recorded runs are read under; without one they are only observed"),
  data: Flags.folder("data", "DIR", "Folder whose db/ holds the tables in which recorded runs began"),
  prefix: Flags.text("prefix", "TEXT", "Beginning of the names of recorded runs")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const importRuns = Command.make("import", config).pipe(
  Command.withDescription(
    "Bring runs in that were recorded elsewhere, or an export back. What is there already stays as it is, and an export is verified first."
  ),
  Command.withShortDescription("Bring recorded runs or exports in"),
  Command.withExamples([
    {
      command: "backstitch import runs.jsonl.gz --format openai-chat --pack pack.yaml --data airline",
      description: "Recorded conversations"
    },
    {
      command: "backstitch import session.jsonl --format claude-code",
      description: "A session of another framework, observed without a pack"
    },
    { command: "backstitch import trip-42.jsonl", description: "An export" }
  ])
)
