import { assert, describe, it } from "@effect/vitest"
import * as Digest from "../src/bytes/Digest.ts"
import * as Node from "../src/table/Node.ts"

describe("Node", () => {
  const digest = Digest.ofBytes("text")

  it("answers text that has the digest asked for", () => {
    assert.strictEqual(
      Node.read((asked) => (asked === digest ? "text" : undefined), digest),
      "text"
    )
  })

  it("names the node that is missing", () => {
    assert.throws(() => Node.read(() => undefined, digest), Node.NodeMissing, digest)
  })

  it("names both digests when the text is another", () => {
    assert.throws(() => Node.read(() => "texts", digest), Node.NodeCorrupt, digest)
    assert.throws(() => Node.read(() => "texts", digest), Node.NodeCorrupt, Digest.ofBytes("texts"))
  })
})
