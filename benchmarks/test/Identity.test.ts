import { assert, describe, it } from "@effect/vitest"
import * as Identity from "../identity/Identity.ts"

const treated = (means: Identity.Pair["means"], treatment: Identity.Treatment) =>
  Identity.pairs
    .filter((pair) => pair.means === means && Identity.treatmentOf(pair) === treatment)
    .map(({ one, other, rule }) => `${rule}: ${JSON.stringify(one)}, ${JSON.stringify(other)}`)

describe("the published list of pairs", () => {
  it("has no pair that means two acts and is answered as one (L6)", () => {
    assert.deepStrictEqual(treated("different", "adopted"), [])
  })

  it("sends a second time an act that no rule recognises: other words, numbers without a country (L6)", () => {
    const kinds = new Set(
      Identity.pairs
        .filter((pair) => pair.means === "same" && Identity.treatmentOf(pair) === "sent")
        .map(({ kind, rule }) => `${rule}, ${kind}`)
    )
    assert.deepStrictEqual([...kinds], ["phone, forms", "name, other words", "code, other words"])
  })

  it("adopts the same text in two encodings, and every difference of case and white space outside codes (L6)", () => {
    const plain = new Set(["encoding", "full width", "white space", "case", "typographic signs", "field order"])
    const refused = Identity.pairs.filter(
      (pair) =>
        pair.means === "same" &&
        plain.has(pair.kind) &&
        !(pair.rule === "code" && pair.kind === "white space") &&
        Identity.treatmentOf(pair) !== "adopted"
    )
    assert.deepStrictEqual(refused, [])
  })

  it("measures every rule, with pairs that mean the same and pairs that do not", () => {
    for (const means of ["same", "different"] as const) {
      const rules = new Set(Identity.pairs.filter((pair) => pair.means === means).map(({ rule }) => rule))
      assert.strictEqual(rules.size, 14, means)
    }
  })
})
