/** Says whether a run is done. */
import * as EmergencyActions from "@backstitch/runtime/EmergencyActions"
import * as Report from "@backstitch/runtime/Report"
import * as UndoWindow from "@backstitch/runtime/UndoWindow"
import * as Effect from "effect/Effect"
import * as RepeatView from "../../output/RepeatView.ts"
import * as UndoView from "../../output/UndoView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as LackedAgents from "../../program/LackedAgents.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./status.ts"

/** As wide as the label of the headline, so that the following lines align with its text. */
const rail = " ".repeat("STATUS:".length)

/** The report of a run, with the time in which each of its effects can be undone. */
interface Shown extends Report.Report {
  readonly windows: ReadonlyArray<UndoWindow.OfAction>
}

const print = (report: Shown, done: boolean): void => {
  const { actions, glass, held, remaining, repeats, residue, reviews, run, say, unfinished, unmet, waits, windows } =
    report
  const disputes = Report.disputes(report)
  const word = done ? Terminal.good("STATUS:") : Terminal.wary("STATUS:")
  const looks = reviews.length === 0 ? "" : ` | to look at=${reviews.length}`
  const counts = `actions=${actions.length} | held=${held.length} | waiting=${waits.length}${looks}`
  TextTable.sentence(word, `run=${run} | ${Report.headline(report)} | ${counts}`)
  if (disputes !== null) TextTable.sentence(rail, Terminal.wary(disputes))
  for (const each of unmet) TextTable.sentence(rail, Terminal.wary(each.say))
  TextTable.sentence(rail, say)
  if (unfinished !== null) TextTable.sentence(rail, unfinished)
  for (const each of glass) TextTable.sentence(rail, `${each.tool} (${each.action}): ${EmergencyActions.say(each)}`)
  for (const each of remaining) TextTable.sentence(rail, each.say)
  for (const each of residue) TextTable.sentence(rail, each)
  for (const each of windows) TextTable.sentence(rail, UndoView.window(each))
  if (actions.length > 0) {
    const rows = actions.map((each) => [each.action, Terminal.name(each.tool), Report.sentence(each)])
    TextTable.print(rows, { rail: "        " })
  }
  RepeatView.print(repeats)
}

const told = (
  {
    actions,
    glass,
    held,
    remaining,
    repeats,
    residue,
    run,
    say,
    standing,
    tick,
    unfinished,
    unmet,
    waits,
    windows
  }: Shown,
  done: boolean
): object => ({
  run,
  tick,
  done,
  standing,
  say,
  unfinished,
  unmet,
  remaining: Spelling.rows(remaining),
  residue,
  repeats,
  windows,
  glass,
  held: held.length,
  waiting: waits.length,
  actions: actions.map(({ action, disputed, lost, say, standing, tool, unchecked }) => {
    return { action, tool, standing, say, unchecked, disputed, lost }
  })
})

/**
 * Prints the standing of a run and of its actions. The exit code is 0 only for a reached goal whose clauses hold, with
 * reconciled successes.
 */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const report = { ...(yield* Report.of(run)), windows: yield* UndoWindow.ofRun(run) }
    const done = Report.isDone(report)
    const lacking = yield* LackedAgents.of(globals, run)
    const view = () => {
      print(report, done)
      LackedAgents.print(lacking)
    }
    return Printer.answer({ ...told(report, done), ...LackedAgents.field(lacking) }, view, ExitCode.of(done))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
