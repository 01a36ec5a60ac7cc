/** Says what a user may be told about a run. */
import * as Report from "@backstitch/runtime/Report"
import * as Effect from "effect/Effect"
import * as HeldView from "../../output/HeldView.ts"
import * as RepeatView from "../../output/RepeatView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./report.ts"

/** As wide as the label of the headline, so that the following lines align with its text. */
const rail = " ".repeat("REPORT:".length)

const print = (report: Report.Report): void => {
  const { actions, held, remaining, repeated, repeats, residue, reviews, run, say, tick, unfinished, unmet } = report
  const disputes = Report.disputes(report)
  TextTable.sentence(Terminal.bold("REPORT:"), `run=${run} | tick=${tick} | ${Report.headline(report)}`)
  if (disputes !== null) TextTable.sentence(rail, Terminal.wary(disputes))
  for (const each of unmet) TextTable.sentence(rail, Terminal.wary(each.say))
  TextTable.sentence(rail, say)
  if (unfinished !== null) TextTable.sentence(rail, unfinished)
  for (const each of remaining) TextTable.sentence(rail, each.say)
  for (const each of repeated) TextTable.sentence(rail, Terminal.wary(each.say))
  for (const each of residue) TextTable.sentence(rail, each)
  if (actions.length > 0) {
    Terminal.print()
    const rows = actions.map((each) => [
      each.action,
      Terminal.name(each.tool),
      Report.headline(each),
      Report.sentence(each)
    ])
    TextTable.print(rows, { header: ["ACTION", "TOOL", "STANDING", "MAY BE SAID"] })
  }
  const looked = [
    ...held.map((each) => ({ ...each, settled: false })),
    ...reviews.map((each) => ({ ...each, settled: true }))
  ]
  for (const each of looked) {
    Terminal.print()
    HeldView.print(each)
  }
  for (const { needs, next, review, tool } of Report.unbegun(report)) {
    Terminal.print()
    TextTable.sentence(Terminal.wary("waits:"), `${tool} needs the approval of ${needs.join(" or ")} (${review})`)
    Terminal.print(`${Terminal.dim("next:")} ${Spelling.of(next)}`)
  }
  RepeatView.print(repeats)
}

const told = ({ held, remaining, reviews, waits, ...report }: Report.Report): object => ({
  ...report,
  held: Spelling.rows(held),
  waits: Spelling.rows(waits),
  reviews: Spelling.rows(reviews),
  remaining: Spelling.rows(remaining)
})

/** Prints the report of each action and of the run. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const report = yield* Report.of(yield* StoreSession.find(input.run, globals))
    return Printer.answer(told(report), () => print(report))
  }).pipe(Effect.provide(StoreSession.reading(globals)))
