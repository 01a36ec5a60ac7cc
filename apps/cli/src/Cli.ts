/**
 * The whole command line: which commands there are, and what becomes of their errors.
 *
 * @since 0.1.0
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Abandonment from "./Abandonment.ts"
import { action } from "./commands/action.ts"
import { adopt } from "./commands/adopt.ts"
import { approvals } from "./commands/approvals.ts"
import { approve } from "./commands/approve.ts"
import { audit } from "./commands/audit.ts"
import { bisect } from "./commands/bisect.ts"
import { blame } from "./commands/blame.ts"
import { checkpoint } from "./commands/checkpoint.ts"
import { cherryPick } from "./commands/cherryPick.ts"
import { completions } from "./commands/completions.ts"
import { contributors } from "./commands/contributors.ts"
import { deliver } from "./commands/deliver.ts"
import { deny } from "./commands/deny.ts"
import { diff } from "./commands/diff.ts"
import { erase } from "./commands/erase.ts"
import { explain } from "./commands/explain.ts"
import { exportRun } from "./commands/export.ts"
import { fixture } from "./commands/fixture.ts"
import { fork } from "./commands/fork.ts"
import { gate } from "./commands/gate.ts"
import { holds } from "./commands/holds.ts"
import { importRuns } from "./commands/import.ts"
import { ledger } from "./commands/ledger.ts"
import { log } from "./commands/log.ts"
import { metrics } from "./commands/metrics.ts"
import { check } from "./commands/packCheck.ts"
import { schema } from "./commands/packSchema.ts"
import { test } from "./commands/packTest.ts"
import { attempt } from "./commands/packTry.ts"
import { list } from "./commands/predicateList.ts"
import { register } from "./commands/predicateRegister.ts"
import { test as tryPredicate } from "./commands/predicateTest.ts"
import { prove } from "./commands/prove.ts"
import { rebase } from "./commands/rebase.ts"
import { replay } from "./commands/replay.ts"
import { report } from "./commands/report.ts"
import { resolve } from "./commands/resolve.ts"
import { resume } from "./commands/resume.ts"
import { review } from "./commands/review.ts"
import { run } from "./commands/run.ts"
import { runs } from "./commands/runs.ts"
import { secret } from "./commands/secret.ts"
import { seed } from "./commands/seed.ts"
import { show } from "./commands/show.ts"
import { status } from "./commands/status.ts"
import { verify } from "./commands/verify.ts"
import { watch } from "./commands/watch.ts"
import * as Environment from "./Environment.ts"
import * as Failure from "./Failure.ts"
import * as Globals from "./Globals.ts"
import * as Misuse from "./Misuse.ts"
import * as Platform from "./Platform.ts"
import * as Terminal from "./Terminal.ts"
import { version } from "./Version.ts"

const pack = Command.make("pack").pipe(
  Command.withDescription("Check contracts, run their tests, try them on recorded runs, and print their schema."),
  Command.withShortDescription("Check contracts"),
  Command.withSubcommands([check, test, attempt, schema])
)

const predicate = Command.make("predicate").pipe(
  Command.withDescription("Try predicates before a contract relies on them, and list those that bind a run."),
  Command.withShortDescription("Try and list predicates"),
  Command.withSubcommands([register, tryPredicate, list])
)

/**
 * The program.
 *
 * @category commands
 * @since 0.1.0
 */
export const root = Command.make("backstitch").pipe(
  Command.withDescription(
    "Runs of agents as traces that can be resumed, verified, bisected, forked and compared. " +
      "Exit codes: 0, 1 for what was refused or violated, 2 for wrong usage."
  ),
  Command.withSubcommands([
    { group: "Runs", commands: [run, resume, runs, show, watch, explain, approvals, approve, deny, review, resolve] },
    { group: "Actions", commands: [status, report, ledger, action, deliver, holds, metrics] },
    { group: "Proof", commands: [verify, checkpoint, prove, replay, exportRun, importRuns, erase, secret] },
    {
      group: "Versions",
      commands: [log, fork, cherryPick, rebase, seed, diff, bisect, contributors, blame, fixture, predicate]
    },
    { group: "Contracts", commands: [pack, audit, gate, adopt] },
    { group: "Shell", commands: [completions(() => root)] }
  ]),
  Command.withGlobalFlags(Globals.flags)
) as Command.Command<"backstitch", object, object, unknown, Command.Environment>

/**
 * Runs the program and sets the exit code of the process.
 *
 * @category combinators
 * @since 0.1.0
 */
export const main = async (args: ReadonlyArray<string>): Promise<void> => {
  Environment.take()
  Terminal.reserve(Abandonment.finished)
  Abandonment.watch({ debug: args.includes("--debug"), json: args.includes("--json") })
  const program = Command.runWith(root, { version, renderErrors: true })(args).pipe(Effect.provide(Platform.layer))
  const exit = await Effect.runPromiseExit(program)
  Abandonment.finished()
  if (Exit.isFailure(exit)) {
    const asked = { debug: args.includes("--debug"), json: args.includes("--json") }
    process.exitCode = Failure.report(exit.cause, { ...asked, place: Misuse.find(root, args) })
  }
}
