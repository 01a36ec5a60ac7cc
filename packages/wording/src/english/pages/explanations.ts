/** The words of explanations: the reasons for the decision at a tick. */
import type { ApprovalWords, ExplanationWords } from "../../said/RunWords.ts"
import { choices } from "../terms/steps.ts"

const settled = { ok: "done", error: "failed", unknown: "unknown", mismatch: "not as intended" } as const

/** The sentences of an explanation. */
export const explanations: ExplanationWords = {
  adopted: ({ action, run }) => `${action} of run ${run} had done it, so nothing was sent`,
  anomaly: (kind) => `an invariant was broken, or an author overstepped: ${kind}`,
  answered: ({ action, count, run, tick }) => {
    const name = action === undefined ? `tick ${tick}` : `${action}, settled at tick ${tick}`
    const where = run === undefined ? name : `${name} of run ${run}`
    return `it was done already (${where}): the record answered${count === 1 ? "" : `, ${count} times`}, and nothing was sent`
  },
  asked: (triggers) => `a person is asked to look at it${triggers.length === 0 ? "" : `: ${triggers.join(", ")}`}`,
  budget: ({ budget, found, max }) => `the budget ${budget} is used up: ${max}, and it would be ${found}`,
  decided: ({ by, on, role, verdict }) =>
    `${by}${role === "" ? "" : ` (${role})`} decided ${verdict}${on === "" ? "" : `: ${on}`}`,
  doubtOver: "the outcome was in doubt at this tick, and is settled by now",
  expected: {
    answer: "an answer",
    settlement: "a settled outcome"
  },
  free: "it is free by now",
  imported: ({ adopted, isRecorded, run, tick }) => {
    const how =
      adopted !== undefined
        ? `; ${adopted.action} of ${adopted.run} had done it, so nothing was sent`
        : isRecorded
          ? "; its outcome was taken from the record, so nothing was sent"
          : ""
    return `the intent of ${run}@${tick} was imported${how}`
  },
  invalidMove: ({ action, from, tick, to, tool }) => {
    const claim = tick === undefined ? "an answer that came after it was settled claims" : `tick ${tick} claims`
    return `${claim} that ${action} (${tool}) went from ${from} to ${to}, which is not permitted: it is still ${from}`
  },
  more: (budget) => `which allows more in budgets.${budget}`,
  observedOnly: (why) => `${why}. The pack is only observed here; keys and held targets bind at every stage`,
  open: ({ action, since, stands, target, tool }) => {
    const holds =
      target === undefined ? "" : `; until it is settled it holds ${target}, and nothing else may change that`
    return `${tool} (${action}) ${stands}, since tick ${since}${holds}`
  },
  otherwise: "propose something else",
  reconciled: ({ basis, status }) => `it was settled as ${settled[status]}, on what rests on ${basis ?? "the record"}`,
  recovery: ({ because, decision, discrepancy, meaning, row }) =>
    [
      `${discrepancy}: ${decision}`,
      ...(row === undefined ? [] : [`, by row ${row} of the table`]),
      ...(meaning === undefined ? [] : [`: ${meaning}`]),
      ...(because === undefined ? [] : [`, because ${because}`])
    ].join(""),
  refused: "it was refused",
  sentences: (parts) => parts.join(". "),
  shortened: ({ characters, text }) => `${text}… (${characters} characters)`,
  size: (entries) => `${entries} entries`,
  adoptedBefore: ({ adopted, effect }) => `${adopted}; ${effect}`,
  unrequested: ({ action, tick }) => `tick ${tick} is about ${action}, which nothing before it requests`,
  unsent: (why) => `${why}; nothing was sent`,
  violated: ({ predicate, tick }) => `predicate ${predicate} first held after tick ${tick}`,
  alarmed: ({ first, predicate, say, tick }) => `${predicate} since tick ${tick}: ${say}. First, ${first}`
}

/** The sentences about approvals. */
export const approvals: ApprovalWords = {
  approved: ({ approved, by, review }) => `${approved}, as ${by} approved it (${review})`,
  decided: ({ by, role, verdict }) => `${verdict} by ${by} (${role})`,
  differs: ({ approved, asked, by, path, review }) =>
    `${path}: ${by} approved ${approved} (${review}), and ${asked} is asked for`,
  missing: "nobody has approved it",
  nothing: "nothing",
  undeclared: "not there",
  of: (needs) => `the approval of ${choices.names(needs)}, for exactly this`,
  permits: ({ after, lasts, tool }) => {
    if (after !== undefined) return `A yes accepts what ${after} did, and sends nothing.`
    const limit = lasts === undefined ? "" : `, for ${lasts} after it is given`
    return `A yes permits this call of ${tool} with these arguments, and no other${limit}.`
  },
  person: "a person has to decide",
  unpacked: "no pack",
  withdrawn: "withdrawn",
  used: ({ action, review, tool }) => `the review ${review} was already used by ${tool} (${action})`
}
