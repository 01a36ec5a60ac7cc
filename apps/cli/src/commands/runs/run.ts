/** `backstitch run`: begins a run with an agent, and lets it work until it is done or waits. */
import * as Topology from "@backstitch/contracts/Topology"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"
import * as ModelFlags from "../../input/ModelFlags.ts"
import * as CanaryFlags from "../releases/CanaryFlags.ts"

const config = {
  run: Argument.String("run").pipe(Argument.withMetavar("RUN"), Argument.withDescription("Name for the run")),
  agent: Flags.path("agent", "file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "Module whose default export is the agent: pack, goal, steps or next, tools; with --server, the name that it has there"
    )
  ),
  goal: Flags.text("goal", "TEXT", "Goal to work for, instead of the agent's own"),
  snapshots: Flags.snapshots,
  clauses: Flags.texts("clause", "NAME=VALUE", "Value of a clause of the specification"),
  stage: Flag.Literals("stage", ["observe", "replay", "contracts", "full"]).pipe(
    Flag.withDescription(
      "The stage of enforcement of the pack: all of it by default. Keys and held targets bind at every stage"
    ),
    Flag.withDefault("full")
  ),
  stages: Flags.texts("stage-of", "NAME=STAGE", "Another stage for one tool or transition type"),
  topology: Flag.Literals("topology", Topology.kinds).pipe(
    Flag.withDescription("The topology in which the agent has to work: it is begun only if its pack declares this one"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  canary: Flags.file("canary", "PACK", "Another version of the pack, under which the runs of a canary begin"),
  ...CanaryFlags.flags,
  ...ModelFlags.flags
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const run = Command.make("run", config).pipe(
  Command.withDescription(
    "Begin a run with an agent, and let it work until it is done, or waits for somebody. Each line is a committed transition."
  ),
  Command.withShortDescription("Begin a run with an agent"),
  Command.withExamples([
    { command: "backstitch run trip-42 --agent travel.ts --clause max_total=600", description: "Begin a run" },
    {
      command: "backstitch run trip-42 --agent travel.ts --canary new.yaml --canary-share 0.1",
      description:
        "A tenth of the runs begins under new.yaml, always the same ones; `gate --canary-share 0.1` compares them"
    },
    {
      command:
        "backstitch run trip-42 --agent travel.ts --model openai-compatible --base-url http://127.0.0.1:11434/v1 --model-id qwen3",
      description: "Let a model plan"
    }
  ])
)
