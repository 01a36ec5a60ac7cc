import { assert, describe, it } from "@effect/vitest"
import * as Digest from "../src/bytes/Digest.ts"
import { Coherence, type Flaw } from "../src/chain/Coherence.ts"
import * as HashChain from "../src/chain/HashChain.ts"
import * as Run from "../src/chain/Run.ts"
import type { Draft } from "../src/transition/Transition.ts"

const run = Run.make("trip-42", "acme")
const root = Run.make("trip-1", "acme")

const draft = (body: Partial<Draft["body"]>, stamp: Partial<Draft["stamp"]> = {}): Draft => ({
  body: { author: "kernel", type: "observation.add", ...body },
  stamp: { asOf: 5, state: Digest.zero, ...stamp },
  envelope: { ts: 0 }
})

const began = (data: object = {}): Draft =>
  draft({ data: { format: 1, ontology: 1, tenant: "acme", ...data }, type: "run.started" })

/** Finds the first flaw in a trace of these transitions. */
const flawOf = (drafts: ReadonlyArray<Draft>, lineage: ConstructorParameters<typeof Coherence>[0]["lineage"] = []) => {
  const coherence = new Coherence({ run, lineage, ontology: 1 })
  let head = HashChain.genesis({ ...run, id: lineage[0]?.id ?? run.id })
  for (const each of drafts) {
    const sealed = HashChain.seal(head, each)
    const flaw = coherence.take(head, sealed, each)
    if (flaw !== undefined) return flaw
    head = HashChain.headOf(sealed)
  }
  return coherence.end(head)
}

const of = (flaw: Flaw | undefined) => flaw && [flaw.tick, flaw.found]

describe("Coherence", () => {
  it("accepts times that are equal or later, and names the tick at which one is earlier (L3)", () => {
    assert.isUndefined(flawOf([began(), draft({}), draft({}, { asOf: 6 })]))
    assert.deepStrictEqual(of(flawOf([began(), draft({}, { asOf: 6 }), draft({})])), [3, "time"])
    assert.deepStrictEqual(of(flawOf([draft({}, { asOf: -1 })])), [1, "time"])
    assert.deepStrictEqual(of(flawOf([draft({}, { asOf: "5" as unknown as number })])), [1, "time"])
  })

  it("takes no trace that ends inside a commit, and any that has not begun (L3)", () => {
    const { state: _, ...inside } = draft({}).stamp
    assert.isUndefined(flawOf([]))
    assert.isUndefined(flawOf([{ ...began(), stamp: inside }, draft({})]))
    assert.deepStrictEqual(of(flawOf([began(), { ...draft({}), stamp: inside }])), [2, "cut"])
  })

  it("accepts an erasure of a value with an earlier commitment, and of no other (L3)", () => {
    const erased = (values: unknown, more: object = {}) =>
      draft({ data: { values: values as ReadonlyArray<string>, ...more }, type: "sealed.erased" })
    const sealed = draft({ data: { at: [{ passport: { $sealed: Digest.zero } }] } })
    assert.isUndefined(flawOf([began(), sealed, erased([Digest.zero]), erased([Digest.zero])]))
    assert.isUndefined(flawOf([began(), erased([])]))
    for (const drafts of [
      [began(), erased([Digest.zero]), sealed],
      [began(), erased([Digest.zero], { by: { $sealed: Digest.zero } })],
      [began(), erased(Digest.zero)],
      [began(), erased([{ $sealed: Digest.zero }])]
    ]) {
      assert.deepStrictEqual(of(flawOf(drafts)), [2, "erased"])
    }
  })

  it("holds a beginning and a fork against the run that the trace is told to be (L15)", () => {
    for (const data of [{ tenant: "evil" }, { format: 2 }, { ontology: 0 }, { namespaces: { kernel: 1 } }]) {
      assert.deepStrictEqual(of(flawOf([began(data)])), [1, "run"])
    }
    assert.deepStrictEqual(of(flawOf([began(), began()])), [2, "run"])
    const lineage = [{ id: root.id, tick: 1 }]
    const { link } = HashChain.seal(HashChain.genesis(root), began())
    const left = (data: object = {}) =>
      draft({ data: { at: 1, child: run.id, link, parent: root.id, ...data }, type: "run.fork" })
    assert.isUndefined(flawOf([began(), left()], lineage))
    assert.deepStrictEqual(of(flawOf([began(), left({ child: "else" })], lineage)), [2, "fork"])
    assert.deepStrictEqual(of(flawOf([began(), left({ link: Digest.zero })], lineage)), [2, "run"])
    assert.deepStrictEqual(of(flawOf([began(), left(), left()], lineage)), [3, "run"])
    assert.deepStrictEqual(of(flawOf([began()], lineage)), [1, "fork"])
  })
})
