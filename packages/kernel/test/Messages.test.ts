import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as MessageReport from "@backstitch/reconciliation/MessageReport"
import * as ReconciliationStatus from "@backstitch/reconciliation/ReconciliationStatus"
import type { JsonObject } from "@backstitch/trace/Canonical"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Kernel from "../src/Kernel.ts"
import { Bench, bookOf, call, ends, failing, ok } from "./lab.ts"

/** Tells people something, with how the actions stand as the trace has them. */
const tells = (bench: Bench, data: JsonObject, type: "message.sent" | "goal.complete" = "message.sent") => {
  const standings = MessageReport.standings(ActionHistories.all(bench.transitions), data)
  return bench.does({ _tag: "Propose", proposal: { type, data }, standings })
}

const Word = Schema.Literals([
  ...new Set(Object.values(ReconciliationStatus.ofState)),
  "unverified",
  "verified_in_part",
  "recorded"
] as const)

describe("Messages", () => {
  it("are refused if they do not state the actions that they report, if a tool changes the world (L8)", () => {
    const bench = new Bench()
    for (const data of [
      { content: "All done!" },
      { reports: "a2" },
      { reports: [{ action: 2 }] },
      { reports: [null] }
    ]) {
      assert.deepStrictEqual(failing(tells(bench, data)), ["policy messages.reports"], JSON.stringify(data))
    }
    assert.deepStrictEqual(failing(tells(bench, { reports: [{ action: "a2", standing: "great" }] })), [
      "policy messages.reports"
    ])
    ends(tells(bench, { content: "Which day suits you?", reports: [] }), "Done")
  })

  it("are checked against the record if they come with the goal (L8)", () => {
    const bench = new Bench({ changes: { transitions: {} } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    for (const words of [{ message: "All done!" }, { content: "All done!" }]) {
      assert.deepStrictEqual(failing(tells(bench, words, "goal.complete")), ["policy messages.reports"])
    }
    const claim = { message: "Booked!", reports: [action] }
    assert.deepStrictEqual(failing(tells(bench, claim, "goal.complete")), ["policy messages.unreconciled"])
    const { message: _, ...silent } = claim
    assert.deepStrictEqual(failing(tells(bench, silent, "goal.complete")), ["policy messages.unreconciled"])
    bench.answers(action, ok({ id: "LX1" }))
    bench.readsBack(action, ok({ id: "LX1", price: 80 }))
    ends(tells(bench, claim, "goal.complete"), "Done")
    assert.deepStrictEqual(bench.last.body.data?.["reports"], [{ action, standing: "success" }])
  })

  it("are not asked of a goal that is declared reached without a word", () => {
    const bench = new Bench({ changes: { transitions: {} } })
    ends(tells(bench, { total: 80 }, "goal.complete"), "Done")
    assert.deepStrictEqual(bench.last.body.data, { total: 80 })
  })

  it("are free to say nothing of actions if the contract lets them", () => {
    const bench = new Bench({ changes: { messages: { reports: "optional" } } })
    ends(tells(bench, { content: "Hello" }), "Done")
    assert.deepStrictEqual(failing(tells(bench, { reports: "a2" })), ["policy messages.reports"])
    assert.deepStrictEqual(failing(tells(bench, { reports: ["a2"] })), ["policy messages.unreconciled"])
  })

  it("tell no action as a success before it is one (L8)", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(bookOf("LX1")))
    const claim = { content: "Booked!", reports: [action] }
    assert.deepStrictEqual(failing(tells(bench, claim)), ["policy messages.unreconciled"])
    assert.include(JSON.stringify(bench.last.body.data?.["checks"]), '"claimed":"success","found":"attempted"')
    ends(tells(bench, { content: "I am at it", reports: [{ action, standing: "attempted" }] }), "Done")
    bench.answers(action, ok({ id: "LX1" }))
    assert.deepStrictEqual(failing(tells(bench, claim)), ["policy messages.unreconciled"])
    bench.readsBack(action, ok({ id: "LX1", price: 80 }))
    ends(tells(bench, claim), "Done")
    assert.deepStrictEqual(bench.last.body.data?.["reports"], [{ action, standing: "success" }])
  })

  it("report no action that is not in the run, and of a read only its answer", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes({ tool: "look", params: { q: "x" } }))
    assert.deepStrictEqual(failing(tells(bench, { reports: [action] })), ["policy messages.unreconciled"])
    bench.answers(action, ok({ found: "x" }))
    ends(tells(bench, { reports: [action] }), "Done")
    assert.deepStrictEqual(failing(tells(bench, { reports: ["constructor"] })), ["policy messages.unreconciled"])
  })

  it("are marked if the contract marks, by the kernel alone", () => {
    const bench = new Bench({ changes: { messages: { unreconciled: "mark" } } })
    const { action } = call(bench.proposes(bookOf("LX1")))
    ends(tells(bench, { content: "Booked!", reports: [action], marked: [] }), "Done")
    assert.deepStrictEqual(bench.last.body.data, {
      content: "Booked!",
      marked: [{ action, claimed: "success", found: "attempted" }],
      reports: [{ action, standing: "success" }]
    })
    ends(tells(bench, { content: "Hello", marked: [{ action }], reports: [] }), "Done")
    assert.deepStrictEqual(bench.last.body.data, { content: "Hello", reports: [] })
  })

  it("are committed with a note if the contract is only observed", () => {
    const bench = new Bench()
    const state = { ...bench.state, kernel: { ...bench.state.kernel, enforcement: { stage: 0, types: {} } } }
    const decision = Kernel.decide(bench.terms, state, {
      _tag: "Propose",
      proposal: { type: "message.sent", data: { content: "All done!" } }
    })
    ends(decision, "Done")
    assert.strictEqual(decision.drafts[0]?.body.policy?.observed?.[0]?.why.code, "message.unclaimed")
  })

  it.prop(
    "pass exactly if they state each action as it is recorded, whatever else they contain (L8)",
    [Schema.Array(Schema.Tuple([Schema.Literals(["a1", "a2", "a3"]), Word])), Word, Word],
    ([told, one, two]) => {
      const bench = new Bench()
      const known: MessageReport.Standings = { a1: one, a2: two }
      const reports = told.map(([action, standing]) => ({ action, standing }))
      const decision = Kernel.decide(bench.terms, bench.state, {
        _tag: "Propose",
        proposal: { type: "message.sent", data: { reports } },
        standings: known
      })
      const differs = told.filter(([action, standing]) => (known[action] ?? "not_attempted") !== standing)
      if (differs.length === 0) ends(decision, "Done")
      else assert.strictEqual(failing(decision).length, differs.length)
    },
    { arbitrary: { runs: 300 } }
  )
})
