/** `backstitch key create`: makes a key for a server on the store. */
import * as KeyRole from "@backstitch/trace/KeyRole"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../../input/Flags.ts"

const config = {
  holder: Flag.String("name").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Person or program that holds the key; decisions are recorded under this name")
  ),
  role: Flag.Literals("role", KeyRole.all).pipe(
    Flag.withDescription("Right of the holder to read, run agents, decide for people, or make keys")
  ),
  capacities: Flags.texts("as", "ROLE", "A role of packs in which the holder may decide, such as manager; repeatable")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const create = Command.make("create", config).pipe(
  Command.withDescription(
    "Make a key with which somebody calls a server that serves this store, for the tenant of --tenant. The text is " +
      "shown once: the store keeps its digest."
  ),
  Command.withShortDescription("Make a key"),
  Command.withExamples([
    { command: "backstitch key create --name ci --role viewer", description: "A program that reads" },
    { command: "backstitch key create --name Ada --role approver --as manager", description: "A person who decides" }
  ])
)
