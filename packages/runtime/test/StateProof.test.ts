import * as Digest from "@backstitch/trace/Digest"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as FieldPath from "@backstitch/version-control/FieldPath"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as StateProof from "../../runtime/src/proof/StateProof.ts"
import { exported, places, state } from "./proving.ts"

const proofOf = (
  field: string,
  more: { readonly at?: number; readonly ticks?: number; readonly fork?: boolean } = {}
) =>
  StateProof.make({
    exported: exported(more.ticks ?? 9, more),
    at: more.at ?? 6,
    state,
    path: Result.getOrThrow(FieldPath.parse(field)),
    to: more.ticks ?? 9
  })
const made = (...given: Parameters<typeof proofOf>) => Result.getOrThrow(proofOf(...given))
const reasonOf = (proof: unknown): string => {
  const checked = StateProof.check(
    typeof proof === "string" ? proof : StateProof.encode(proof as StateProof.StateProof)
  )
  return Result.isFailure(checked)
    ? checked.failure.reason
    : assert.fail(`it holds: ${JSON.stringify(checked.success)}`)
}

describe("StateProof", () => {
  it.each(places)("proves what stands at %s, or that nothing does", (field) => {
    const proof = made(field)
    const expected = FieldPath.valueAt(state, Result.getOrThrow(FieldPath.parse(field)))
    const proven = Result.getOrThrow(StateProof.check(StateProof.encode(proof)))
    const isOdd = /\/(?:01|x)$/.test(field) && field.startsWith("/working/many")
    assert.deepStrictEqual(proven.value, isOdd ? undefined : expected)
    assert.deepInclude(proven, { run: "trip-42", at: 6, field, head: { tick: 9, link: proof.head.link } })
  })

  it.each(places)("is refused with another value at %s, or with any of its texts changed", (field) => {
    const proof = made(field)
    const { value, ...rest } = proof
    assert.isString(reasonOf(value === undefined ? { ...rest, value: null } : rest))
    assert.isString(reasonOf({ ...rest, value: { any: "thing" } }))
    for (const digest of Object.keys(proof.texts)) {
      assert.include(reasonOf({ ...proof, texts: { ...proof.texts, [digest]: `${proof.texts[digest]} ` } }), digest)
      const { [digest]: _, ...others } = proof.texts
      assert.include(reasonOf({ ...proof, texts: others }), digest)
    }
  })

  it("holds every digest that it names to the head", () => {
    const proof = made("/world/seats/7A", { fork: true })
    const other = Digest.ofBytes("other")
    const { chain, fields, head, sections } = proof
    const changed = [
      ...chain.flatMap((digests, tick) =>
        digests.map((_, part) => ({ ...proof, chain: chain.with(tick, digests.with(part, other) as never) }))
      ),
      ...Object.keys(sections).map((name) => ({ ...proof, sections: { ...sections, [name]: other } })),
      ...Object.keys(fields).map((name) => ({ ...proof, fields: { ...fields, [name]: `value:${other}` } })),
      ...Object.keys(fields).map((name) => ({ ...proof, fields: { ...fields, [`${name}2`]: `value:${other}` } })),
      { ...proof, head: { ...head, link: other } },
      { ...proof, head: { ...head, story: other } },
      { ...proof, head: { ...head, tick: 8 } },
      { ...proof, at: 4 + 1 },
      { ...proof, at: 0 },
      { ...proof, at: 10 },
      { ...proof, chain: chain.slice(0, -1) },
      { ...proof, run: { ...proof.run, id: "trip-43" } },
      { ...proof, run: { ...proof.run, tenant: "other" } },
      { ...proof, lineage: [{ id: "trip-2", tick: 3 }] },
      { ...proof, lineage: [{ id: "trip-1", tick: 2 }] },
      { ...proof, field: "/world/seats/8A" },
      { ...proof, field: "/working/seats/7A" },
      { ...proof, field: "seats" },
      { ...proof, version: 2 }
    ]
    for (const each of changed) assert.isString(reasonOf(each), JSON.stringify(each).slice(0, 400))
    assert.deepInclude(Result.getOrThrow(StateProof.check(StateProof.encode(proof))), { at: 6 })
  })

  it("hides no field behind a digest that is two lines", () => {
    const proof = made("/world/spent")
    const { spent = "", seats = "", ...fields } = proof.fields
    const folded = { ...fields, seats: `${seats}\n"spent" ${spent}` }
    assert.isString(reasonOf({ ...proof, value: undefined, fields: folded }))
  })

  it("refuses a text that is no proof at all", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`
    for (const text of ["", "null", "[]", "{}", deep, JSON.stringify({ ...made("/world/spent"), texts: { a: 1 } })]) {
      assert.isString(reasonOf(text))
    }
  })

  it("names the tick whose state is written, if the requested one is within a commit", () => {
    const refused = Result.getOrThrow(Result.flip(proofOf("/world/spent", { at: 5 })))
    assert.deepInclude(refused, { _tag: "StateUnwritten", tick: 5, next: 6 })
    assert.notProperty(Result.getOrThrow(Result.flip(proofOf("/world/spent", { at: 9 }))), "next")
  })

  it("shows nothing of the unproven fields but digests, and the names of the neighbours of the field", () => {
    const text = StateProof.encode(made("/world/seats/7A"))
    assert.include(text, "7A")
    for (const hidden of ["590.10", "8A", "clock", "a/b~c", "only"]) assert.notInclude(text, hidden)
  })

  it("checks its head against the log of a checkpoint, whoever signed that", () => {
    const { head, run } = exported(9)
    const entries = [
      { head: head.link, run: run.id, tenant: run.tenant, tick: 9 },
      { head: Digest.zero, run: "b", tenant: run.tenant, tick: 1 }
    ]
    const leaves = entries.map((entry) => TreeHead.leaf(TreeHead.entry(entry)))
    const bare = { origin: "o", head: { size: 2, root: TreeHead.root(leaves) }, extensions: [], signatures: [] }
    const signer = Result.getOrThrow(SignedNote.signer("o", SignedNote.toKey(new Uint8Array(32))))
    const signatures = [SignedNote.sign(signer, Result.getOrThrow(TreeCheckpoint.format(bare)))]
    const checkpoint = Result.getOrThrow(TreeCheckpoint.format({ ...bare, signatures }))
    const log = { checkpoint, index: 0, proof: TreeHead.inclusionProof(leaves, 0) }
    const proof = { ...made("/world/spent"), log }
    const proven = Result.getOrThrow(StateProof.check(StateProof.encode(proof)))
    assert.deepStrictEqual(proven.checkpoint?.signatures, signatures)
    for (const wrong of [
      { index: 1 },
      { index: 2 },
      { proof: [] },
      { checkpoint: checkpoint.replace("\n2\n", "\n1\n") }
    ]) {
      assert.isString(reasonOf({ ...proof, log: { ...log, ...wrong } }))
    }
  })
})
