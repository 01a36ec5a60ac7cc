import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Ontology from "../src/transition/Ontology.ts"
import * as Payload from "../src/transition/Payload.ts"
import * as Vocabulary from "../src/transition/Vocabulary.ts"

const { closed, optional } = Payload

const acme = Vocabulary.make("acme", {
  version: 2,
  types: {
    "acme.returned": { authors: ["agent", "user"], payload: closed({ why: optional(Schema.String) }), since: 2 },
    "acme.shipped": { authors: ["user"], payload: closed({ parcel: Schema.String }) }
  }
})

const declared = (namespace: string, type: string, more: object = {}) => {
  const definition = { authors: ["user"], payload: closed({}), ...more } as const
  return Vocabulary.make<string, Vocabulary.Types>(namespace, { version: 2, types: { [type]: definition } })
}

describe("Vocabulary", () => {
  it("takes no namespace that is kept for the ontology, now or later", () => {
    for (const namespace of Ontology.segments) {
      assert.throws(() => declared(namespace, `${namespace}.shipped`), /is kept for the ontology/, namespace)
    }
  })

  it.each(["", "Acme", "acme.eu", "acme-eu", "_acme", "__proto__", "1acme", "ácme", "acme ", "a".repeat(41)])(
    "takes no namespace that cannot be told in a name: %s",
    (namespace) => {
      assert.throws(() => declared(namespace, `${namespace}.shipped`), /cannot be called so/)
    }
  )

  it.each([
    "shipped",
    "acme",
    "acme.",
    "acme.Shipped",
    "acme.ship ped",
    "acme.__proto__",
    "acme..shipped",
    "other.shipped",
    "action.result",
    `acme.${"s".repeat(80)}`
  ])("takes no type that is outside of its namespace, or that nobody could read: %s", (type) => {
    assert.throws(() => declared("acme", type), /cannot have the type/)
  })

  it("accepts no type of the kernel, of no namespace, or of a later version", () => {
    for (const more of [{ authors: ["kernel"] }, { authors: [] }, { since: 3 }, { since: 0 }]) {
      assert.throws(() => declared("acme", "acme.shipped", more), /cannot have the type/)
    }
  })

  it("takes whole versions from 1", () => {
    for (const version of [0, 1.5, Number.NaN, -1]) {
      assert.throws(() => Vocabulary.make("acme", { version, types: {} }), /needs a version/)
    }
  })

  it("does not take the names of built-in properties of objects for declared ones", () => {
    const odd = declared("constructor", "constructor.prototype")
    assert.isDefined(Vocabulary.find([odd], "constructor.prototype"))
    for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
      assert.isUndefined(Vocabulary.find([acme, odd], name))
      assert.isFalse(Ontology.isForeign(name))
    }
  })

  it("lets two embedders into one kernel under two names only", () => {
    const other = declared("acme", "acme.sold")
    assert.throws(() => Vocabulary.all([acme, other]), /has two vocabularies/)
    assert.deepStrictEqual(Vocabulary.pins(Vocabulary.all([acme, declared("globex", "globex.sold")])), {
      acme: 2,
      globex: 2
    })
  })

  it("checks a payload against the declaration of its type, and accepts any payload without one", () => {
    const told = (type: string, data: Record<string, Payload.PayloadFault["path"] | number>) =>
      Vocabulary.misfit([acme], { type: type as Ontology.Foreign, data })?.path
    assert.isUndefined(told("acme.shipped", { parcel: "P1" }))
    assert.strictEqual(told("acme.shipped", { parcel: 7 }), "data.parcel")
    assert.strictEqual(told("acme.shipped", { parcel: "P1", weight: 2 }), "data.weight")
    assert.isUndefined(told("acme.lost", { parcel: 7 }))
  })

  it("knows the authors of its types, and that the kernel writes no unknown one", () => {
    const of = (type: string) => Vocabulary.authorsOf([acme], type as Ontology.TypeName)
    assert.deepStrictEqual(of("acme.returned"), ["agent", "user"])
    assert.deepStrictEqual(of("globex.sold"), ["agent", "user", "institution"])
    assert.deepStrictEqual(of("action.result"), ["kernel"])
  })

  it("tells undeclared types from declared ones, and from those of the ontology", () => {
    assert.isTrue(Vocabulary.isUnknown([acme], "globex.sold"))
    assert.isFalse(Vocabulary.isUnknown([acme], "acme.shipped"))
    assert.isFalse(Vocabulary.isUnknown([], "action.result"))
    assert.isFalse(Vocabulary.isUnknown([], "action.sold"))
  })
})
