/** The words of revisions of the goal: changes that do not fit, and plans that cannot be carried out. */
import type { Next } from "../../said/Next.ts"
import { fact, said } from "../../said/Said.ts"
import type { Findings } from "../../said/Words.ts"

const correct = (index: number, words: string): Next => ({ verb: "propose", words: `${words} (change ${index + 1})` })
const amend = (words: string): Next => ({ verb: "amend", words })
const listed = (names: ReadonlyArray<string>): string => names.join(", ")

/** The words of revisions, and of the absorption of one. */
export const revisions = {
  "cause.revised": ({ revisions }) =>
    fact(`the user revised the goal at ${revisions.length === 1 ? "tick" : "ticks"} ${listed(revisions.map(String))}`),
  "clause.exists": ({ clause, index }) =>
    said(`${clause}, which is in force`, "a name that no clause has", correct(index, "set it, or choose another name")),
  "clause.invalid": ({ clause, expected, found, index }) =>
    said(found, expected, correct(index, `correct the condition of ${clause}`)),
  "clause.repeated": ({ clause, index }) =>
    said(`${clause} twice`, "an order that names each clause once", correct(index, "name it once")),
  "clause.unfit": ({ clause, expected, found, index }) =>
    said(found, expected, correct(index, `give ${clause} as its type says`)),
  "clause.unknown": ({ clause, index, near }) =>
    said(
      clause,
      near === undefined ? "a clause that is in force" : `a clause that is in force, such as ${near}`,
      correct(index, near === undefined ? "name a clause of the goal" : `did you mean ${near}?`)
    ),
  "revision.blocked": ({ action, by, keys }) =>
    said(`${by} read ${listed(keys)} of it, and nothing undoes ${by}`, "an act that no act which stays has read", {
      verb: "absorb",
      widen: true,
      words: `it gives ${by} up as lost and undoes ${action}`
    }),
  "revision.empty": () =>
    said("a revision that changes nothing", "a change of the goal", {
      verb: "propose",
      words: "give at least one change that the goal does not have yet"
    }),
  "revision.not_permitted": () =>
    said(
      "a pack without the section revisions",
      "a pack that permits revisions",
      amend("begin the run under a pack with `revisions: {}`")
    ),
  "revision.pending": ({ since }) =>
    said(`a revision since tick ${since} that was not absorbed yet`, "a goal without pending revisions", {
      verb: "absorb",
      words: "the revision is absorbed first"
    }),
  "revision.unanswered": ({ action, clauses, tool }) =>
    said(`the pack does not say of ${tool} whether the act fits ${listed(clauses)}`, "an act with an answer", {
      keep: action,
      verb: "absorb",
      words: "if it fits; tools of a pack may say what they assume"
    }),
  "revision.unpinned": () =>
    said(
      "a run that began without the types of revisions",
      "a run that can be revised",
      amend("begin another run under a pack with `revisions: {}`")
    )
} satisfies Partial<Findings>
