import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Digest from "../src/bytes/Digest.ts"
import * as Noble from "../src/bytes/sha256Noble.ts"
import * as Native from "../src/bytes/sha256Node.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))

describe("Digest", () => {
  // FIPS 180-4 example values.
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ]
  ])("answers the published SHA-256 of %j", (text, digest) => {
    assert.strictEqual(Digest.ofBytes(text), digest)
    assert.strictEqual(Native.sha256(text), digest)
    assert.strictEqual(Noble.sha256(text), digest)
  })

  it.prop(
    "answers the same from node:crypto and from noble",
    [Schema.String, Bytes],
    ([text, bytes]) => {
      assert.strictEqual(Native.sha256(text), Noble.sha256(text))
      assert.strictEqual(Native.sha256(Uint8Array.from(bytes)), Noble.sha256(Uint8Array.from(bytes)))
      assert.strictEqual(Digest.ofBytes(text), Digest.ofBytes(new TextEncoder().encode(text)))
    },
    { arbitrary: { runs: 300 } }
  )

  it("hashes the domain as the first line of the hashed text", () => {
    assert.strictEqual(Digest.ofText("backstitch.link.1", "x"), Digest.ofBytes("backstitch.link.1\nx"))
    assert.strictEqual(
      Digest.ofJson("backstitch.leaf.1", { b: 1, a: 2 }),
      Digest.ofText("backstitch.leaf.1", `{"a":2,"b":1}`)
    )
    assert.notStrictEqual(Digest.ofText("backstitch.link.1", "x"), Digest.ofText("backstitch.story.1", "x"))
  })

  it("accepts 64 lower-case hex digits as a digest, and nothing else", () => {
    const digest = Digest.ofBytes("")
    const isSchema = Schema.is(Digest.Digest)
    for (const value of [digest, Digest.zero]) assert.isTrue(Digest.isDigest(value) && isSchema(value))
    for (const value of [digest.toUpperCase(), digest.slice(1), `${digest}0`, `${digest}\n`, "", 1, null]) {
      assert.isFalse(Digest.isDigest(value) || isSchema(value), String(value))
    }
  })
})
