import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as PythonText from "../src/text/PythonText.ts"

describe("PythonText", () => {
  it("dumps as json.dumps does, with spaces and ASCII only", () => {
    assert.strictEqual(PythonText.dumps({ b: [1, 2.5, null, true], a: {} }), '{"b": [1, 2.5, null, true], "a": {}}')
    assert.strictEqual(PythonText.dumps("Zoë — \u{1f6eb}"), '"Zo\\u00eb \\u2014 \\ud83d\\udeeb"')
    assert.strictEqual(PythonText.dumps('\u007f\n"\\'), '"\u007f\\n\\"\\\\"')
    assert.strictEqual(PythonText.dumps([]), "[]")
  })

  it.prop(
    "dumps text that reads back as the same value",
    [Schema.Json],
    ([value]) => {
      assert.deepStrictEqual(JSON.parse(PythonText.dumps(value)), JSON.parse(JSON.stringify(value)))
    },
    { arbitrary: { runs: 300 } }
  )

  it("prints tuples of no, one and several items", () => {
    assert.strictEqual(PythonText.repr([]), "()")
    assert.strictEqual(PythonText.repr([null]), "(None,)")
    assert.strictEqual(PythonText.repr([true, false]), "(True, False)")
    assert.strictEqual(PythonText.repr({}), "()")
    assert.strictEqual(PythonText.repr({ b: 1, a: "x" }), "(('a', 'x'), ('b', 1))")
    assert.strictEqual(PythonText.repr({ a: { b: ["c"] } }), "(('a', (('b', ('c',)),)),)")
  })

  it("prints strings with the quotes and escapes that Python chooses", () => {
    assert.strictEqual(PythonText.repr("it's"), '"it\'s"')
    assert.strictEqual(PythonText.repr('"it\'s"'), "'\"it\\'s\"'")
    assert.strictEqual(PythonText.repr("\\ \n\r\t\u0000\u007f\u00a0é"), "'\\\\ \\n\\r\\t\\x00\\x7f\\xa0é'")
    assert.strictEqual(PythonText.repr("\u2028\u{e0001}"), "'\\u2028\\U000e0001'")
  })

  it("prints numbers as Python does", () => {
    assert.deepStrictEqual(
      [0, -0, -7, 1e21, 0.5, 0.0001, 0.00001, 1.5e-7].map((value) => PythonText.repr(value)),
      ["0", "0", "-7", "1000000000000000000000", "0.5", "0.0001", "1e-05", "1.5e-07"]
    )
  })

  it("sorts keys by code point, not by UTF-16 unit", () => {
    assert.strictEqual(PythonText.repr({ "\u{1f600}": 1, "\uffee": 2 }), "(('\uffee', 2), ('\u{1f600}', 1))")
    assert.strictEqual(
      PythonText.pairs([
        ["b", "2"],
        ["ab", "1"],
        ["a", "0"]
      ]),
      "(('a', 0), ('ab', 1), ('b', 2))"
    )
  })
})
