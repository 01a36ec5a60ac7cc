/** `backstitch fixture`: writes a regression test of a run, with its recorded effects. */
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  agent: Flags.agent,
  out: Flags.folder("out", "FOLDER", "The folder of the test and its trace (default: the current folder)")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const fixture = Command.make("fixture", config).pipe(
  Command.withDescription(
    "Write a vitest test of a run and its trace beside it. The test verifies the trace and, with an agent, runs the " +
      "agent again while its tools answer from the record. It touches no network. Its folder is one of a package " +
      "that has vitest and @backstitch/release; what is missing there is named before anything is written."
  ),
  Command.withShortDescription("Write a regression test of a run"),
  Command.withExamples([
    { command: "backstitch fixture trip-42 --agent agent.ts --out test", description: "With the agent" }
  ])
)
