/** The whole command line: which commands there are, and what becomes of their errors. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Actions from "./commands/actions.ts"
import * as Contracts from "./commands/contracts.ts"
import * as Proof from "./commands/proof.ts"
import * as Review from "./commands/review.ts"
import * as Runs from "./commands/runs.ts"
import { completions } from "./commands/shell/completions.ts"
import * as Versions from "./commands/versions.ts"
import * as Environment from "./input/Environment.ts"
import * as Globals from "./input/Globals.ts"
import * as AbnormalExit from "./program/AbnormalExit.ts"
import * as Platform from "./program/Platform.ts"
import * as Failure from "./terminal/Failure.ts"
import * as Terminal from "./terminal/Terminal.ts"
import * as UsageHelp from "./terminal/UsageHelp.ts"
import { version } from "./terminal/Version.ts"

/** The program. */
export const root = Command.make("backstitch").pipe(
  Command.withDescription(
    "Runs of agents as traces that can be resumed, verified, bisected, forked and compared. " +
      "Exit codes: 0, 1 for what was refused or violated, 2 for wrong usage."
  ),
  Command.withSubcommands([
    { group: "Runs", commands: Runs.commands },
    { group: "Review", commands: Review.commands },
    { group: "Actions", commands: Actions.commands },
    { group: "Proof", commands: Proof.commands },
    { group: "Versions", commands: Versions.commands },
    { group: "Contracts", commands: Contracts.commands },
    { group: "Shell", commands: [completions(() => root)] }
  ]),
  Command.withGlobalFlags(Globals.flags)
) as Command.Command<"backstitch", object, object, unknown, Command.Environment>

/** Runs the program and sets the exit code of the process. */
export const main = async (args: ReadonlyArray<string>): Promise<void> => {
  Environment.take()
  Terminal.reserve(AbnormalExit.finished)
  AbnormalExit.watch({ debug: args.includes("--debug"), json: args.includes("--json") })
  const program = Command.runWith(root, { version, renderErrors: true })(args).pipe(Effect.provide(Platform.layer))
  const exit = await Effect.runPromiseExit(program)
  AbnormalExit.finished()
  if (Exit.isFailure(exit)) {
    const asked = { debug: args.includes("--debug"), json: args.includes("--json") }
    process.exitCode = Failure.report(exit.cause, { ...asked, place: UsageHelp.find(root, args) })
  }
}
