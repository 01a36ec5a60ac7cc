/** An action for a person: its purpose, its course, and its proof. */

import * as Trust from "@backstitch/ledger/Trust"
import type * as ActionPage from "@backstitch/runtime/ActionPage"
import type * as AuditConfirmation from "@backstitch/runtime/AuditConfirmation"
import * as EmergencyActions from "@backstitch/runtime/EmergencyActions"
import * as Report from "@backstitch/runtime/Report"
import * as Wording from "@backstitch/wording/Wording"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as AuditView from "./AuditView.ts"

/** Prints a page, with the confirmation of the action if a head was given for it. */
export const print = (page: ActionPage.ActionPage, audit?: AuditConfirmation.AuditConfirmation): void => {
  const { action, anomalies, decided, entry, lacks, predicates, run, say, standing, states, unchecked } = page
  const word = standing === "success" ? Terminal.good("ACTION:") : Terminal.wary("ACTION:")
  Terminal.print(`${word} ${action} of run=${run} | ${Terminal.name(entry.tool_contract.name)} | ${standing}`)
  Terminal.print(`        ${Report.sentence({ say, unchecked, word: page.word })}`)
  section("what it is", facts(page, audit?.actions[0]))
  section(
    "states",
    states.map(({ at, state, tick }) => [`tick ${tick}`, at, stateOf(page, state)])
  )
  section("evidence", page.lines.flatMap(evidence))
  section(
    "predicates",
    predicates.map(({ held, source }) => [mark(held), source])
  )
  section("differs", difference(page))
  section(
    "decided by a person",
    decided.map(({ by, on, role, tick, verdict }) => [
      `tick ${tick}`,
      verdict,
      `by ${by}${role === null ? "" : ` (${role})`}`,
      on
    ])
  )
  section("undone", undone(page))
  section(
    "refused moves",
    anomalies.map(({ refused, tick }) => [`tick ${tick}`, refused])
  )
  if (lacks.length > 0) section("the entry lacks", [[lacks.join(", ")]])
  if (audit !== undefined) AuditView.print(audit)
}

const section = (title: string, rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  if (rows.length === 0) return
  Terminal.print(`\n${Terminal.bold(title)}`)
  TextTable.print(rows, { rail: "  " })
}

/** A state by its name, with a warning: neither an answer nor a settlement is a success by itself. */
const stateOf = ({ standing, predicates }: ActionPage.ActionPage, state: string): string => {
  if (state === "committed" && predicates.some(({ held }) => held === false)) return "committed, by its answer alone"
  return state === "reconciled_success" && standing !== "success" ? `settled, and told as ${standing}` : state
}

const facts = (
  { breakGlass, entry, params, trust, unchecked, word }: ActionPage.ActionPage,
  confirmed: AuditConfirmation.ConfirmedAction | undefined
): ReadonlyArray<ReadonlyArray<string>> =>
  named({
    class: entry.side_effect_class.toLowerCase(),
    target: entry.intended_outcome.target_resource,
    arguments: JSON.stringify(params),
    contract: `${entry.tool_contract.version} (${entry.tool_contract.schema_version.slice(0, 12)})`,
    "key hash": entry.idempotency.key_hash,
    "key is": entry.idempotency.status?.toLowerCase() ?? null,
    "request hash": entry.idempotency.request_hash,
    attempts: String(entry.execution.attempt_count),
    "broken glass": breakGlass === null ? null : EmergencyActions.say(breakGlass),
    approval:
      entry.approval.approval_id === null || breakGlass !== null
        ? null
        : `${entry.approval.approval_id} by ${entry.approval.approver_id ?? "nobody"}`,
    execution: entry.execution.status.toLowerCase(),
    verification: entry.verification.status.toLowerCase(),
    reconciliation: entry.reconciliation.status.toLowerCase(),
    unchecked: unchecked.length === 0 ? null : unchecked.join(", "),
    trust:
      confirmed?.confirmed === true ? "4 of 4, audit-confirmed" : `${trust} of 4; a success takes ${Trust.believable}`,
    "its word": word === null ? null : `accepted by ${word.by}: ${word.why}`,
    trace: entry.trace.trace_id === entry.workflow_run_id ? null : entry.trace.trace_id
  })

const evidence = (line: ActionPage.PageLine): ReadonlyArray<ReadonlyArray<string>> => {
  if (line.status === null) return []
  const trust = line.trust === null ? "" : `trust ${line.trust}`
  return [
    [
      `tick ${line.tick}`,
      line.type,
      line.status,
      line.basis ?? "",
      trust,
      line.output === null ? "" : JSON.stringify(line.output)
    ]
  ]
}

const difference = ({ entry, lines }: ActionPage.ActionPage): ReadonlyArray<ReadonlyArray<string>> => {
  const decided = lines.findLast(({ type }) => type === "recovery.decided")
  const because = Wording.because(decided?.data ?? {})
  const { row } = decided?.data ?? {}
  return named({
    class: entry.reconciliation.discrepancy_class,
    decision: entry.reconciliation.recovery_decision,
    because: because ?? null,
    "row of the table": row === undefined || row === null ? null : String(row),
    review: entry.recovery.review_id,
    incident: entry.recovery.incident_id
  })
}

const undone = ({ undo, undoes, undoneBy, undoEndsAt }: ActionPage.ActionPage): ReadonlyArray<ReadonlyArray<string>> =>
  named({
    undoes,
    "undone by": undoneBy,
    "undo until": undoEndsAt && `${undoEndsAt.at}${undoEndsAt.isOver ? ", which is over: nothing undoes it" : ""}`,
    "its effect": undo === "standing" ? null : undo.replace("_", " ")
  })

const named = (facts: Readonly<Record<string, string | null>>): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))

const mark = (held: boolean | null): string =>
  held === null ? Terminal.dim("not evaluated") : held ? Terminal.good("holds") : Terminal.bad("does not hold")
