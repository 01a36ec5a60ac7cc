/** The whole command line: its commands, and the handling of their errors. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ActionCommands from "./commands/actionCommands.ts"
import * as ExchangeCommands from "./commands/exchangeCommands.ts"
import * as KeyCommands from "./commands/keyCommands.ts"
import * as McpCommands from "./commands/mcpCommands.ts"
import * as PackCommands from "./commands/packCommands.ts"
import * as ProofCommands from "./commands/proofCommands.ts"
import * as RecoveryCommands from "./commands/recoveryCommands.ts"
import * as ReviewCommands from "./commands/reviewCommands.ts"
import * as RevisionCommands from "./commands/revisionCommands.ts"
import * as RunCommands from "./commands/runCommands.ts"
import { completions } from "./commands/shell/completions.ts"
import * as VersionCommands from "./commands/versionCommands.ts"
import * as WebhookCommands from "./commands/webhookCommands.ts"
import * as Environment from "./input/Environment.ts"
import * as Globals from "./input/Globals.ts"
import * as Platform from "./program/Platform.ts"
import * as UnsettledAgent from "./program/UnsettledAgent.ts"
import * as Failure from "./terminal/Failure.ts"
import * as Spelling from "./terminal/Spelling.ts"
import * as Terminal from "./terminal/Terminal.ts"
import * as UsageHelp from "./terminal/UsageHelp.ts"
import { version } from "./terminal/Version.ts"

/** The program `backstitch` with all its commands. */
export const root = Command.make("backstitch").pipe(
  Command.withDescription(
    "Run agents on the record, and resume, verify, bisect, fork and compare their runs. " +
      "Exit codes: 0, 1 for what was refused or violated, 2 for wrong usage."
  ),
  Command.withSubcommands([
    { group: "Runs", commands: RunCommands.commands },
    { group: "Review", commands: ReviewCommands.commands },
    { group: "Actions", commands: ActionCommands.commands },
    { group: "Recovery", commands: RecoveryCommands.commands },
    { group: "Goal", commands: RevisionCommands.commands },
    { group: "Proof", commands: ProofCommands.commands },
    { group: "Exchange", commands: ExchangeCommands.commands },
    { group: "Keys", commands: KeyCommands.commands },
    { group: "Webhooks", commands: WebhookCommands.commands },
    { group: "Versions", commands: VersionCommands.commands },
    { group: "Packs", commands: PackCommands.commands },
    { group: "MCP", commands: McpCommands.commands },
    { group: "Shell", commands: [completions(() => root)] }
  ]),
  Command.withGlobalFlags(Globals.flags)
) as Command.Command<"backstitch", object, object, unknown, Command.Environment>

/** The program as it is called. */
export const called: UsageHelp.Program = { root, everywhere: Globals.names }

/** Runs the program and sets the exit code of the process. */
export const main = async (args: ReadonlyArray<string>): Promise<void> => {
  Environment.take()
  Terminal.reserve(UnsettledAgent.finished)
  UnsettledAgent.watch({ debug: args.includes("--debug"), json: args.includes("--json") })
  const place = Spelling.placeIn(args)
  const program = Command.runWith(root, { version, renderErrors: true })(args).pipe(
    Effect.provide(Platform.layer),
    Effect.provideService(Spelling.CommandPlace, place)
  )
  const exit = await Effect.runPromiseExit(program)
  UnsettledAgent.finished()
  if (Exit.isFailure(exit)) {
    const asked = { debug: args.includes("--debug"), json: args.includes("--json") }
    const printed = Effect.sync(() => Failure.print(exit.cause, { ...asked, place: UsageHelp.find(called, args) }))
    process.exitCode = Effect.runSync(Effect.provideService(printed, Spelling.CommandPlace, place))
  }
}
