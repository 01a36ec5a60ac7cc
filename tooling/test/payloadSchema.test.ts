import { readdirSync, readFileSync } from "node:fs"
import { malformed } from "@backstitch/kernel/Payload"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import * as Transition from "@backstitch/trace/Transition"
import * as TransitionCheck from "@backstitch/trace/TransitionCheck"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as PayloadSchema from "../src/PayloadSchema.ts"
import * as instances from "./schemaInstances.ts"

const file = new URL("../../docs/payloads.schema.json", import.meta.url)
const root = JSON.parse(readFileSync(file, "utf8")) as instances.Document

/** The verdict of a reader that has the document, by a validator that is not ours. */
const reads = (document: instances.Document): ((body: Canonical.Json) => boolean) =>
  new Ajv2020({ strict: true, strictRequired: false, strictTypes: false }).compile(document) as (
    body: Canonical.Json
  ) => boolean

const fits = reads(root)

const { link, story } = HashChain.genesis(Run.make("r"))
const ends = { link, story }
const rest = { stamp: Canonical.encode({ asOf: 0 }), envelope: Canonical.encode({ ts: 0 }) }

/** The verdict of an import. */
const admits = (body: Canonical.Json): boolean => {
  const sealed = { ...rest, ...ends, body: Canonical.encode(body), tick: 1 }
  return Result.isSuccess(
    Result.try({
      try: () => TransitionCheck.openUntrusted(sealed, { malformed }),
      catch: (cause) => {
        if (cause instanceof TransitionCheck.TransitionInvalid) return cause
        throw cause
      }
    })
  )
}

const histories = new URL("../../packages/runtime/test/histories/", import.meta.url)
const bodies = readdirSync(histories)
  .filter((name) => name.endsWith(".jsonl"))
  .flatMap((name) => {
    const exported = Result.getOrThrow(Export.decode(readFileSync(new URL(name, histories), "utf8")))
    return exported.transitions.map((sealed) => Transition.open(sealed).body as Canonical.JsonObject)
  })

/** The form of a value that was seen to be null. */
const nullWord = "/seen/properties/type"

const isEmpty = (value: Canonical.Json): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0

const written = Object.keys(Ontology.types).filter((type) => Object.hasOwn(root.$defs, type))

const draw = instances.drawing(20_261_123)

/** Bodies of every type that is written, made by the document alone. */
const made = written.flatMap((type) => Array.from({ length: 16 }, () => instances.ofType(root, type, draw)))

/** The first of each set of fields, with some of the variants that differ from it in one place, or with all. */
const changed = (some: ReadonlyArray<Canonical.JsonObject>, most = Infinity): ReadonlyArray<Canonical.Json> => {
  const first = new Map(some.map((body) => [instances.outline(body), body]))
  return [...first.values()].flatMap((body) => {
    const mutants = instances.mutants(body)
    return [
      body,
      ...(mutants.length <= most ? mutants : Array.from({ length: most }, () => mutants[draw(mutants.length)]!))
    ]
  })
}

/** A body with the verdict of an import. */
interface Judged {
  readonly body: Canonical.Json
  readonly isAdmitted: boolean
}

const judged = (some: ReadonlyArray<Canonical.Json>): ReadonlyArray<Judged> =>
  some.map((body) => ({ body, isAdmitted: admits(body) }))

let golden: ReadonlyArray<Judged> | undefined

/** Bodies of golden traces and all that differ from them in one place: an import judges them once for all tests. */
const goldenJudged = (): ReadonlyArray<Judged> => {
  golden ??= judged(changed(bodies))
  return golden
}

const disagreements = (
  verdict: (body: Canonical.Json) => boolean,
  some: ReadonlyArray<Judged>
): ReadonlyArray<string> =>
  some.flatMap(({ body, isAdmitted }) => {
    const taken = verdict(body)
    return taken === isAdmitted ? [] : [`${taken ? "taken" : "refused"} by the document: ${JSON.stringify(body)}`]
  })

/** The places of a document with a schema for which a test holds. */
const placesOf = (
  node: Canonical.Json,
  holds: (node: Canonical.JsonObject) => boolean,
  at = ""
): ReadonlyArray<string> =>
  typeof node !== "object" || node === null
    ? []
    : [
        ...(Canonical.isObject(node) && holds(node) ? [at] : []),
        ...Object.entries(node).flatMap(([name, each]) => placesOf(each ?? null, holds, `${at}/${name}`))
      ]

describe("the schema of payloads", () => {
  it("has no null in the place of an absent field", () => {
    assert.deepStrictEqual(
      placesOf(root.$defs as Canonical.JsonObject, ({ const: word, enum: words, type }) =>
        [type, word, ...(Array.isArray(words) ? words : [])].some((each) => each === null || each === "null")
      ).filter((place) => place !== nullWord),
      []
    )
  })

  it("writes no list and no table that may be absent without anything in it", () => {
    const empty = bodies.flatMap((body) => {
      const type = String(body["type"])
      const definition = Canonical.objectOf(root.$defs[type] as Canonical.Json)
      const [properties, required] = [
        Canonical.objectOf(definition["properties"] ?? null),
        definition["required"] ?? []
      ]
      return Object.entries(Canonical.objectOf(body["data"] ?? null)).flatMap(([name, value]) => {
        const isOptional = Array.isArray(required) && !required.includes(name)
        // That a message reports no action at all is something that its author says.
        const isOurs = properties[name] !== undefined && body["author"] === "kernel"
        return isOptional && isOurs && isEmpty(value ?? null) ? [`${type}.${name}`] : []
      })
    })
    assert.deepStrictEqual(empty, [])
  })

  it("is the schema that is generated from the kernel's checks", () => {
    assert.deepStrictEqual(
      root as unknown,
      PayloadSchema.document() as unknown,
      "write docs/payloads.schema.json again"
    )
  })

  it("takes every body of the golden traces", () => {
    assert.isAbove(bodies.length, 50)
    for (const body of bodies) assert.isTrue(fits(body), JSON.stringify(body))
  })

  it("agrees with an import about generated bodies, and about each that differs in one place", () => {
    const types = new Set(made.filter(fits).map(({ type }) => type))
    assert.deepStrictEqual([...types].sort(), [...written].sort())
    const all = changed(made, 24)
    const taken = all.filter(fits).length
    assert.isAbove(taken, 1000)
    assert.isAbove(all.length - taken, 1000)
    assert.deepStrictEqual(disagreements(fits, judged(all)).slice(0, 5), [])
  })

  it("agrees with an import about bodies of golden traces, and about each that differs in one place", () => {
    assert.deepStrictEqual(disagreements(fits, goldenJudged()).slice(0, 5), [])
  })

  it("agrees with an import about types of embedders", () => {
    const names = [
      "acme.shipped",
      "acme.a.b",
      "acme",
      "Acme.shipped",
      "acme.",
      "action.shipped",
      "run.x",
      "runs.x",
      "a.1"
    ]
    const long = [`${"a".repeat(40)}.b`, `${"a".repeat(41)}.b`, `a.${"b".repeat(78)}`, `a.${"b".repeat(79)}`]
    const all = [...names, ...long].flatMap((type) =>
      [...Ontology.Author.literals, "nobody"].flatMap((author) => [
        { author, type },
        { author, data: { any: [1] }, type },
        { author, data: 1, type },
        { author, more: 1, type }
      ])
    )
    assert.isAbove(all.filter(fits).length, 10)
    assert.deepStrictEqual(disagreements(fits, judged(all)), [])
  })

  it.each([
    [
      "a word that is missing",
      (document: instances.Document) => instances.without(document, "side_effect", "read_only")
    ],
    ["a field that is not needed any more", (document: instances.Document) => instances.lenient(document, "action")],
    ["a form that takes fields of any name", (document: instances.Document) => instances.opened(document, "plan")]
  ])("is found to differ by %s", (_, change) => {
    const other = reads(change(root))
    assert.isTrue(goldenJudged().some(({ body, isAdmitted }) => other(body) !== isAdmitted))
  })
})
