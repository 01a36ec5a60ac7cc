/** Prints the ledger of a run. */
import * as AuditConfirmation from "@backstitch/runtime/AuditConfirmation"
import * as EmergencyActions from "@backstitch/runtime/EmergencyActions"
import * as Ledger from "@backstitch/runtime/Ledger"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import * as UndoWindow from "@backstitch/runtime/UndoWindow"
import * as English from "@backstitch/wording/English"
import * as Effect from "effect/Effect"
import * as HeadFlag from "../../input/HeadFlag.ts"
import * as AuditView from "../../output/AuditView.ts"
import * as UndoView from "../../output/UndoView.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./ledger.ts"

const { reports } = English.words

const print = ({ complete, entries, glass, left, required, windows }: Ledger.Audited): void => {
  if (entries.length === 0) {
    Terminal.print("There are no actions")
    return
  }
  const rows = entries.map((entry) => [
    entry.action_id,
    Terminal.name(entry.tool_contract.name),
    entry.side_effect_class.toLowerCase(),
    entry.intended_outcome.target_resource,
    entry.execution.status.toLowerCase(),
    entry.verification.status.toLowerCase(),
    entry.reconciliation.status.toLowerCase(),
    entry.reconciliation.discrepancy_class === null
      ? ""
      : `${entry.reconciliation.discrepancy_class}: ${entry.reconciliation.recovery_decision ?? "undecided"}`
  ])
  const header = ["ACTION", "TOOL", "CLASS", "TARGET", "EXECUTION", "VERIFICATION", "RECONCILIATION", "DISCREPANCY"]
  TextTable.print(rows, { header })
  for (const each of glass) {
    Terminal.print(`\n${Terminal.wary("GLASS:")} ${each.tool} (${each.action}) | ${EmergencyActions.say(each)}`)
  }
  if (left.length > 0) Terminal.print()
  for (const each of left) TextTable.sentence(Terminal.wary("LEFT:"), reports.leftBehind(each))
  if (windows.length > 0) Terminal.print()
  for (const each of windows) {
    const label = UndoWindow.isOver(each) ? Terminal.wary("UNDO:") : Terminal.bold("UNDO:")
    TextTable.sentence(label, UndoView.window(each))
  }
  Terminal.print(`\n${Terminal.bold("LEDGER:")} actions=${entries.length} | complete=${complete} of ${required}`)
}

/** Prints the ledger entry of each action. */
export const handler: Handler<Input> = (input, globals) => {
  const read = Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const audited = yield* Ledger.audit(run)
    if (input.head === undefined) return Printer.answer(audited, () => print(audited))
    const audit = yield* AuditConfirmation.of(run, input.head)
    const view = () => {
      print(audited)
      AuditView.print(audit)
    }
    return Printer.answer({ ...audited, audit }, view, ExitCode.of(RunVerification.isSound(audit.verification)))
  })
  return Effect.andThen(HeadFlag.check(input.head), Effect.provide(read, StoreSession.reading(globals)))
}
