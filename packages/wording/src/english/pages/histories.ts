/** The words of version control in English. */
import type { Behind, HistoryWords } from "../../said/HistoryWords.ts"

const undone = (isGone: boolean): string => (isGone ? "was undone" : "may not stand any more")

const behind = ({ act, at, before, isGone, undoneAt }: Behind): string => {
  const when = undoneAt === undefined ? "" : ` at tick ${undoneAt} of ${at.run}`
  const instead = before < 1 ? "" : `: tick ${before} is the last one before it`
  return `${act} ${undone(isGone)}${when}, and the state at tick ${at.tick} still believes it${instead}`
}

const placed = (tick: number | undefined): string =>
  tick === undefined ? "nothing was committed" : `imported at tick ${tick}`

/** The advice about a predicate that recovered, by its declaration. */
const recovered = {
  null: () => "watch it, or register it as a lift, which bisect can rely on",
  lift: (onset: number) => `the pack has it as a lift, so bisect answers tick ${onset}`,
  monotone: (onset: number) =>
    `the pack has it as monotone, which it is not; bisect answers tick ${onset}. Declare it as a lift`
}

const shortened = (hash: string): string => `${hash.slice(0, 8)}…${hash.slice(-4)}`

/** The sentences about histories. */
export const histories: HistoryWords = {
  behind,
  undone,
  rehearsed: "nothing was committed, because this was a dry run",
  untouched: "Nothing was committed in the target, and nothing was sent.",
  context: ({ bound, covered, hash }) => {
    if (!bound) return "the pack binds no field to it"
    const says = covered ? "covers the fields that the pack binds" : "does not cover the fields that the pack binds"
    return hash === undefined ? `was not hashed, which ${says}` : `${shortened(hash)} ${says}`
  },
  fields: { advisory: "advisory", match: "has to match", present: "has to be there" },
  imported: {
    held: ({ tick, why }) => `${placed(tick)}, and ${why}`,
    failed: ({ tick, why }) => `${placed(tick)}, and it came to ${why}`,
    known: ({ action, run, tick }) =>
      `${run}@${tick} has it${action === undefined ? "" : ` (${action})`}, and it counts once`,
    adopted: ({ action, run }) =>
      `the act was done by ${action} of ${run}: the system of record was asked, nothing was sent`,
    again: "then repeat the import",
    otherwise: "or look at what else it could have been"
  },
  predicates: {
    never: () => "it did not hold in this run",
    kept: () => "it did not recover in this run",
    recovered: ({ declared, onset }) => recovered[`${declared}`](onset)
  },
  rebase: {
    abandoned: (run) => `${run} stays as it is; nobody has to use it`,
    current: (run, onto) => `${run} sits on ${onto.run}@${onto.tick} already`,
    joined: (onto) => `one line of history on ${onto.run}@${onto.tick}`,
    left: {
      "not an agent's": "stays where it was said",
      "of its parent": "was under way where the branch was forked, and is its parent's",
      undone: "was undone, and is not done again"
    },
    otherAnswer: "the answer is another",
    statuses: {
      replayed: "replayed",
      adopted: "was done already",
      recorded: "from the record",
      skipped: "left out",
      conflict: "does not fit",
      pending: "waits",
      fits: "fits"
    }
  },
  seed: {
    begun: "a history of its own; what the branches did stays theirs",
    judged: "Each is judged when it is carried over, in the run as it is then.",
    known: ({ run, tick }) => `${run}@${tick} has it already`,
    unsettled: (action, field) => `${action} was not settled by then: what it did is not in ${field}`
  }
}
