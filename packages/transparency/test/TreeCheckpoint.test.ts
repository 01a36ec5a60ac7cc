import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as TreeCheckpoint from "../src/TreeCheckpoint.ts"
import * as TreeHead from "../src/TreeHead.ts"

const tree = ["a", "b", "c"].map(TreeHead.leaf).reduce(TreeHead.append, TreeHead.empty)

const unsigned: TreeCheckpoint.TreeCheckpoint = {
  origin: "traces.example.org/tenant-1",
  head: TreeHead.head(tree),
  extensions: [],
  signatures: []
}

const signed: TreeCheckpoint.TreeCheckpoint = {
  ...unsigned,
  extensions: ["a line of ours"],
  signatures: [
    { name: "traces.example.org/tenant-1", value: "AAAAAQECAwQ=" },
    { name: "witness.example.net", value: "AAAAAgUGBwg=" }
  ]
}

const body = Result.getOrThrow(TreeCheckpoint.format(unsigned))

describe("TreeCheckpoint", () => {
  it("writes the origin, the size and the root, one a line", () => {
    const root = Buffer.from(unsigned.head.root, "hex").toString("base64")
    assert.strictEqual(Result.getOrThrow(TreeCheckpoint.format(unsigned)), `traces.example.org/tenant-1\n3\n${root}\n`)
  })

  it("writes extensions below the root, and signatures below a blank line", () => {
    const text = Result.getOrThrow(TreeCheckpoint.format(signed))
    assert.deepStrictEqual(text.split("\n").slice(3), [
      "a line of ours",
      "",
      "— traces.example.org/tenant-1 AAAAAQECAwQ=",
      "— witness.example.net AAAAAgUGBwg=",
      ""
    ])
  })

  it("reads back what it writes", () => {
    const empty = { ...unsigned, head: TreeHead.head(TreeHead.empty) }
    for (const checkpoint of [unsigned, signed, empty, { ...signed, extensions: [] }]) {
      const text = Result.getOrThrow(TreeCheckpoint.format(checkpoint))
      assert.deepStrictEqual(Result.getOrThrow(TreeCheckpoint.parse(text)), checkpoint)
    }
  })

  it.each([
    ["no line break at the end", body.slice(0, -1), 3],
    ["no origin", body.slice(body.indexOf("\n")), 1],
    ["a size with a leading zero", body.replace("\n3\n", "\n03\n"), 2],
    ["a size that no number holds", body.replace("\n3\n", "\n9007199254740993\n"), 2],
    ["a negative size", body.replace("\n3\n", "\n-3\n"), 2],
    ["a root of 31 bytes", body.replace(/\n[^\n]+\n$/, `\n${Buffer.alloc(31).toString("base64")}\n`), 3],
    ["a root of 33 bytes", body.replace(/\n[^\n]+\n$/, `\n${Buffer.alloc(33).toString("base64")}\n`), 3],
    ["a root in hex", body.replace(/\n[^\n]+\n$/, `\n${unsigned.head.root}\n`), 3],
    ["a root with stray bits", body.replace(/.=\n$/, "B=\n"), 3],
    ["no root", "traces.example.org/tenant-1\n3\n", 3],
    ["a carriage return", body.replaceAll("\n", "\r\n"), 1],
    ["a blank line without signatures", `${body}\n`, 5],
    ["a signature with a hyphen for its dash", `${body}\n- name AAAAAQECAwQ=\n`, 5],
    ["a signature without a name", `${body}\n— AAAAAQECAwQ=\n`, 5],
    ["a signature by a name with a plus", `${body}\n— a+b AAAAAQECAwQ=\n`, 5],
    ["a signature that is too short for its key id", `${body}\n— name AAAAAQ==\n`, 5],
    ["a blank line between signatures", `${body}\n— a AAAAAQECAwQ=\n\n— b AAAAAQECAwQ=\n`, 6],
    ["nothing", "", 1]
  ])("refuses %s, naming the line", (_, text, line) => {
    const error = Result.getOrThrow(Result.flip(TreeCheckpoint.parse(text)))
    assert.strictEqual(error.line, line, error.message)
    assert.include(error.message, `Line ${line} `)
  })

  it("refuses to write fields that would read back as others", () => {
    const invalid = [
      { ...unsigned, origin: "" },
      { ...unsigned, origin: "a\n4" },
      { ...unsigned, head: { ...unsigned.head, size: 0.5 } },
      { ...unsigned, extensions: [""] },
      { ...unsigned, extensions: ["a\n\n— name AAAAAQECAwQ="] },
      { ...signed, signatures: [{ name: "two words", value: "AAAAAQECAwQ=" }] }
    ]
    for (const checkpoint of invalid) {
      assert.isTrue(Result.isFailure(TreeCheckpoint.format(checkpoint)), JSON.stringify(checkpoint))
    }
  })
})
