import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as TreeHead from "../src/TreeHead.ts"

const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

// The vectors that implementations of certificate transparency share.
const vectors = [
  ["", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"],
  ["00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
  ["10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"],
  ["2021", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"],
  ["3031", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"],
  ["40414243", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"],
  ["5051525354555657", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"],
  ["606162636465666768696a6b6c6d6e6f", "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"]
] as const

const known = vectors.map(([entry]) => TreeHead.leaf(bytes(entry)))
const leaves = Array.from({ length: 33 }, (_, index) => TreeHead.leaf(`entry ${index}`))
const headOf = (size: number): TreeHead.TreeHead => ({ size, root: TreeHead.root(leaves.slice(0, size)) })
const other = Digest.ofBytes("other")
const noDigests = ["", "x", other.toUpperCase(), `${other}0`, other.slice(1)].map((text) => text as Digest.Digest)

describe("TreeHead", () => {
  it("answers the known roots of zero to eight entries", () => {
    assert.strictEqual<string>(TreeHead.root([]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let tree = TreeHead.empty
    assert.deepStrictEqual(TreeHead.head(tree), { size: 0, root: TreeHead.root([]) })
    for (const [index, [, root]] of vectors.entries()) {
      tree = TreeHead.append(tree, known[index]!)
      assert.strictEqual<string>(TreeHead.root(known.slice(0, index + 1)), root)
      assert.deepStrictEqual(TreeHead.head(tree), { size: index + 1, root: TreeHead.root(known.slice(0, index + 1)) })
    }
  })

  it("gives the known proofs", () => {
    assert.sameOrderedMembers<string>(
      [...TreeHead.inclusionProof(known, 0)],
      [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
      ]
    )
    assert.deepStrictEqual(TreeHead.consistencyProof(known, 1), TreeHead.inclusionProof(known, 0))
    assert.sameOrderedMembers<string>(
      [...TreeHead.consistencyProof(known, 6)],
      [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
      ]
    )
  })

  it("grows to the same head as a tree computed from nothing, in logarithmic space", () => {
    let tree = TreeHead.empty
    for (const [index, leaf] of leaves.entries()) {
      tree = TreeHead.append(tree, leaf)
      assert.deepStrictEqual(TreeHead.head(tree), headOf(index + 1))
      assert.strictEqual(tree.roots.length, (index + 1).toString(2).replaceAll("0", "").length)
    }
  })

  it("proves every entry of every size up to 33, and nothing else", () => {
    for (let size = 1; size <= 33; size++) {
      const head = headOf(size)
      for (let index = 0; index < size; index++) {
        const proof = TreeHead.inclusionProof(leaves.slice(0, size), index)
        const claim = { leaf: leaves[index]!, index, head, proof }
        assert.isTrue(TreeHead.verifyInclusion(claim))
        const tampered = [
          { ...claim, leaf: other },
          { ...claim, index: index + 1 },
          { ...claim, index: index - 1 },
          { ...claim, head: { size, root: other } },
          { ...claim, proof: [...proof, other] },
          ...proof.map((_, at) => ({ ...claim, proof: proof.with(at, other) })),
          ...proof.map((_, at) => ({ ...claim, proof: proof.toSpliced(at, 1) }))
        ]
        for (const each of tampered) assert.isFalse(TreeHead.verifyInclusion(each), JSON.stringify(each))
      }
    }
  })

  it("proves that every size up to 33 grew from every smaller one, and nothing else", () => {
    for (let size = 1; size <= 33; size++) {
      for (let old = 0; old <= size; old++) {
        const proof = TreeHead.consistencyProof(leaves.slice(0, size), old)
        const claim = { before: headOf(old), after: headOf(size), proof }
        assert.isTrue(TreeHead.verifyConsistency(claim))
        const tampered = [
          { ...claim, before: { size: old, root: other } },
          { ...claim, proof: [...proof, other] },
          ...(old === 0 ? [] : [{ ...claim, after: { size, root: other } }]),
          ...noDigests.flatMap((root) => [
            { ...claim, after: { size, root } },
            { ...claim, before: { size: old, root } },
            { ...claim, before: { size, root }, after: { size, root }, proof: [] }
          ]),
          ...proof.map((_, at) => ({ ...claim, proof: proof.with(at, other) })),
          ...proof.map((_, at) => ({ ...claim, proof: proof.toSpliced(at, 1) }))
        ]
        for (const each of tampered) assert.isFalse(TreeHead.verifyConsistency(each), JSON.stringify(each))
      }
    }
  })

  it("lets a log begin in one way: without entries, with the root of nothing", () => {
    const none = headOf(0)
    assert.isTrue(TreeHead.verifyConsistency({ before: none, after: none, proof: [] }))
    assert.isTrue(TreeHead.verifyConsistency({ before: none, after: { size: 3, root: other }, proof: [] }))
    for (const proof of [[other], [none.root]]) {
      assert.isFalse(TreeHead.verifyConsistency({ before: none, after: headOf(3), proof }))
    }
    const made = { size: 0, root: other }
    assert.isFalse(TreeHead.verifyConsistency({ before: made, after: headOf(3), proof: [] }))
    assert.isFalse(TreeHead.verifyConsistency({ before: made, after: made, proof: [] }))
  })

  it("detects a log that rewrote an entry before it grew", () => {
    const rewritten = leaves.with(3, other)
    for (let old = 4; old < 33; old++) {
      assert.isFalse(
        TreeHead.verifyConsistency({
          before: headOf(old),
          after: { size: 33, root: TreeHead.root(rewritten) },
          proof: TreeHead.consistencyProof(rewritten, old)
        })
      )
    }
  })

  it("refuses proofs and sizes that are not well formed", () => {
    const proof = TreeHead.inclusionProof(leaves, 4)
    const claim = { leaf: leaves[4]!, index: 4, head: headOf(33), proof }
    const shouted = proof.map((hash) => hash.toUpperCase() as Digest.Digest)
    assert.isFalse(TreeHead.verifyInclusion({ ...claim, proof: shouted }))
    assert.isFalse(TreeHead.verifyInclusion({ ...claim, index: 4.5 }))
    assert.isFalse(TreeHead.verifyInclusion({ ...claim, index: -29 }))
    const grown = { before: headOf(5), after: headOf(33), proof: TreeHead.consistencyProof(leaves, 5) }
    assert.isFalse(TreeHead.verifyConsistency({ ...grown, proof: ["x" as Digest.Digest] }))
    assert.isFalse(TreeHead.verifyConsistency({ ...grown, before: headOf(33), after: headOf(5) }))
    assert.throws(() => TreeHead.inclusionProof(leaves, 33), RangeError)
    assert.throws(() => TreeHead.consistencyProof(leaves, 34), RangeError)
  })

  it("hashes the head of a run as canonical JSON, apart from inner nodes", () => {
    const entry = TreeHead.entry({ tick: 7, tenant: "acme", run: "run-1", head: other })
    assert.strictEqual(entry, `{"head":"${other}","run":"run-1","tenant":"acme","tick":7}`)
    assert.strictEqual(TreeHead.leaf(entry), Digest.ofBytes(`\0${entry}`))
    assert.strictEqual(TreeHead.leaf(entry), TreeHead.leaf(new TextEncoder().encode(entry)))
    const pair = bytes(`${leaves[0]}${leaves[1]}`)
    assert.notStrictEqual(TreeHead.leaf(pair), TreeHead.root(leaves.slice(0, 2)))
  })
})
