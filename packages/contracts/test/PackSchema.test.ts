import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import { parse } from "yaml"
import { PackSchema, TaskPack, Yaml } from "../src/index.ts"
import { claims, travel, whole } from "./packs.ts"

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
const validate = ajv.compile(PackSchema.schema)

const definitionOf = (text: string) => TaskPack.toJson(Result.getOrThrow(Yaml.fromYaml(text, { file: "p.yaml" })))

interface Shape {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<Shape>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
  readonly items?: Shape
}

const definitions = PackSchema.schema["$defs"] as Readonly<Record<string, Shape>>

type Mapping = Readonly<Record<string, unknown>>

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Collects the keys of each shape that a value uses. */
const collect = (shape: Shape, value: unknown, name: string, used: Set<string>): void => {
  const target = shape.$ref?.replace("#/$defs/", "")
  if (target !== undefined) collect(definitions[target]!, value, target, used)
  for (const option of shape.anyOf ?? []) collect(option, value, name, used)
  if (Array.isArray(value)) for (const item of value) collect(shape.items ?? {}, item, name, used)
  if (!isMapping(value)) return
  const { additionalProperties: others, properties = {} } = shape
  if (typeof others === "object") for (const item of Object.values(value)) collect(others, item, name, used)
  if (Object.keys(value).some((key) => !Object.hasOwn(properties, key))) return
  for (const [key, inner] of Object.entries(value)) {
    used.add(`${name}.${key}`)
    collect(properties[key]!, inner, `${name}.${key}`, used)
  }
}

type Path = ReadonlyArray<string | number>

const mappings = (value: unknown, path: Path = []): ReadonlyArray<Path> => [
  ...(isMapping(value) ? [path] : []),
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) =>
        mappings(inner, [...path, Array.isArray(value) ? Number(key) : key])
      )
    : [])
]

const adding = (value: unknown, [first, ...rest]: Path): unknown => {
  if (first === undefined) return { ...(value as Mapping), misspelt: "x" }
  const copy = Array.isArray(value) ? [...value] : { ...(value as Mapping) }
  const at = copy as Record<string | number, unknown>
  at[first] = adding(at[first], rest)
  return copy
}

describe("PackSchema", () => {
  it.each([
    ["a trip", travel],
    ["a claims desk", claims],
    ["a pack with every key", whole]
  ])("accepts %s, as the reader does", (_, text) => {
    assert.isTrue(validate(definitionOf(text)), JSON.stringify(validate.errors))
  })

  it("describes no key that the reader refuses", () => {
    const used = new Set<string>()
    for (const text of [travel, claims, whole]) collect(PackSchema.schema, definitionOf(text), "pack", used)
    const described = Object.entries(definitions).flatMap(([name, { properties = {} }]) =>
      Object.keys(properties).map((key) => `${name}.${key}`)
    )
    // Of those that are made of a list of names, one stands for all.
    const unused = described.filter((key) => !used.has(key) && !/^(?:scope|waives)\./.test(key))
    assert.deepStrictEqual(unused, [])
  })

  it("refuses a misspelt key in each mapping in which the reader does", () => {
    const definition: unknown = parse(whole)
    const refused = mappings(definition).flatMap((path) => {
      const misspelt = adding(definition, path)
      const read = TaskPack.fromJson(misspelt as Parameters<typeof TaskPack.fromJson>[0])
      const isRefused = Result.isFailure(read) && read.failure.issues.some(({ found }) => found === "the key misspelt")
      return isRefused ? [[path.join("."), validate(misspelt)] as const] : []
    })
    assert.isAbove(refused.length, 50)
    assert.deepStrictEqual(
      refused.filter(([, isAccepted]) => isAccepted),
      []
    )
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
