/** Shows commits of an agent as they happen, and answers with the receipt: for `run`, `resume` and `fork --agent`. */
import type * as LiveRun from "@backstitch/runtime/LiveRun"
import type { Lease } from "@backstitch/trace/Leases"
import type { Run } from "@backstitch/trace/Run"
import type { Step } from "@backstitch/version-control/Step"
import * as ShownText from "@backstitch/wording/ShownText"
import type { ExitCode } from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import * as TickLine from "../TickLine.ts"
import * as ReceiptView from "./ReceiptView.ts"

/** Prints each step for people. From here on, a reader that leaves does not end the command. */
export const visit = (printer: Printer.Printer): ((step: Step) => void) => {
  Terminal.acting()
  return (step) => printer.tell(() => Terminal.print(TickLine.render(step)))
}

/** Names the agents that work on a run together, if there are several. */
export const spawned = (agents: ReadonlyArray<string> = []): void => {
  if (agents.length > 0) TextTable.sentence(Terminal.bold("SPAWN:"), `${agents.length} agents (${agents.join(", ")})`)
}

/** Reports that another process is waited for. */
export const waiting =
  (run: Run) =>
  ({ holder, since }: Lease): void =>
    Terminal.note(`run ${run.id} is in the hands of ${holder} since ${ShownText.moment(since)}: waiting`)

/**
 * Answers with the receipt, the transitions that were committed, and further fields. `goesOn` names the run that goes
 * on with the task, without this program.
 */
export const answer = (
  { committed, receipt, rerunOf, unbroken }: LiveRun.Acted,
  code: ExitCode,
  { goesOn, ...more }: { readonly goesOn?: string | undefined; readonly [name: string]: unknown } = {}
): Printer.CommandAnswer => {
  if (unbroken !== undefined) complain(unbroken)
  const rerun = rerunOf === undefined ? {} : { rerun_of: ReceiptView.document(rerunOf.receipt) }
  const next = goesOn === undefined ? {} : { goes_on: goesOn }
  const document = { ...ReceiptView.document(receipt), ...more, ...rerun, ...next, committed }
  const view = () => {
    if (rerunOf !== undefined) {
      ReceiptView.print(rerunOf.receipt)
      Terminal.print(`${Terminal.bad("RERUN:")} run=${receipt.run} | the task of ${rerunOf.receipt.run} was done again`)
    }
    ReceiptView.print(receipt)
    if (goesOn === undefined) return
    const shows = Spelling.of({ run: goesOn, verb: "show" })
    Terminal.print(`${Terminal.bold("GOES ON:")} run=${goesOn} | the task of ${receipt.run} goes on there: ${shows}`)
  }
  return Printer.answer(document, view, code)
}

/** Reports that the glass was not broken, and who decides. */
const complain = ({ needs, review, tool }: NonNullable<LiveRun.Acted["unbroken"]>): void => {
  const why = `it is broken for a critical_mutation alone, and ${tool} may be none, or was not proposed again`
  Terminal.complain(`the glass was not broken for ${review}: ${why}. ${needs.join(" or ")} decides`)
}
