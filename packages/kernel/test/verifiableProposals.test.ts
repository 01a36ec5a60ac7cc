/** Any proposal is refused, or is committed and verifies: as a reader of the file holds it, byte for byte. */
import type { JsonObject } from "@backstitch/trace/Canonical"
import { Coherence } from "@backstitch/trace/Coherence"
import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import * as TransitionCheck from "@backstitch/trace/TransitionCheck"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Payload from "../src/payload/Payload.ts"
import { Bench, bookOf } from "./lab.ts"

const types = Object.keys(Ontology.types).filter(Ontology.isType)
const [first, second] = [Digest.ofBytes("1"), Digest.ofBytes("2")]

/** Values of payloads: each is right somewhere, and wrong elsewhere. */
const values = [
  "a2",
  "run",
  "approved",
  7,
  true,
  null,
  [first],
  [first, second],
  { $sealed: first },
  ["a2"],
  {}
] as const

const Tried = Schema.Struct({
  type: Schema.Literals(types),
  author: Schema.Literals(["agent", "institution", "user"]),
  fields: Schema.Array(Schema.Literals(values.map((_, index) => index))),
  isErasing: Schema.Boolean,
  isBooking: Schema.Boolean
})

/** A payload with the fields of its type and one that it does not name, from a few values. */
const dataOf = ({ fields, type }: typeof Tried.Type): JsonObject =>
  Object.fromEntries(
    [...Payload.namesOf(type), "text"].flatMap((name, index) => {
      const at = fields[index % Math.max(fields.length, 1)]
      return at === undefined ? [] : [[name, values[at]!]]
    })
  )

/** The tick at which a reader of the trace stops, if it does. */
const brokenAt = ({ run, sealed }: Bench): number | undefined => {
  const coherence = new Coherence({ run, lineage: [], ontology: Ontology.first })
  let head = HashChain.genesis(run)
  for (const each of sealed) {
    const transition = TransitionCheck.openUntrusted(each, { malformed: Payload.malformed })
    if (coherence.take(head, each, transition) !== undefined) return each.tick
    head = HashChain.headOf(each)
  }
  return coherence.end(head)?.tick
}

const attempts = (bench: Bench, tried: ReadonlyArray<typeof Tried.Type>): void => {
  for (const each of tried) {
    const { author, isBooking, isErasing, type } = each
    const erasure = {
      by: "Ada",
      reach: "run",
      reason: "asked",
      values: [[first], [second], []][each.fields.length % 3]!
    }
    if (isErasing) bench.proposes({ type: "sealed.erased", author: "user", data: erasure })
    else if (isBooking) bench.proposes(bookOf("LX1"))
    else bench.proposes({ type, author, data: dataOf(each) })
  }
}

describe("A proposal", () => {
  it.prop(
    "is refused, or verifies once it is committed (L3)",
    [Schema.Array(Tried)],
    ([tried]) => {
      const bench = new Bench()
      attempts(bench, tried)
      assert.isUndefined(brokenAt(bench))
    },
    { arbitrary: { runs: 400 } }
  )

  it("verifies for every type by everybody, erasures among them", () => {
    const committed = new Set<string>()
    for (const type of types) {
      for (const author of ["agent", "institution", "user"] as const) {
        for (const at of [...values.keys(), undefined]) {
          const bench = new Bench()
          bench.proposes({ type: "observation.add", data: { passport: { $sealed: first } } })
          const fields = at === undefined ? [] : [at]
          attempts(bench, [{ type, author, fields, isBooking: false, isErasing: type === "sealed.erased" }])
          assert.isUndefined(brokenAt(bench), `${type} by the ${author}`)
          for (const { body } of bench.transitions) if (body.author !== "kernel") committed.add(body.type)
        }
      }
    }
    assert.includeMembers([...committed], ["observation.add", "plan.update", "message.received", "sealed.erased"])
  })

  it("is detected by the reader if the kernel lets an erasure pass that names a value which never existed", () => {
    const bench = new Bench()
    const data = { by: "Ada", reach: "run", reason: "asked", values: [first] }
    const { asOf } = bench.at
    bench.commits([{ body: { author: "user", data, type: "sealed.erased" }, stamp: { asOf }, envelope: { ts: asOf } }])
    assert.strictEqual(brokenAt(bench), 2)
  })
})
