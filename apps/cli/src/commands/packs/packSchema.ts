/** `backstitch pack schema`: prints the JSON Schema of packs. */
import * as Command from "effect/cli/Command"

const config = {}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const schema = Command.make("schema", config).pipe(
  Command.withDescription("Print the JSON Schema of packs, for editors."),
  Command.withShortDescription("Print the JSON Schema of packs"),
  Command.withExamples([
    { command: "backstitch pack schema > pack.schema.json", description: "Keep it beside the pack" }
  ])
)
