/** A held action, or a settled one that a person has to look at, for people: the reason, and the next step. */
import type * as HeldActions from "@backstitch/runtime/HeldActions"
import * as English from "@backstitch/wording/English"
import * as Spelling from "../terminal/Spelling.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"

/** As wide as the label of an action, so that the following lines align with its text. */
const rail = " ".repeat("HELD:".length)

/** Prints an action; its run is named where a page has actions of several. */
export const print = (
  {
    action,
    decision,
    discrepancy,
    incident,
    next,
    settled,
    target,
    tool,
    triggers,
    why
  }: Omit<HeldActions.HeldAction, "run">,
  run?: string
): void => {
  const of = run === undefined ? "" : `run=${run} | `
  const what = target === null ? "" : ` | target=${target}`
  const found = discrepancy === null ? "" : ` | ${discrepancy}: ${decision ?? "undecided"}`
  const opened = incident === null ? "" : ` | incident=${incident}`
  TextTable.sentence(
    Terminal.wary(settled ? "LOOK:" : "HELD:"),
    `${of}${Terminal.name(tool)} (${action})${what}${found}${opened}`
  )
  TextTable.sentence(rail, why)
  if (triggers.length > 0) TextTable.sentence(rail, English.words.reports.asked(triggers))
  Terminal.print(`${Terminal.dim("next:")} ${Spelling.of(next)}`)
}
