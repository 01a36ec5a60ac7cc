/** `backstitch claims`: lists held names with their holders, and how to settle them. */
import type * as Claims from "@backstitch/trace/Claims"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

/** Total, so that every kind of names can be listed. */
const namespaces: { readonly [Namespace in Claims.Namespace]: Namespace } = {
  target: "target",
  act: "act",
  key: "key",
  run: "run",
  turn: "turn",
  command: "command",
  delivery: "delivery"
}

const config = {
  namespace: Flag.Literals("namespace", [...Object.values(namespaces), "all"]).pipe(
    Flag.withDescription("Kind of names: targets are held until settled, the others for good"),
    Flag.withDefault("target")
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const claims = Command.make("claims", config).pipe(
  Command.withDescription(
    "List the names that are held, by which action of which run, since when, and how to settle it."
  ),
  Command.withShortDescription("List the names that actions and runs hold"),
  Command.withExamples([
    { command: "backstitch claims", description: "Targets of actions that wait to be settled" },
    { command: "backstitch claims --namespace all", description: "All names, with those that are held for good" }
  ])
)
