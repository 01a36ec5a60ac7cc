/** The specification of a run, a revision and its plan, for people. */
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as RevisionDocuments from "@backstitch/runtime/RevisionDocuments"
import type * as RunGoal from "@backstitch/runtime/RunGoal"
import * as English from "@backstitch/wording/English"
import * as Next from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../terminal/Spelling.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as UndoView from "./UndoView.ts"

const acts = (count: number): string => `${count} ${count === 1 ? "act" : "acts"}`

const about = (clauses: ReadonlyArray<string>): string => (clauses.length === 0 ? "" : ` (${clauses.join(", ")})`)

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
  TextTable.sentence(labelOf(shown), `run=${run} | ${rule} | keeps ${acts(kept.acts)} | ${cost}${counted}`)
  const rows = rowsOf(shown)
  if (rows.length > 0) TextTable.print(rows, { header: ["", "ACTION", "TOOL", "CLASS", "NOTE"] })
  for (const { action, answered, clauses, says, tool } of shown.conflicts) {
    const kept = answered ? `. Declare that it does with --keep ${action}` : ""
    Terminal.print(`  ${Terminal.dim("conflict")} ${action} ${tool}${about(clauses)}: ${says}${kept}`)
  }
  for (const { action, clauses, run: followed, says, tool } of shown.elsewhere) {
    Terminal.print(`  ${Terminal.wary("elsewhere")} ${followed}/${action} ${tool}${about(clauses)}: ${says}`)
  }
  for (const { action, code, says } of shown.obstacles) {
    const isAwaited = code === "undo.unsettled"
    const widened = code === "revision.blocked" ? "; --widen gives that up as lost" : ""
    Terminal.print(`  ${isAwaited ? Terminal.wary("waits for") : Terminal.bad("blocked")} ${action}: ${says}${widened}`)
  }
}

const prepared = ({ changes, plan: shown, run }: RunGoal.RequestedRevision): void => {
  const listed = changes.map((change) => RevisionDocuments.changed(change)).join("; ")
  const known = "nothing new: the revision that was injected before is absorbed"
  Terminal.print(`${Terminal.bold("REVISION:")} run=${run} | ${changes.length === 0 ? known : listed}`)
  if (shown !== null) plan(run, shown)
}

/** Prints a revision that was planned only. */
export const rehearsed = (revised: RunGoal.RequestedRevision): void => {
  prepared(revised)
  Terminal.print(Terminal.dim("nothing was recorded: leave --dry-run out to record it"))
}

/** Prints a revision that the process of the agent has to absorb. */
export const injected = (revised: RunGoal.RequestedRevision): void => {
  prepared(revised)
  const next = "the agent absorbs it before its next turn. If none is at work, resume the run with --agent"
  Terminal.print(`${Terminal.good("INJECTED:")} ${next}`)
}

/** Prints a revision that was absorbed, or why it was not and what may be done instead. */
export const absorbed = (revised: RunGoal.RequestedRevision): void => {
  prepared(revised)
  const { done, outcome, run } = revised
  if (done) Terminal.print(`${Terminal.good("ABSORBED:")} run=${run} | ${goesOn(revised)}`)
  else if (outcome !== null) unabsorbed(run, outcome)
}

const unabsorbed = (run: string, outcome: Outcome): void => {
  Terminal.print(`${Terminal.bad("NOT ABSORBED:")} run=${run} | ${Wording.why(outcome)}`)
  const steps = outcome._tag === "Done" || outcome._tag === "Failed" ? [] : Wording.next(outcome)
  for (const step of steps) Terminal.print(`next  ${Spelling.of(Next.about(step, { run }))}`)
}

const goesOn = ({ followUp, run }: RunGoal.RequestedRevision): string => {
  const why = followUp === null ? "the agent goes on" : "its goal was reached, so another run follows"
  return `${why}: ${Spelling.of({ run: followUp ?? run, verb: "resume" })}`
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
      const about = UndoView.outlook(outlook)
      const note = `by ${by}${residue ? ", which leaves residue" : ""}${about === "" ? "" : `; ${about}`}`
      return ["undo", action, tool, reversibility, note]
    }),
    ...lost.map(({ action, class: reversibility, clauses, says, tool }) => [
      "lost",
      action,
      tool,
      reversibility,
      `${says}${about(clauses)}`
    ]),
    ...discarded.flatMap(({ action, class: reversibility, tool }) =>
      undone.has(action) || isLost.has(action)
        ? []
        : [["drop", action, tool, reversibility, English.words.plans.discarded]]
    ),
    ...stale.map(({ action, class: reversibility, tool }) => [
      "stale",
      action,
      tool,
      reversibility,
      English.words.plans.stale
    ])
  ]
}

const holding = { true: "yes", false: "no", unknown: "unknown" } as const

/** Prints the clauses of a goal, and its revisions. */
export const specification = (shown: RunGoal.Specification): void => {
  const { clauses, follows, goal, permitted, revisions, run, withdrawn } = shown
  const gone = withdrawn.length === 0 ? "" : ` | withdrawn: ${withdrawn.join(", ")}`
  const fixed = permitted ? "" : " | its contract permits no revisions"
  const [last] = follows
  const followed = last === undefined ? "" : ` | follows run ${last}`
  TextTable.sentence(Terminal.bold("GOAL:"), `run=${run} | ${goal}${followed}${gone}${fixed}`)
  if (clauses.length === 0) Terminal.print("The contract has no clauses")
  else {
    TextTable.print(
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
