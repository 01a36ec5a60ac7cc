/** The specification of a run and the plan of a revision, for people. */
import type * as RevisionDocuments from "@backstitch/runtime/RevisionDocuments"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as UndoText from "../terminal/UndoText.ts"

const acts = (count: number): string => `${count} ${count === 1 ? "act" : "acts"}`

const about = (clauses: ReadonlyArray<string>): string => (clauses.length === 0 ? "" : ` (${clauses.join(", ")})`)

/** Why an act stays that a plan gives up. */
const stays = {
  barred: "it may not be undone any more",
  irreversible: "nothing undoes it",
  late: "it is too late to undo it",
  owner: "the run that was forked did it, and alone may undo it"
} as const

const labelOf = ({ possible, waits }: RevisionDocuments.PlanShown): string => {
  if (possible) return Terminal.good("PLAN:")
  return waits ? Terminal.wary("WAITS:") : Terminal.bad("BLOCKED:")
}

/** Prints what a revision keeps, undoes and loses. */
export const plan = (run: string, shown: RevisionDocuments.PlanShown): void => {
  const { kept, price, revisions, rule } = shown
  const cost = `price ${price.total}: ${price.compensation} to undo, ${acts(price.waste)} in vain`
  const ticks = `${revisions.length === 1 ? "the revision at tick" : "the revisions at ticks"} ${revisions.join(", ")}`
  const counted = revisions.length === 0 ? "" : ` | counts ${ticks}`
  Table.sentence(labelOf(shown), `run=${run} | ${rule} | keeps ${acts(kept.acts)} | ${cost}${counted}`)
  const rows = rowsOf(shown)
  if (rows.length > 0) Table.print(rows, { header: ["", "ACTION", "TOOL", "CLASS", "NOTE"] })
  for (const { action, answered, clauses, tool } of shown.conflicts) {
    const why = answered ? "no contract decides, and nobody said that it fits" : "no longer fits"
    const kept = answered ? `; if it does, --keep ${action}` : ""
    Terminal.print(`  ${Terminal.dim("conflict")} ${action} ${tool} ${why}${about(clauses)}${kept}`)
  }
  for (const { action, clauses, run: followed, tool } of shown.elsewhere) {
    const undone = "no plan undoes it, and the agent may by its tools"
    Terminal.print(
      `  ${Terminal.wary("elsewhere")} ${followed}/${action} ${tool} no longer fits${about(clauses)}: ${undone}`
    )
  }
  for (const { action, code, says } of shown.obstacles) {
    const isAwaited = code === "undo.unsettled"
    const widened = code === "revision.blocked" ? "; --widen gives that up as lost" : ""
    Terminal.print(`  ${isAwaited ? Terminal.wary("waits for") : Terminal.bad("blocked")} ${action}: ${says}${widened}`)
  }
}

/** A row for each act that does not stay as it was. */
const rowsOf = ({
  discarded,
  lost,
  stale,
  undo
}: RevisionDocuments.PlanShown): ReadonlyArray<ReadonlyArray<string>> => {
  const undone = new Map(undo.map((each) => [each.action, each]))
  const isLost = new Set(lost.map(({ action }) => action))
  return [
    ...undo.map(({ action, by, class: reversibility, params: _, residue, tool, ...outlook }) => {
      const about = UndoText.outlook(outlook)
      const note = `by ${by}${residue ? ", which leaves residue" : ""}${about === "" ? "" : `; ${about}`}`
      return ["undo", action, tool, reversibility, note]
    }),
    ...lost.map(({ action, because, class: reversibility, clauses, tool }) => [
      "lost",
      action,
      tool,
      reversibility,
      `stays: ${stays[because]}${about(clauses)}`
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
}

const holding = { true: "yes", false: "no", unknown: "unknown" } as const

/** Prints the clauses of a goal, and its revisions. */
export const specification = (run: string, shown: RevisionDocuments.SpecificationShown): void => {
  const { clauses, follows, goal, permitted, revisions, withdrawn } = shown
  const gone = withdrawn.length === 0 ? "" : ` | withdrawn: ${withdrawn.join(", ")}`
  const fixed = permitted ? "" : " | its contract permits no revisions"
  const [last] = follows
  const followed = last === undefined ? "" : ` | follows run ${last}`
  Table.sentence(Terminal.bold("GOAL:"), `run=${run} | ${goal}${followed}${gone}${fixed}`)
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
  for (const { absorbed, by, changes, keeps, kind, said, tick, widens } of revisions) {
    const typed = changes.join("; ")
    const words = said === undefined || said === typed ? "" : ` | “${said}”`
    const kept = keeps.length === 0 ? "" : ` | keeps ${keeps.join(", ")}`
    const wide = widens ? " | widened" : ""
    const who = by === undefined ? "" : ` by ${by}`
    const rests = absorbed ? "" : ` | ${Terminal.wary("not absorbed yet")}`
    Terminal.print(`${Terminal.dim(`REVISION ${tick}`)} ${kind}${who}: ${typed}${words}${kept}${wide}${rests}`)
  }
}
