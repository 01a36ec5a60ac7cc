import * as Ontology from "@backstitch/trace/Ontology"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Payload from "../src/payload/Payload.ts"

const body = (type: Ontology.Type, data: Body["data"]): Body => ({
  author: Ontology.types[type].authors[0],
  ...(data === undefined ? {} : { data }),
  type
})

const check = "checks.0.why"
const refusal = { id: "cheap", step: "guard", why: { args: { condition: "args.price > 100" }, code: "guard.refuses" } }
const more = { ...refusal, why: { ...refusal.why, args: { ...refusal.why.args, name: 7 } } }

describe("Payload", () => {
  it("has a schema for every type of the ontology, and for no other", () => {
    assert.deepStrictEqual(Object.keys(Payload.payloads).sort(), Object.keys(Ontology.types).sort())
  })

  it.each<[Ontology.Type, Body["data"]]>([
    ["action.asked", undefined],
    ["action.started", { undo: { class: "R", by: "unbook", with: { id: "LX1" } } }],
    ["action.reconciled", { unchecked: ["actor"], undo: { class: "X" }, unbelieved: true }],
    ["intent.refused", { checks: [{ id: "cheap", step: "guard" }, refusal], proposed: "action.request" }],
    ["observation.add", { anything: [1, null, { deep: true }], cites: "a1" }],
    ["predicate.violation", { at: 3, predicate: "over" }]
  ])("takes a payload of %s with the fields that its type has", (type, data) => {
    assert.isUndefined(Payload.misfit(body(type, data)))
  })

  it.each<[string, Ontology.Type, Body["data"], string]>([
    ["a field that its type does not have", "action.started", { undo: { class: "R" }, note: "x" }, "note"],
    ["a field of another form", "recovery.decided", { row: "7" }, "row"],
    ["a field within a field", "action.reconciled", { undo: { by: "unbook" } }, "undo.class"],
    ["an item of a list", "action.verified", { evidence: [{ fact: "price", expected: 1 }] }, "evidence.0.found"],
    ["a field that is missing", "predicate.violation", { at: 3 }, "predicate"],
    [
      "what a check found, by no code",
      "intent.refused",
      { checks: [{ ...refusal, why: { args: {}, code: "no.such" } }] },
      check
    ],
    [
      "what a check found, with what its code does not take",
      "intent.refused",
      { checks: [more] },
      `${check}.args.name`
    ],
    ["a step that nothing is refused at", "intent.refused", { checks: [{ ...refusal, step: "x" }] }, "checks.0.step"],
    ["a state that the machine does not have", "action.reconciled", { state: "done" }, "state"]
  ])("names the path of %s", (_, type, data, path) => {
    assert.strictEqual(Payload.misfit(body(type, data))?.path, `data.${path}`)
  })

  it("refuses types that nothing writes yet", () => {
    for (const type of ["topology.crack"] as const) {
      assert.deepStrictEqual(Payload.misfit(body(type, {})), { path: "data", problem: "Nothing writes this type yet" })
    }
  })
})
