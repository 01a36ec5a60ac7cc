import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Export from "@backstitch/trace/Export"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

const root = join(import.meta.dirname, "../../..")

/** Fields whose values are those of providers, agents and contracts. */
const foreign = new Set(["actual", "fields", "output", "params", "record", "shown", "with", "within"])

/** No tick and no duration of a trace is as large: moments since September 2001 are. */
const momentMin = 1_000_000_000_000

type Named = readonly [name: string, value: number]

const numbersOf = (name: string, value: unknown): ReadonlyArray<Named> => {
  if (typeof value === "number") return [[name, value]]
  if (Array.isArray(value)) return value.flatMap((each) => numbersOf(name, each))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([field, each]) => (foreign.has(field) ? [] : numbersOf(field, each)))
}

/** Numbers in what the kernel has committed, with their names, in every trace of the repository. */
const named = globSync("{packages,examples}/*/{test/histories,recorded}/*.jsonl", { cwd: root }).flatMap((file) => {
  const read = Export.decode(readFileSync(join(root, file), "utf8"))
  return Result.isFailure(read)
    ? []
    : read.success.transitions
        .map((sealed) => Transition.open(sealed).body)
        .flatMap(({ author, data }) => (author === "kernel" ? numbersOf("data", data) : []))
})

/** Moments whose names do not say so, and what else has the name of a moment. */
const misnamed = (all: ReadonlyArray<Named>): ReadonlyArray<Named> =>
  all.filter(([name, value]) => name.endsWith("At") !== value >= momentMin)

interface Schema {
  readonly anyOf?: ReadonlyArray<Schema>
  readonly $ref?: string
  readonly type?: string
}

const fieldsOf = (schema: unknown): ReadonlyArray<readonly [string, Schema]> => {
  if (typeof schema !== "object" || schema === null) return []
  const { properties = {} } = schema as { readonly properties?: { readonly [name: string]: Schema } }
  return [...Object.entries(properties), ...Object.values(schema).flatMap(fieldsOf)]
}

describe("Moments", () => {
  it("are what names that end in At say, and no other names do", () => {
    assert.isAbove(named.length, 100)
    assert.deepStrictEqual(misnamed(named), [])
    const [moment, tick] = [1_790_000_000_000, 7]
    const fits: ReadonlyArray<Named> = [
      ["at", tick],
      ["startedAt", moment]
    ]
    const wrong: ReadonlyArray<Named> = [
      ["at", moment],
      ["startedAt", tick]
    ]
    assert.deepStrictEqual(misnamed([...fits, ...wrong]), wrong)
  })

  it("and durations have one form in every schema, and no name has another unit", () => {
    const fields = fieldsOf(JSON.parse(readFileSync(join(root, "docs/payloads.schema.json"), "utf8")))
    const timed = fields.filter(([name]) => /(At|Millis)$/.test(name))
    assert.isAbove(timed.length, 5)
    for (const [name, schema] of timed) {
      assert.strictEqual(schema.$ref ?? schema.type, name.endsWith("At") ? "#/$defs/moment" : "integer", name)
    }
    for (const [name] of fields) assert.notMatch(name, /(Ms|Seconds|Minutes|Hours|Days|Date|Timestamp|Until)$|^until$/)
  })
})
