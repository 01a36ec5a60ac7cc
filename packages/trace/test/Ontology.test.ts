import { assert, describe, it } from "@effect/vitest"
import * as Canonical from "../src/bytes/Canonical.ts"
import * as Digest from "../src/bytes/Digest.ts"
import * as Ontology from "../src/transition/Ontology.ts"

const names = Object.keys(Ontology.types) as ReadonlyArray<Ontology.Type>
const authors = ["agent", "kernel", "user", "institution"] as const

describe("Ontology", () => {
  it("begins every name with a segment that is kept for it, so that none is ever an embedder's", () => {
    for (const name of names) {
      assert.isTrue(Ontology.isReserved(Ontology.segmentOf(name)), name)
      assert.isFalse(Ontology.isForeign(name), name)
    }
    for (const name of ["acme.shipped", "acme.parcel.shipped", "constructor.made"]) {
      assert.isTrue(Ontology.isForeign(name), name)
    }
    for (const name of ["run.merged", "backstitch.anything", "acme", "acme.", ".acme", "Acme.shipped", "acme.a b"]) {
      assert.isFalse(Ontology.isForeign(name), name)
    }
    assert.deepStrictEqual([...Ontology.segments].sort(), [...Ontology.segments])
  })

  it("is locked: names, authors and kinds of version 1 are these for ever", () => {
    const fixed = names.map((name) => {
      const { authors, kind, since } = Ontology.types[name]
      return { authors: [...authors], kind, name, since }
    })
    assert.deepStrictEqual([Ontology.first, Ontology.version], [1, 3])
    assert.strictEqual(
      Digest.ofBytes(Canonical.encode(fixed)),
      "264cd51a4b4e359e7d184401d4d997f94e106cba9b9d223fa28842924ff2f33d",
      "a stored trace depends on this list: add a version instead of changing one"
    )
  })

  it("keeps every name of Dendrer's V0", () => {
    const seed = [
      "action.request",
      "action.result",
      "anomaly.flag",
      "bisect.result",
      "causal.chain",
      "diff.summary",
      "goal.complete",
      "kernel.anomaly",
      "memory.write",
      "observation.add",
      "plan.update",
      "policy.contract_extension",
      "policy.decision",
      "predicate.violation",
      "run.cherrypick",
      "run.fork"
    ]
    assert.deepStrictEqual(
      names.filter((name) => Ontology.types[name].since === 0),
      seed as Array<Ontology.Type>
    )
  })

  it("knows the version that introduced a payload", () => {
    const later = names.filter((name) => Ontology.introducedIn(name) > Ontology.first)
    assert.deepStrictEqual(
      later.map((name) => [name, Ontology.introducedIn(name)] as const),
      [
        ["checkpoint.commit", 2],
        ["checkpoint.entry", 2],
        ["checkpoint.exit", 2],
        ["failure.observed", 2],
        ["revision.absorbed", 3],
        ["revision.injected", 3]
      ]
    )
  })

  it("lists its names in order", () => {
    assert.deepStrictEqual(names, [...names].sort())
  })

  it("lets a model author agent transitions only (L4)", () => {
    const agents = names.filter((name) => Ontology.mayAuthor("agent", name))
    assert.deepStrictEqual(agents, [
      "action.request",
      "anomaly.flag",
      "artifact.write",
      "goal.complete",
      "memory.write",
      "message.sent",
      "observation.add",
      "plan.update"
    ])
    for (const name of agents) {
      // The kernel, too, asks for calls: those that undo others.
      const authors = name === "action.request" ? ["agent", "kernel"] : ["agent"]
      assert.deepStrictEqual([...Ontology.types[name].authors], authors)
    }
  })

  it("gives a tool's answer and every permission to the kernel, and contracts to the institution (L4)", () => {
    const only = {
      "action.result": "kernel",
      "policy.decision": "kernel",
      "policy.contract_extension": "institution"
    } as const
    for (const [name, author] of Object.entries(only) as ReadonlyArray<[keyof typeof only, Ontology.Author]>) {
      assert.deepStrictEqual(
        authors.filter((candidate) => Ontology.mayAuthor(candidate, name)),
        [author]
      )
    }
  })

  it("knows facts from decisions, and names from other words", () => {
    assert.strictEqual(Ontology.types["action.result"].kind, "fact")
    assert.strictEqual(Ontology.types["action.started"].kind, "decision")
    assert.isTrue(Ontology.isType("run.fork"))
    for (const word of ["run.merge", "toString", "", "RUN.FORK"]) assert.isFalse(Ontology.isType(word))
  })
})
