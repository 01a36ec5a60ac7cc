import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import { PackSchema, TaskPack, Yaml } from "../src/index.ts"
import { claims, travel } from "./packs.ts"

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
const validate = ajv.compile(PackSchema.schema)

const definitionOf = (text: string) => TaskPack.toJson(Result.getOrThrow(Yaml.fromYaml(text, { file: "p.yaml" })))

const shapes = [
  "pack",
  "state",
  "clause",
  "transition",
  "tool",
  "identity",
  "times",
  "status",
  "poll",
  "readback",
  "expectation",
  "scope",
  "scoped",
  "source",
  "webhook",
  "verification",
  "undo",
  "set",
  "add",
  "put",
  "remove",
  "append",
  "operation",
  "guard",
  "violation",
  "approval",
  "budgets",
  "money",
  "cost",
  "topology",
  "skeleton",
  "reducers",
  "test",
  "expect"
] as const

describe("PackSchema", () => {
  it.each([
    ["a trip", travel],
    ["a claims desk", claims]
  ])("accepts %s, as the reader does", (_, text) => {
    assert.isTrue(validate(definitionOf(text)), JSON.stringify(validate.errors))
  })

  it.each(shapes)("describes exactly the keys of %s that the reader accepts", (shape) => {
    const definitions = PackSchema.schema["$defs"] as Readonly<
      Record<string, { readonly properties: object; readonly additionalProperties: boolean }>
    >
    assert.deepStrictEqual(Object.keys(definitions[shape]?.properties ?? {}), PackSchema.keys(shape))
    assert.isFalse(definitions[shape]?.additionalProperties)
  })

  it.each([
    ["an unknown key", { pack: "a.b", version: "1", toplogy: "react" }],
    ["an unknown class", { pack: "a.b", version: "1", tools: { t: { class: "safe" } } }],
    ["an unknown type", { pack: "a.b", version: "1", state: { world: { x: "money" } } }],
    ["a weight that is no number", { pack: "a.b", version: "1", progress: { weights: { completion: "much" } } }],
    ["a bad duration", { pack: "a.b", version: "1", budgets: { elapsed: "soon" } }],
    ["a guard without a condition", { pack: "a.b", version: "1", guards: [{ id: "g", on: "t" }] }]
  ])("refuses %s, as the reader does", (_, definition) => {
    assert.isFalse(validate(definition))
    assert.isTrue(Result.isFailure(TaskPack.fromJson(definition)))
  })

  it("accepts functions by their source", () => {
    const read = TaskPack.make({
      pack: "a.b",
      version: "1",
      violations: [{ id: "v", when: ({ world }) => world.x > 1 }]
    })
    assert.isTrue(validate(TaskPack.toJson(Result.getOrThrow(read))), JSON.stringify(validate.errors))
  })
})
