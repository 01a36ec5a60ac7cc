/** The contributors to an onset, for people. */
import type * as ContributorSearch from "@backstitch/runtime/ContributorSearch"
import type { Next } from "@backstitch/wording/Next"
import * as Wording from "@backstitch/wording/Wording"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"

/** The fork that begins before every contributor; none if there is no such tick, or no contributor was found. */
export const next = ({ found, run }: ContributorSearch.ContributorSearchResult): ReadonlyArray<Next> => {
  const [first] = found?.contributors ?? []
  return first === undefined || first.tick < 2 ? [] : [{ from: first.tick - 1, run, verb: "fork" }]
}

/** Prints the contributors to an onset, how reliable they are, and the fork that begins before them. */
export const print = (answer: ContributorSearch.ContributorSearchResult): void => {
  const { effect, found, onset, question, run } = answer
  Terminal.print(`${Terminal.bold("CONTRIBUTORS:")} run=${run} | ${Wording.question(question)}`)
  if (found === null) {
    Terminal.print(`${Terminal.good("NONE:")} it never was so`)
    return
  }
  Terminal.print(`${Terminal.bad("ONSET:")} tick ${onset} | ${effect ?? ""}`)
  Terminal.print()
  Terminal.print(said(found))
  if (found.contributors.length > 0) {
    const rows = found.contributors.map(({ effects, tick, ticks, type }) => [
      `tick ${tick}`,
      type,
      ticks.length === 1 ? "" : `with ${ticks.slice(1).join(", ")}`,
      effects.join("; ")
    ])
    TextTable.print(rows, { rail: "  " })
  }
  Terminal.print()
  const { budget, candidates, folds, unresolved } = found
  Terminal.print(
    `folds=${folds} of ${budget} | intents before the onset=${candidates}` +
      (unresolved === 0 ? "" : ` | folds that show nothing=${unresolved}`)
  )
  if (found.contributors.length > 0) {
    Terminal.print(
      Terminal.dim("Exact for the reducer: the trace without these steps folds to a state in which it is not so.")
    )
  }
  Terminal.print(Terminal.dim("A heuristic for the agent: what it would have done without them is not in any trace."))
  for (const step of next(answer)) {
    Terminal.print()
    Terminal.print(`${Terminal.bold("NEXT:")} ${Terminal.name(Spelling.of(step))}`)
  }
}

const said = ({ contributors, verdict }: ContributorSearch.OnsetContributors): string => {
  const isOne = contributors.length === 1
  const many = isOne ? "this" : `these ${contributors.length}`
  const more = "Give more with --budget"
  switch (verdict) {
    case "minimal":
      return (
        `${Terminal.bold("MINIMAL:")} it would not have come without ${many}; ` +
        (isOne ? "it is needed" : "each of them is needed")
      )
    case "not minimal":
      return (
        `${Terminal.wary("NOT MINIMAL:")} it would not have come without ${many}, ` +
        `but the budget ended before each was tried alone. ${more}`
      )
    case "none found":
      return (
        `${Terminal.bold("NONE FOUND:")} it comes without all of them, and without any part that was tried, ` +
        "down to each alone: look at the onset itself"
      )
    case "undecided":
      return `${Terminal.wary("UNDECIDED:")} the budget ended before any set was found. ${more}`
  }
}
