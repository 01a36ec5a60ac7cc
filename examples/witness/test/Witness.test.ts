import * as Digest from "@backstitch/trace/Digest"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as WitnessRequest from "@backstitch/transparency/WitnessRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Witness } from "../Witness.ts"

const log = Result.getOrThrow(SignedNote.signer("example.org/log", SignedNote.toKey(new Uint8Array(32).fill(1))))
const signer = Result.getOrThrow(Cosignature.signer("example.net/w", SignedNote.toKey(new Uint8Array(32).fill(2))))
const leaves = ["a", "b", "c", "d", "e"].map(TreeHead.leaf)
const forked = ["a", "b", "C", "d", "e"].map(TreeHead.leaf)

const witness = () => {
  const files: Array<Readonly<Record<string, string>>> = [{}]
  const kept = {
    read: () => files.at(-1)!,
    write: (checkpoints: Readonly<Record<string, string>>) => void files.push(checkpoints)
  }
  return { files, ...new Witness({ signer, logs: [log.verifier], kept }) }
}

const bodyOf = (all: ReadonlyArray<Digest.Digest>, size: number, origin = log.name) => {
  const head = { size, root: TreeHead.root(all.slice(0, size)) }
  const checkpoint = { origin, head, extensions: [], signatures: [] }
  return { checkpoint, body: Result.getOrThrow(TreeCheckpoint.format(checkpoint)) }
}

const request = (
  all: ReadonlyArray<Digest.Digest>,
  old: number,
  size: number,
  by: SignedNote.Signer = log,
  origin = log.name
): string => {
  const { body, checkpoint } = bodyOf(all, size, origin)
  const proof = old > size ? [] : TreeHead.consistencyProof(all.slice(0, size), old)
  const signatures = [SignedNote.sign(by, body)]
  return Result.getOrThrow(WitnessRequest.format({ old, proof, checkpoint: { ...checkpoint, signatures } }))
}

describe("Witness", () => {
  it("cosigns a log as it begins and as it grows, and stores its cosignature before it answers", () => {
    const { add, files, latest } = witness()
    for (const [old, size] of [
      [0, 2],
      [2, 3],
      [3, 3],
      [3, 5]
    ] as const) {
      const { body, status } = add(request(leaves, old, size), 1000 + size)
      assert.strictEqual(status, 200)
      const answer = Result.getOrThrow(WitnessRequest.parseAnswer(body))
      const found = Cosignature.check(signer.verifier, bodyOf(leaves, size).body, answer)
      assert.deepStrictEqual(found, Result.succeed({ _tag: "Cosigned", seconds: 1000 + size }))
      assert.include(files.at(-1)?.[log.name], body)
    }
    const shown = latest(Digest.ofBytes(log.name))
    const { head, signatures } = Result.getOrThrow(TreeCheckpoint.parse(shown.body))
    assert.deepStrictEqual([head.size, signatures.map(({ name }) => name)], [5, [log.name, signer.name]])
    assert.strictEqual(latest(Digest.ofBytes("other")).status, 404)
  })

  it("cosigns no second history, in whatever order it is shown (L3)", () => {
    const { add, files } = witness()
    add(request(leaves, 0, 3), 1)
    for (const [old, size, status] of [
      [3, 5, 422],
      [3, 3, 422],
      [2, 5, 409],
      [0, 5, 409],
      [3, 2, 400]
    ] as const) {
      const answer = add(request(forked, old, size), 2)
      assert.strictEqual(answer.status, status, `${old} to ${size}`)
      assert.notInclude(answer.body, signer.name)
    }
    assert.deepInclude(add(request(leaves, 2, 5), 2), { body: "3\n", type: "text/x.tlog.size" })
    assert.strictEqual(files.length, 2)
  })

  it("cosigns for no log that it does not know, and nothing that the log did not sign", () => {
    const { add, files } = witness()
    const other = Result.getOrThrow(SignedNote.signer(log.name, SignedNote.toKey(new Uint8Array(32).fill(3))))
    const [head = "", line = ""] = request(leaves, 0, 2).split("\n\n—")
    const wrong = `${head}\n\n—${line.replace(/.{8}\n$/, "AAAAAAA=\n")}`
    const statuses = [
      request(leaves, 0, 2, log, "example.org/else"),
      request(leaves, 0, 2, other),
      wrong,
      `${head}\n`,
      "old 0\n",
      request(leaves, 0, 2).replace("\nexample", "\n\nexample")
    ].map((each) => add(each, 1).status)
    assert.deepStrictEqual(statuses, [404, 403, 403, 403, 400, 400])
    assert.strictEqual(files.length, 1)
  })
})
