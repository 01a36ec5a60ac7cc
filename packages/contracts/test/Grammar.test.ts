import { assert, describe, it } from "@effect/vitest"
import { DefinitionReader, Node } from "../src/grammar/definitionReader.ts"
import * as Grammar from "../src/grammar/Grammar.ts"
import * as language from "../src/grammar/language.ts"

const read = <W, R>(grammar: Grammar.Grammar<W, R>, value: unknown, names = {}) => {
  const reader = new DefinitionReader("a file", () => ({ line: 0, column: 0 }))
  const found = grammar.read(new Node(reader, value, []), names)
  return { found, errors: reader.errors.map(({ expected, found, path }) => `${path}: ${found}, ${expected}`) }
}

const wait = Grammar.object("wait", "A wait.", {
  first: Grammar.key("The first one.", Grammar.needed(language.duration, "the first wait")),
  max: Grammar.key("The longest one.", language.duration),
  by: Grammar.key("Who waits.", Grammar.textOrTexts)
})

describe("Grammar", () => {
  it("gives the schema, the keys and the reading of an object from one definition", () => {
    assert.deepStrictEqual(wait.schema, { $ref: "#/$defs/wait" })
    assert.deepStrictEqual(wait.keys, ["first", "max", "by"])
    const [definition, ...others] = Grammar.definitionsOf(wait)
    assert.deepStrictEqual(definition?.schema(), {
      type: "object",
      description: "A wait.",
      properties: {
        first: { $ref: "#/$defs/duration", description: "The first one." },
        max: { $ref: "#/$defs/duration", description: "The longest one." },
        by: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }], description: "Who waits." }
      },
      additionalProperties: false,
      required: ["first"]
    })
    assert.deepStrictEqual(
      others.map(({ name }) => name),
      ["duration"]
    )
    const written: Grammar.WrittenOf<typeof wait> = { first: "1s", by: "Ann" }
    assert.deepStrictEqual(read(wait, written).found, { firstMillis: 1000, by: ["Ann"] })
  })

  it("reads on after a mistake, and leaves out the parts that could not be read", () => {
    assert.deepStrictEqual(read(wait, { max: 3, by: "Ann", mx: "1s" }), {
      found: { by: ["Ann"] },
      errors: [
        "mx: the key mx, one of first, max, by",
        "first: nothing, the first wait",
        "max: number 3, a duration such as 500ms, 10s or 1h30m"
      ]
    })
    assert.deepStrictEqual(read(wait, "soon"), {
      found: undefined,
      errors: [': string "soon", a mapping with the keys first, max, by']
    })
  })

  it("reads expressions with the names that are in scope", () => {
    const sum = Grammar.record(language.boolExpression)
    assert.deepStrictEqual(read(sum, { a: "x > 1" }, { x: "any" }).errors, [])
    assert.lengthOf(read(sum, { a: "y > 1", b: "'text'" }, { x: "any" }).errors, 2)
  })

  it("lists a definition that refers to itself once", () => {
    const names = Grammar.definitionsOf(Grammar.list(language.template)).map(({ name }) => name)
    assert.deepStrictEqual(names, ["template", "expression"])
  })
})
