import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Limits from "../src/Limits.ts"
import * as SignedNote from "../src/SignedNote.ts"
import * as TreeCheckpoint from "../src/TreeCheckpoint.ts"
import * as TreeHead from "../src/TreeHead.ts"
import * as WitnessRequest from "../src/WitnessRequest.ts"
import { checkpoint, text } from "./cosigned.ts"

// An exchange by which a public implementation of a witness is tested: a log of three hashes, cosigned at size one.
const origin = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562"
const key = "ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f"
const first = `old 0

${origin}
1
KgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

— ${origin} UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=
`
const second = `old 1
KgEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
KgIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

${origin}
3
RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0=

— ${origin} UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=
`
const read = (request: string): WitnessRequest.WitnessRequest => Result.getOrThrow(WitnessRequest.parse(request))

describe("WitnessRequest", () => {
  it("reads the requests of another implementation, whose proofs and signatures hold", () => {
    const { checkpoint: before, ...begin } = read(first)
    const { checkpoint: after, ...grown } = read(second)
    assert.deepStrictEqual([begin, grown.old, grown.proof.length], [{ old: 0, proof: [] }, 1, 2])
    const nothing = TreeHead.head(TreeHead.empty)
    assert.isTrue(TreeHead.verifyConsistency({ before: nothing, after: before.head, proof: begin.proof }))
    assert.isTrue(TreeHead.verifyConsistency({ before: before.head, after: after.head, proof: grown.proof }))
    const wrong = grown.proof.toReversed()
    assert.isFalse(TreeHead.verifyConsistency({ before: before.head, after: after.head, proof: wrong }))
    const verifier = `${origin}+5202289b+${Buffer.from(`01${key}`, "hex").toString("base64")}`
    for (const { head, signatures } of [before, after]) {
      const body = Result.getOrThrow(TreeCheckpoint.format({ origin, head, extensions: [], signatures: [] }))
      assert.isTrue(Result.getOrThrow(SignedNote.isSignedBy(verifier, body, signatures)))
    }
  })

  it("writes requests that it can read", () => {
    for (const request of [first, second, `old 0\n\n${text}`]) {
      assert.strictEqual(Result.getOrThrow(WitnessRequest.format(read(request))), request)
    }
    const answer = WitnessRequest.formatAnswer(checkpoint.signatures)
    assert.deepStrictEqual(WitnessRequest.parseAnswer(answer), Result.succeed(checkpoint.signatures))
    assert.deepStrictEqual(WitnessRequest.parseSize("20852014\n"), Result.succeed(20_852_014))
  })

  const hashes = `${"A".repeat(43)}=\n`.repeat(Limits.refusing.proofHashesMax - 1)

  it.each([
    ["no size", first.replace("old 0", "old"), 1],
    ["a size with a leading zero", first.replace("old 0", "old 00"), 1],
    ["a size beyond all", first.replace("old 0", "old 9007199254740993"), 1],
    ["another word", first.replace("old 0", "size 0"), 1],
    ["a hash of another length", second.replace("AAAAA=\n", "AAAA==\n"), 2],
    ["a proof that is too long", second.replace("old 1\n", `old 1\n${hashes}`), Limits.refusing.proofHashesMax + 2],
    ["no empty line", second.slice(0, second.indexOf("\n\n") + 1).trimEnd(), 3],
    ["no checkpoint", "old 0\n\n", 3],
    ["a checkpoint of another form", first.replace("\n1\n", "\n01\n"), 4],
    ["a request that is cut off", first.trimEnd(), 7]
  ])("refuses %s, naming the line", (_, request, line) => {
    const error = Result.getOrThrow(Result.flip(WitnessRequest.parse(request)))
    assert.strictEqual(error.line, line, error.message)
  })

  it("refuses an answer that is none", () => {
    const [line = ""] = WitnessRequest.formatAnswer(checkpoint.signatures).split("\n")
    for (const answer of ["", "\n", line, `${line}\n\n`, `${line}\nok\n`, "no\n"]) {
      assert.isTrue(Result.isFailure(WitnessRequest.parseAnswer(answer)), JSON.stringify(answer))
    }
    for (const size of ["", "7", "07\n", "7\n7\n", "-7\n", "9007199254740993\n"]) {
      assert.isTrue(Result.isFailure(WitnessRequest.parseSize(size)), JSON.stringify(size))
    }
  })
})
