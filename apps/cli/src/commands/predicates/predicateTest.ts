/** `backstitch predicate test`: shows how a predicate judges the ticks of a run. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Flags.run,
  when: Argument.String("predicate").pipe(
    Argument.withMetavar("ID|EXPR"),
    Argument.withDescription("A predicate that binds the run or is built in, or an expression over the state"),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  function: Flags.file("function", "FILE", "Instead: a module whose default export is a pure function that tells")
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const test = Command.make("test", config).pipe(
  Command.withDescription(
    "Show where the verdict of a predicate changes along a run. What recovers may be watched and compared, " +
      "and is found by bisect as a lift."
  ),
  Command.withShortDescription("Show how a predicate judges a run"),
  Command.withExamples([
    { command: "backstitch predicate test trip-42 overspent", description: "One that the pack has" },
    { command: 'backstitch predicate test trip-42 "working.mood < 3"', description: "An expression" }
  ])
)
