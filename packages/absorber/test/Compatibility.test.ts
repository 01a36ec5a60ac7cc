import { assert, describe, it } from "@effect/vitest"
import * as Compatibility from "../src/Compatibility.ts"

const { assumptions, changes } = Compatibility
const pieces = ["fits", "before", "after", "afterAsItWas", "wrote", "reordered"] as const
type Known = Record<(typeof pieces)[number], boolean>

type Piece = (typeof pieces)[number]

/** Every combination of values, one for each piece of evidence. */
const combinations = <A>(valuesOf: (piece: Piece) => ReadonlyArray<A>): ReadonlyArray<Record<Piece, A>> =>
  pieces.reduce<ReadonlyArray<Partial<Record<Piece, A>>>>(
    (found, piece) => found.flatMap((each) => valuesOf(piece).map((value) => ({ ...each, [piece]: value }))),
    [{}]
  ) as ReadonlyArray<Record<Piece, A>>

const relations = assumptions.flatMap((assumes) => [true, false].map((serves) => ({ assumes, serves })))
const cases = changes.flatMap((change) => relations.map((relation) => ({ change, relation })))

/** The table of the module, row by row, where everything is known: the first row that fits. */
const rows: ReadonlyArray<
  readonly [
    Compatibility.CompatibilityVerdict,
    (change: Compatibility.ChangeKind, relation: Compatibility.Relation, known: Known) => boolean
  ]
> = [
  ["conflict", (change, { assumes }, { fits }) => change === "set" && assumes === "condition" && !fits],
  ["compatible", (change, { assumes }) => change === "set" && assumes === "condition"],
  ["compatible", (change, { assumes }, { after }) => change === "set" && assumes === "name" && after],
  ["conflict", (change, { assumes }, { afterAsItWas }) => change === "set" && assumes === "name" && afterAsItWas],
  ["conflict", (change, { assumes }, known) => change === "set" && assumes === "name" && known.before && known.wrote],
  ["undecided", (change, { assumes }) => change === "set" && assumes === "name"],
  ["undecided", (change, { assumes }) => change === "set" && assumes === "silent"],
  ["conflict", (change, { serves }) => change === "withdraw" && serves],
  ["undecided", (change, { assumes }) => change === "withdraw" && assumes === "silent"],
  ["conflict", (change, _, { after, before }) => change === "add" && before && !after],
  ["undecided", (change, _, { after, wrote }) => change === "add" && !after && wrote],
  [
    "conflict",
    (change, { assumes, serves }, { reordered }) =>
      change === "prioritise" && reordered && (serves || assumes === "condition" || assumes === "name")
  ],
  ["undecided", (change, { assumes }) => change === "prioritise" && assumes === "silent"],
  ["compatible", () => true]
]

const told = (change: Compatibility.ChangeKind, relation: Compatibility.Relation, known: Known) =>
  rows.find(([, fits]) => fits(change, relation, known))![0]

/** The verdicts of the table on what unknown evidence may turn out to be. */
const possible = (
  change: Compatibility.ChangeKind,
  relation: Compatibility.Relation,
  evidence: Compatibility.ClauseEvidence
) => {
  const values = (piece: Piece) => (evidence[piece] === "unknown" ? [true, false] : [evidence[piece] === true])
  return [...new Set(combinations(values).map((known) => told(change, relation, known)))]
}

describe("Compatibility", () => {
  it("decides every change of every contract by the table, if all evidence is known", () => {
    const reached = new Set<string>()
    for (const { change, relation } of cases) {
      for (const known of combinations(() => [true, false])) {
        const verdict = Compatibility.verdict(change, relation, known)
        assert.strictEqual(verdict, told(change, relation, known), JSON.stringify({ change, relation, known }))
        reached.add(`${change} ${verdict}`)
      }
    }
    assert.strictEqual(reached.size, changes.length * 3)
  })

  it("decides despite unknown evidence exactly if the unknown makes no difference", () => {
    for (const { change, relation } of cases) {
      for (const evidence of combinations<Compatibility.Evident>(() => [true, false, "unknown"])) {
        const verdicts = possible(change, relation, evidence)
        const expected = verdicts.length === 1 ? verdicts[0] : "undecided"
        assert.strictEqual(Compatibility.verdict(change, relation, evidence), expected)
      }
    }
  })

  it("takes a missing piece of evidence as an unknown one", () => {
    for (const { change, relation } of cases) {
      for (const known of combinations(() => [true, undefined])) {
        const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
        const unknown = Object.fromEntries(Object.entries(known).map(([name, value]) => [name, value ?? "unknown"]))
        assert.strictEqual(
          Compatibility.verdict(change, relation, given),
          Compatibility.verdict(change, relation, unknown)
        )
      }
    }
  })

  it("joins the verdicts on several clauses: a conflict first, then those that are undecided", () => {
    const judged = (
      clause: string,
      verdict: Compatibility.CompatibilityVerdict,
      assumes: Compatibility.Assumption = "name"
    ) => ({
      clause,
      verdict,
      assumes
    })
    const fine = judged("a", "compatible")
    assert.deepStrictEqual(Compatibility.join([]), { _tag: "Compatible" })
    assert.deepStrictEqual(Compatibility.join([fine]), { _tag: "Compatible" })
    const open = [judged("b", "undecided"), judged("c", "undecided", "silent"), judged("d", "undecided", "condition")]
    assert.deepStrictEqual(Compatibility.join([fine, ...open]), {
      _tag: "Undecided",
      clauses: ["b", "c", "d"],
      assumed: ["b", "d"]
    })
    const conflicts = [judged("e", "conflict"), judged("f", "conflict", "none")]
    assert.deepStrictEqual(Compatibility.join([fine, ...open, ...conflicts]), {
      _tag: "Conflict",
      clauses: ["e", "f"]
    })
  })
})
