/** The specification of a run and the plan of a revision, for people. */
import type * as RevisionReport from "@backstitch/runtime/RevisionReport"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

const acts = (count: number): string => `${count} ${count === 1 ? "act" : "acts"}`

const about = (clauses: ReadonlyArray<string>): string => (clauses.length === 0 ? "" : ` (${clauses.join(", ")})`)

/** Prints what a revision keeps, undoes and loses. */
export const plan = (run: string, shown: RevisionReport.PlanShown): void => {
  const { conflicts, discarded, kept, lost, obstacles, possible, price, rule, stale, undo } = shown
  const label = possible ? Terminal.good("PLAN:") : Terminal.bad("BLOCKED:")
  const cost = `price ${price.total}: ${price.compensation} to undo, ${acts(price.waste)} in vain`
  Table.sentence(label, `run=${run} | ${rule} | keeps ${acts(kept.acts)} | ${cost}`)
  const undone = new Map(undo.map((each) => [each.action, each]))
  const isLost = new Set(lost.map(({ action }) => action))
  const rows = [
    ...undo.map(({ action, by, class: reversibility, residue, tool }) => [
      "undo",
      action,
      tool,
      reversibility,
      `by ${by}${residue ? ", which leaves residue" : ""}`
    ]),
    ...lost.map(({ action, class: reversibility, clauses, tool }) => [
      "lost",
      action,
      tool,
      reversibility,
      `stays: nothing undoes it${about(clauses)}`
    ]),
    ...discarded.flatMap(({ action, class: reversibility, tool }) =>
      undone.has(action) || isLost.has(action) ? [] : [["drop", action, tool, reversibility, "no longer built on"]]
    ),
    ...stale.map(({ action, class: reversibility, tool }) => [
      "stale",
      action,
      tool,
      reversibility,
      "stays, although it no longer fits"
    ])
  ]
  if (rows.length > 0) Table.print(rows, { header: ["", "ACTION", "TOOL", "CLASS", "NOTE"] })
  for (const { action, answered, clauses, tool } of conflicts) {
    const why = answered ? "no contract decides, and nobody said that it fits" : "no longer fits"
    Terminal.print(`  ${Terminal.dim("conflict")} ${action} ${tool} ${why}${about(clauses)}`)
  }
  for (const { action, says } of obstacles) Terminal.print(`  ${Terminal.bad("blocked")} ${action}: ${says}`)
}

const holding = { true: "yes", false: "no", unknown: "unknown" } as const

/** Prints the clauses of a goal, and its revisions. */
export const specification = (run: string, shown: RevisionReport.SpecificationShown): void => {
  const { clauses, goal, permitted, revisions, withdrawn } = shown
  const gone = withdrawn.length === 0 ? "" : ` | withdrawn: ${withdrawn.join(", ")}`
  const fixed = permitted ? "" : " | its contract permits no revisions"
  Table.sentence(Terminal.bold("GOAL:"), `run=${run} | ${goal}${gone}${fixed}`)
  if (clauses.length === 0) Terminal.print("The contract has no clauses")
  else {
    Table.print(
      clauses.map(({ added, clause, condition, holds, value }) => [
        Terminal.name(clause),
        value === null ? "" : JSON.stringify(value),
        holding[`${holds}`],
        added ? "user" : "contract",
        condition
      ]),
      { header: ["CLAUSE", "VALUE", "HOLDS", "FROM", "CONDITION"] }
    )
  }
  for (const { absorbed, by, changes, kind, said, tick } of revisions) {
    const words = said === undefined ? "" : ` | “${said}”`
    const who = by === undefined ? "" : ` by ${by}`
    const rests = absorbed ? "" : ` | ${Terminal.wary("not absorbed yet")}`
    Terminal.print(`${Terminal.dim(`REVISION ${tick}`)} ${kind}${who}: ${changes.join("; ")}${words}${rests}`)
  }
}
