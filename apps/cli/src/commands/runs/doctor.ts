/** `backstitch doctor`: says which failure of an agent topology a run shows. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

const config = {
  runs: Argument.String("run").pipe(
    Argument.withMetavar("RUN"),
    Argument.withDescription("The run to diagnose, or several for a table"),
    Argument.variadic({ min: 0 })
  ),
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("Diagnose every run of the store, one line each"),
    Flag.withDefault(false)
  ),
  wrong: Flag.Boolean("wrong").pipe(
    Flag.withDescription("The result was wrong: a trace whose stages all went well does not show that by itself"),
    Flag.withDefault(false)
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const doctor = Command.make("doctor", config).pipe(
  Command.withDescription(
    "Read a run, yours or one that was recorded elsewhere, and say which topology of agents it looks like, which of " +
      "its typical failures it shows, since when, and what to do first: a loop that runs away, a lost handoff or a " +
      "dead boss, a poisoned pipeline, a stale plan, a debate without an end, a jammed root, or an act that was " +
      "repeated or done twice without a key. It also names the predicates that the run has violated, and the actions " +
      "and calls that wait for a person. It judges no values: `bisect` does, by a predicate of yours; and it does not check " +
      "the chain, as `verify` does. Of several runs it prints a table. A signal is a reason to look, and no proof. " +
      "Ends with 1 if there is one."
  ),
  Command.withShortDescription("Say which failure a run shows"),
  Command.withExamples([
    { command: "backstitch doctor trip-42", description: "The topology, the crack, and the first response" },
    { command: "backstitch doctor --all", description: "Each run of the store in one line" },
    { command: "backstitch doctor report-7 --wrong", description: "Every stage was green, and the end is wrong" }
  ])
)
