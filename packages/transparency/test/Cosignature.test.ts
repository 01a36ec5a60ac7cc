import { createPrivateKey, sign } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Cosignature from "../src/Cosignature.ts"
import * as SignedNote from "../src/SignedNote.ts"
import type * as TreeCheckpoint from "../src/TreeCheckpoint.ts"
import { body, checkpoint, witnesses } from "./cosigned.ts"

const pem = SignedNote.toKey(new Uint8Array(32).fill(7))
const ours = Result.getOrThrow(Cosignature.signer("example.net/witness", pem))

const found = (
  by: string,
  text: string,
  signatures: ReadonlyArray<TreeCheckpoint.Signature>
): Cosignature.SignatureStatus => Result.getOrThrow(Cosignature.check(by, text, signatures))

/** A cosignature with one bit of its bytes, after the id, turned. */
const turned = (signature: TreeCheckpoint.Signature, bit: number): TreeCheckpoint.Signature => {
  const bytes = Buffer.from(signature.value, "base64")
  const at = 4 + (bit >> 3)
  bytes[at] = bytes[at]! ^ (1 << (bit & 7))
  return { ...signature, value: bytes.toString("base64") }
}

describe("Cosignature", () => {
  it("knows the cosignatures that public witnesses wrote under a public log", () => {
    for (const witness of Object.values(witnesses)) {
      assert.deepStrictEqual(found(witness, body, checkpoint.signatures), { _tag: "Cosigned", seconds: 1_779_573_024 })
    }
  })

  it("knows them under no other body", () => {
    for (const witness of Object.values(witnesses)) {
      assert.deepStrictEqual(found(witness, body.replace("1432088532", "1432088533"), checkpoint.signatures), {
        _tag: "Wrong"
      })
    }
  })

  it("has a key of a type of its own, whose id is not that of the same key for notes", () => {
    const log = Result.getOrThrow(SignedNote.signer(ours.name, pem))
    assert.notStrictEqual(log.verifier.split("+")[1], ours.verifier.split("+")[1])
    const plain = SignedNote.sign(log, body)
    const timed = Cosignature.sign(ours, body, 1)
    assert.deepStrictEqual(found(ours.verifier, body, [plain]), { _tag: "Absent" })
    assert.deepStrictEqual(SignedNote.check(log.verifier, body, [timed]), Result.succeed("Absent"))
    assert.isTrue(Result.isFailure(Cosignature.check(log.verifier, body, [])))
    assert.isTrue(Result.isFailure(SignedNote.check(ours.verifier, body, [])))
  })

  it("signs the same bytes as another implementation of Ed25519: the time, then the body", () => {
    const signed = sign(null, Buffer.from(`cosignature/v1\ntime 1679315147\n${body}`), createPrivateKey(pem))
    const bytes = Buffer.from(Cosignature.sign(ours, body, 1_679_315_147).value, "base64")
    assert.deepStrictEqual(bytes.subarray(12), signed)
    assert.strictEqual(bytes.readBigUInt64BE(4), 1_679_315_147n)
  })

  it.prop("is found at its time, and wrong with any bit turned", [Schema.Natural, Schema.Natural], ([time, any]) => {
    const signature = Cosignature.sign(ours, body, time)
    const forged = turned(signature, any % (72 * 8))
    const isFound = found(ours.verifier, body, [signature])
    return (
      isFound._tag === "Cosigned" &&
      isFound.seconds === time &&
      found(ours.verifier, body, [forged])._tag === "Wrong" &&
      found(ours.verifier, body, [signature, forged])._tag === "Wrong"
    )
  })

  it("names the latest time of several, and refuses one that is beyond all times", () => {
    const at = (seconds: number) => Cosignature.sign(ours, body, seconds)
    assert.deepStrictEqual(found(ours.verifier, body, [at(7), at(9), at(8)]), { _tag: "Cosigned", seconds: 9 })
    const time = 2n ** 63n
    const key = createPrivateKey(pem)
    const signed = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${body}`), key)
    const bytes = Buffer.alloc(12)
    Buffer.from(at(1).value, "base64").copy(bytes, 0, 0, 4)
    bytes.writeBigUInt64BE(time, 4)
    const value = Buffer.concat([bytes, signed]).toString("base64")
    assert.deepStrictEqual(found(ours.verifier, body, [{ name: ours.name, value }]), { _tag: "Wrong" })
  })

  it("lets lines of other keys be, though they have the name", () => {
    const others = checkpoint.signatures.map(({ value }) => ({ name: ours.name, value }))
    assert.deepStrictEqual(found(ours.verifier, body, others), { _tag: "Absent" })
  })
})
