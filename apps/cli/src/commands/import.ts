/**
 * `backstitch import`: brings recorded runs into the store.
 *
 * @since 0.1.0
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import * as Handler from "../Handler.ts"

const config = {
  file: Argument.String("file").pipe(
    Argument.withMetavar("FILE"),
    Argument.withDescription("File to read, plain or gzip")
  ),
  format: Flag.Literals("format", ["openai-chat", "backstitch"]).pipe(
    Flag.withDescription("openai-chat: recorded conversations, one a line; backstitch: an export"),
    Flag.withDefault("backstitch")
  ),
  pack: Flags.text("pack", "PACK", "Contract that recorded conversations are read under"),
  data: Flags.text("data", "DIR", "Folder whose db/ holds the tables in which recorded runs began"),
  prefix: Flags.text("prefix", "TEXT", "Beginning of the names of recorded runs")
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
export const importRuns = Command.make(
  "import",
  config,
  Handler.lazily<Input>(() => import("../handlers/import.ts"))
).pipe(
  Command.withDescription(
    "Bring recorded conversations in as runs, or an export back. What is there already stays as it is, and an export is verified first."
  ),
  Command.withShortDescription("Bring recorded runs or exports in"),
  Command.withExamples([
    {
      command: "backstitch import runs.jsonl.gz --format openai-chat --pack pack.yaml --data airline",
      description: "Recorded conversations"
    },
    { command: "backstitch import trip-42.jsonl", description: "An export" }
  ])
)
