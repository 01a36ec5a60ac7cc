import { assert, describe, it } from "@effect/vitest"
import { Export, Limits, Ontology, Run, Vocabulary } from "../src/index.ts"

/** Limits that decide, by the version of the format that has them. A record is never edited. */
const recorded: Readonly<Record<number, typeof Limits.deciding>> = {
  1: { levelsMax: 500 }
}

const ofLength = (length: number): string => "a".repeat(length)

describe("Limits", () => {
  it("decide by the numbers that are recorded for the version of the format", () => {
    const advice =
      "the limits that decide are not those that are recorded for the format: raise its version, and record the " +
      "limits of that version here (docs/LIMITS.md)"
    assert.deepStrictEqual(Limits.deciding, recorded[Export.version], advice)
  })

  it("bound the names of runs, tenants, types and namespaces", () => {
    const { namespaceCharactersMax, runNameCharactersMax, tenantNameCharactersMax, typeNameCharactersMax } =
      Limits.refusing
    Run.make(ofLength(runNameCharactersMax), ofLength(tenantNameCharactersMax))
    assert.throws(() => Run.make(ofLength(runNameCharactersMax + 1)), `up to ${runNameCharactersMax} letters`)
    const tenant = ofLength(tenantNameCharactersMax + 1)
    assert.throws(() => Run.make("a", tenant), `up to ${tenantNameCharactersMax} letters`)

    const type = (length: number) => `acme.${ofLength(length - "acme.".length)}`
    assert.isTrue(Ontology.isForeign(type(typeNameCharactersMax)))
    assert.isFalse(Ontology.isForeign(type(typeNameCharactersMax + 1)))

    const namespace = ofLength(namespaceCharactersMax)
    assert.isTrue(Ontology.isForeign(`${namespace}.shipped`))
    assert.isFalse(Ontology.isForeign(`a${namespace}.shipped`))
    assert.strictEqual(Vocabulary.make(namespace, { version: 1, types: {} }).namespace, namespace)
    assert.throws(() => Vocabulary.make(`a${namespace}`, { version: 1, types: {} }))
  })
})
