/** `backstitch show`: prints what a run did, tick by tick. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flags from "../../input/Flags.ts"

const config = {
  run: Argument.String("run").pipe(
    Argument.withMetavar("RUN[@TICK]"),
    Argument.withDescription("Name of the run, and a tick to look at closely")
  ),
  from: Flags.tick("from", "First tick to print"),
  to: Flags.tick("to", "Last tick to print"),
  type: Flags.texts("type", "TYPE", "Print transitions of this type alone"),
  state: Flags.flag("state", "Print the state after the tick, too"),
  progress: Flags.flag("progress", "Print by how much each transition changed the progress, a heuristic of the pack"),
  html: Flags.file("html", "FILE", "Draw the run, or this part of it, as a page for a browser"),
  fields: Flags.texts(
    "fields",
    "FIELD",
    "With --json: print these fields alone, as in tick,policy; any number of times"
  )
}

/** The arguments and flags of the command. */
export type Input = Command.Command.Config.Infer<typeof config>

/** The command. */
export const show = Command.make("show", config).pipe(
  Command.withDescription(
    "Print what a run did: one line a transition, or all there is about one tick. With --json, states before and after " +
      "are reconstructed. With --html, draw it as a page."
  ),
  Command.withShortDescription("Print what a run did"),
  Command.withExamples([
    { command: "backstitch show trip-42", description: "The whole run" },
    { command: "backstitch show trip-42@7 --json", description: "One transition, every field" },
    { command: "backstitch show trip-42 --html trip-42.html", description: "A picture of the run, and all of it" }
  ])
)
