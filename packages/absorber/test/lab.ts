/** Acts of a run, by hand and at random, and what is left of them once a plan is carried out. */
import * as Schema from "effect/Schema"
import type * as Absorption from "../src/Absorption.ts"
import type * as Act from "../src/Act.ts"
import type * as AdaptationCost from "../src/AdaptationCost.ts"

const Key = Schema.Literals(["k1", "k2", 'k2["x"]', 'k2["y"]'])
const Clause = Schema.Literals(["budget", "venue"])

/** An act of a random run; its tick is its place. */
export const Move = Schema.Struct({
  class: Schema.Literals(["I", "R", "K", "X"]),
  stands: Schema.Boolean,
  isReversible: Schema.Boolean,
  reads: Schema.Array(Key),
  writes: Schema.Array(Key),
  verdict: Schema.Literals(["Compatible", "Conflict", "Undecided"]),
  clauses: Schema.NonEmptyArray(Clause),
  isAssumed: Schema.Boolean,
  answer: Schema.Literals(["compatible", "conflict"]),
  undoing: Schema.Literals([0, 1, 7]),
  waste: Schema.Literals([0, 1, 30])
})

/** A random run. */
export const Moves = Schema.Array(Move)

export const compatible: Act.ActVerdict = { _tag: "Compatible" }

export const conflict = (...clauses: ReadonlyArray<string>): Act.ActVerdict => ({ _tag: "Conflict", clauses })

export const undecided = (clauses: ReadonlyArray<string>, assumed = clauses): Act.ActVerdict => ({
  _tag: "Undecided",
  clauses,
  assumed
})

export const actionOf = (tick: number): string => `a${tick}`

export const act = (tick: number, more: Partial<Act.Act> = {}): Act.Act => ({
  action: actionOf(tick),
  tool: `do${more.class ?? "I"}`,
  tick,
  settledAt: tick,
  class: "I",
  stands: true,
  reads: [],
  writes: [],
  verdict: compatible,
  ...(more.class === "R" || more.class === "K"
    ? { reversal: { tool: `undo${more.class}`, params: { tick }, residue: more.class === "K" } }
    : {}),
  ...more
})

const verdictOf = ({ clauses, isAssumed, verdict }: typeof Move.Type): Act.ActVerdict => {
  if (verdict === "Compatible") return compatible
  return verdict === "Conflict" ? conflict(...clauses) : undecided(clauses, isAssumed ? clauses : [])
}

export const actsOf = (moves: typeof Moves.Type): ReadonlyArray<Act.Act> =>
  moves.map((move, index) =>
    act(index + 1, {
      class: move.class,
      stands: move.stands,
      reads: move.reads,
      writes: move.writes,
      verdict: verdictOf(move),
      ...(move.isReversible ? {} : { reversal: undefined })
    })
  )

/** The answers to all questions that a plan may ask about a random run. */
export const answersOf = (moves: typeof Moves.Type): ReadonlyMap<string, Absorption.ActAnswer> =>
  new Map(moves.map(({ answer }, index) => [actionOf(index + 1), answer]))

/** A measure that gives each act of a random run a cost of its own. */
export const measureOf = (moves: typeof Moves.Type): AdaptationCost.CostMeasure => ({
  undoing: ({ tick }) => moves[tick - 1]!.undoing,
  waste: ({ tick }) => moves[tick - 1]!.waste
})

/** All ways of planning. */
export const ways: ReadonlyArray<Absorption.Options> = (["earliest_conflict", "dependency_closure"] as const).flatMap(
  (rule) =>
    (["invert", "leave"] as const).flatMap((reversible) => [true, false].map((widen) => ({ rule, reversible, widen })))
)

/** The clauses with which an act is in conflict, once every question is answered; `undefined` if it fits. */
export const conflictOf = (
  { action, class: declared, verdict }: Act.Act,
  answers: ReadonlyMap<string, Absorption.ActAnswer>
): ReadonlyArray<string> | undefined => {
  if (declared === "I" || verdict._tag === "Compatible") return undefined
  if (verdict._tag === "Conflict") return verdict.clauses
  return answers.get(action) === "conflict" ? verdict.clauses : undefined
}

/** Tells whether nothing undoes an act exactly. */
export const isCostly = ({ class: declared, reversal }: Act.Act): boolean =>
  declared === "K" || declared === "X" || (declared === "R" && reversal === undefined)

/** Tells whether an act read a key that another one wrote before. */
export const dependsOn = (consumer: Act.Act, producer: Act.Act): boolean =>
  consumer.tick > producer.tick && consumer.reads.some((read) => producer.writes.some((key) => overlap(read, key)))

const overlap = (one: string, other: string): boolean => {
  const [[name, part], [otherName, otherPart]] = [one.split("["), other.split("[")]
  return name === otherName && (part === undefined || otherPart === undefined || part === otherPart)
}

/** Standing acts with all that depend on them: acts are added until there is none left to add. */
export const closed = (acts: ReadonlyArray<Act.Act>, seeds: ReadonlyArray<Act.Act>): ReadonlySet<Act.Act> => {
  const found = new Set(seeds)
  for (let size = -1; size < found.size; ) {
    size = found.size
    for (const each of acts) if (each.stands && [...found].some((one) => dependsOn(each, one))) found.add(each)
  }
  return found
}

/** The acts once a plan is carried out, as the next plan sees them. */
export const carriedOut = (
  acts: ReadonlyArray<Act.Act>,
  { discarded, undo }: Absorption.Absorption
): ReadonlyArray<Act.Act> => {
  const [gone, undone] = [new Set(discarded), new Set(undo.map(({ undoes }) => undoes))]
  return acts.map((each) => ({
    ...each,
    stands: each.stands && !undone.has(each.action),
    isDiscarded: gone.has(each.action)
  }))
}
