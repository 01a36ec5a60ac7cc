/** `backstitch collect`: receives spans of agents, live. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  port: Flags.port("port", "Port of this machine alone; 0 for any, default 4318, where OpenTelemetry sends to"),
  pack: Flags.file("pack", "PACK", "Pack that the runs are read under; without one they are only observed"),
  prefix: Flags.text("prefix", "TEXT", "Beginning of the names of the runs; default trace")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const collect = Command.make("collect", config).pipe(
  Command.withDescription(
    "Receive the spans that an agent of any framework sends over OTLP (HTTP, JSON or protobuf, POST /v1/traces), until " +
      "stopped. Each trace becomes a run, live: messages, calls and answers are committed before the sender is told so, " +
      "and spans that come late or twice double nothing. Runs are only observed, as imported ones are."
  ),
  Command.withShortDescription("Receive spans of agents, live"),
  Command.withExamples([
    { command: "backstitch collect", description: "At http://127.0.0.1:4318/v1/traces" },
    { command: "backstitch collect --port 0 --pack shop.yaml", description: "At any free port, with a state" }
  ])
)
