import { readdirSync, readFileSync } from "node:fs"
import { misfit } from "@backstitch/kernel/Payload"
import * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as PayloadSchema from "../src/PayloadSchema.ts"

type Schema = { readonly [keyword: string]: unknown }

const file = new URL("../../docs/payloads.schema.json", import.meta.url)
const root = JSON.parse(readFileSync(file, "utf8")) as { readonly $defs: { readonly [name: string]: Schema } } & Schema

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kinds: { readonly [type: string]: (value: unknown) => boolean } = {
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value) && Number(value) >= 0,
  null: (value) => value === null,
  number: (value) => typeof value === "number",
  object: isObject,
  string: (value) => typeof value === "string"
}

/** As much of JSON Schema as the document uses. */
const fits = (schema: Schema, value: unknown): boolean => {
  const { $ref, additionalProperties, anyOf, items, oneOf, properties, required, type } = schema
  if (typeof $ref === "string") return fits(root.$defs[$ref.slice("#/$defs/".length)]!, value)
  if (Array.isArray(anyOf)) return anyOf.some((member) => fits(member, value))
  if (Array.isArray(oneOf)) return oneOf.filter((member) => fits(member, value)).length === 1
  if ("const" in schema) return schema["const"] === value
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value)
  if (typeof type === "string" && kinds[type]?.(value) !== true) return false
  if (Array.isArray(value)) return value.every((item) => fits((items ?? {}) as Schema, item))
  if (!isObject(value)) return true
  const named = (properties ?? {}) as { readonly [name: string]: Schema }
  return (
    ((required ?? []) as ReadonlyArray<string>).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, each]) => {
      if (Object.hasOwn(named, name)) return fits(named[name]!, each)
      return additionalProperties !== false && fits((additionalProperties ?? {}) as Schema, each)
    })
  )
}

const histories = new URL("../../packages/runtime/test/histories/", import.meta.url)
const bodies = readdirSync(histories)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => {
    const exported = Result.getOrThrow(Export.decode(readFileSync(new URL(name, histories), "utf8")))
    return exported.transitions.map((sealed) => Transition.open(sealed).body)
  })

describe("the schema of payloads", () => {
  it("is the one that is drawn from what the kernel checks", () => {
    assert.deepStrictEqual(root, PayloadSchema.document() as typeof root, "write docs/payloads.schema.json again")
  })

  it("takes every body of the golden traces", () => {
    assert.isAbove(bodies.length, 50)
    for (const body of bodies) assert.isTrue(fits(root, body), JSON.stringify(body))
  })

  it("refuses nothing that the kernel takes: a field more, a field less, and a form that is another", () => {
    let refused = 0
    for (const body of bodies) {
      const { data = {} } = body
      const changed = [
        { ...data, nobody_declares_this: 1 },
        ...Object.keys(data).map((name) => Object.fromEntries(Object.entries(data).filter(([each]) => each !== name))),
        ...Object.keys(data).map((name) => ({ ...data, [name]: [[]] }))
      ]
      for (const payload of changed) {
        if (fits(root, { ...body, data: payload })) continue
        refused++
        assert.isDefined(misfit({ ...body, data: payload }), JSON.stringify([body.type, payload]))
      }
    }
    assert.isAbove(refused, 100)
  })
})
