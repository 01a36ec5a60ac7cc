import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import * as Digest from "@backstitch/trace/Digest"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as SignedNote from "../src/SignedNote.ts"
import * as TreeCheckpoint from "../src/TreeCheckpoint.ts"

// The note that implementations of signed notes share.
const verifier = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const value = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
const signature = { name: "PeterNeumann", value }

const isSigned = (by: string, said: string, ...signatures: ReadonlyArray<TreeCheckpoint.Signature>): boolean =>
  Result.getOrThrow(SignedNote.isSignedBy(by, said, signatures))

const signerOf = (name: string, pem: string): SignedNote.Signer => Result.getOrThrow(SignedNote.signer(name, pem))

describe("SignedNote", () => {
  it("knows the signature of the shared vector, and no other", () => {
    assert.isTrue(isSigned(verifier, text, signature))
    assert.isTrue(isSigned(verifier, text, { ...signature, name: "Else" }, signature))
    assert.isTrue(isSigned(verifier, text, { ...signature, value: value.slice(4) }, signature))
    assert.isFalse(isSigned(verifier, text.replace("don't", "do"), signature))
    assert.isFalse(isSigned(verifier, text, { ...signature, name: "Else" }))
    assert.isFalse(isSigned(verifier, text, { ...signature, value: value.slice(0, 40) }))
    assert.isFalse(isSigned(verifier, text, { ...signature, value: `${value.slice(0, 8)}AAAA${value.slice(12)}` }))
    assert.isFalse(isSigned(verifier, text, { ...signature, value: "?" }))
    assert.isFalse(isSigned(verifier, text))
  })

  it("takes a note with a wrong signature of the key for unsigned, at any place in the note", () => {
    const bytes = Buffer.from(value, "base64")
    const changed = (at: number) => bytes.with(at, bytes[at]! ^ 1)
    const wrong = [
      changed(4),
      changed(40),
      changed(67),
      bytes.subarray(0, 67),
      Buffer.concat([bytes, bytes.subarray(0, 1)])
    ]
    for (const each of wrong) {
      const forged = { ...signature, value: Buffer.from(each).toString("base64") }
      assert.isFalse(isSigned(verifier, text, forged), "alone")
      assert.isFalse(isSigned(verifier, text, signature, forged), "after")
      assert.isFalse(isSigned(verifier, text, forged, signature), "before")
      assert.deepStrictEqual(SignedNote.check(verifier, text, [signature, forged]), Result.succeed("Wrong"))
    }
    assert.isTrue(isSigned(verifier, text, signature, signature))
    assert.deepStrictEqual(SignedNote.check(verifier, text, []), Result.succeed("Absent"))
  })

  it("knows the example of the specification", () => {
    const by = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
    const value = "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
    assert.isTrue(isSigned(by, "This is an example message.\n", { name: "example.com/foo", value }))
  })

  it("takes a checkpoint for unsigned that the key of another origin has signed", () => {
    const [own, other] = ["example.org/log", "example.org/other"].map((name) =>
      signerOf(name, SignedNote.toKey(new Uint8Array(32)))
    ) as [SignedNote.Signer, SignedNote.Signer]
    const bare = { origin: own.name, head: { size: 0, root: Digest.zero }, extensions: [], signatures: [] }
    const body = Result.getOrThrow(TreeCheckpoint.format(bare))
    const signatures = [own, other].map((each) => SignedNote.sign(each, body))
    const found = (by: SignedNote.Signer, given = signatures) =>
      Result.getOrThrow(SignedNote.checkLog(by.verifier, { ...bare, signatures: given }))
    assert.deepStrictEqual([found(own), found(other)], ["Signed", "Absent"])
    assert.deepStrictEqual([found(own, signatures.slice(1)), found(other, signatures.slice(1))], ["Absent", "Absent"])
    assert.isTrue(isSigned(other.verifier, body, ...signatures))
  })

  it("refuses a text that names no key", () => {
    for (const wrong of ["", "me", verifier.replace("c74f", "c74e"), verifier.replace("+ARpc", "+Bhpc")]) {
      const { message } = Result.getOrThrow(Result.flip(SignedNote.isSignedBy(wrong, text, [signature])))
      assert.include(message, "names no key")
    }
    // A key of another kind, and one byte more or less than a key has.
    const [name, id, encoded = ""] = [...verifier.split("+", 2), verifier.split("+").slice(2).join("+")]
    const bytes = Buffer.from(encoded, "base64")
    const kinds = [
      Buffer.concat([Buffer.of(9), bytes.subarray(1)]),
      bytes.subarray(0, 32),
      Buffer.concat([bytes, Buffer.of(0)])
    ]
    for (const other of kinds) {
      const refused = SignedNote.verifier(`${name}+${id}+${other.toString("base64")}`)
      assert.deepInclude(Result.getOrThrow(Result.flip(refused)), { reason: "it is no Ed25519 key" })
    }
  })

  it("signs so that its verifier text recognises it", () => {
    const pem = SignedNote.toKey(randomBytes(32))
    const made = signerOf("example.org/log", pem)
    const signed = SignedNote.sign(signerOf("example.org/log", pem), text)
    assert.isTrue(isSigned(made.verifier, text, signed))
    assert.isFalse(isSigned(signerOf("example.org/other", pem).verifier, text, signed))
    assert.isFalse(isSigned(made.verifier, text, signature))
  })

  it("signs the same bytes as another implementation of Ed25519, with the keys of either", () => {
    const theirs = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString()
    for (const pem of [theirs, SignedNote.toKey(randomBytes(32))]) {
      const signer = signerOf("log", pem)
      const bytes = Buffer.from(SignedNote.sign(signer, text).value, "base64")
      assert.deepStrictEqual(bytes.subarray(4), sign(null, Buffer.from(text), createPrivateKey(pem)))
      const { x } = createPublicKey(createPrivateKey(pem)).export({ format: "jwk" })
      assert.strictEqual(
        Buffer.from(signer.verifier.split("+").slice(2).join("+"), "base64").toString("base64url", 1),
        x
      )
    }
  })

  it("reads a key that carries its public key, and one among other text", () => {
    // RFC 8410, section 10.3
    const alone = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC"
    const beside =
      "MFECAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
    const pem = (body: string) => `a key\n-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`
    const { verifier } = signerOf("log", pem(alone))
    assert.strictEqual(signerOf("log", pem(beside)).verifier, verifier)
    assert.include(
      verifier,
      Buffer.from("0119bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1", "hex").toString("base64")
    )
  })

  it("refuses a key that is none, or that signs otherwise", () => {
    const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    const empty = "-----BEGIN PRIVATE KEY----- -----END PRIVATE KEY-----"
    for (const pem of ["", "no key", empty, curve.export({ format: "pem", type: "pkcs8" }).toString()]) {
      const { message } = Result.getOrThrow(Result.flip(SignedNote.signer("example.org/log", pem)))
      assert.include(message, "The key of example.org/log is no private Ed25519 key")
    }
  })
})
