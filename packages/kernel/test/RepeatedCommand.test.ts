import * as SealedValue from "@backstitch/trace/SealedValue"
import type * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as RepeatedCommand from "../src/intent/RepeatedCommand.ts"
import { Bench, bookOf, call, ends, ok, told } from "./lab.ts"

const named = (proposal: Proposal, command = "step 1"): Proposal => ({ ...proposal, command })

/** A run that has booked a flight and written a note, each under a name. */
const begun = () => {
  const bench = new Bench()
  const { action } = call(bench.proposes(named(bookOf("LX1"))))
  bench.answers(action, ok({ id: "LX1" }))
  ends(bench.readsBack(action, ok({ id: "LX1", price: 80 })), "Done")
  ends(bench.proposes(named({ type: "observation.add", data: { text: "it rains" } }, "note")), "Done")
  return { action, bench }
}

describe("RepeatedCommand", () => {
  it("is answered from the record if it asks for the same, however it is spelt", () => {
    const { action, bench } = begun()
    for (const again of [bookOf("LX1"), bookOf("lx1"), { type: "action.request", ...bookOf("LX1") } as const, {}]) {
      assert.deepInclude(ends(bench.proposes(named(again)), "Done").adopted, { action })
    }
    // A fact whose words were found again is the same fact.
    const noted = named({ type: "observation.add", data: { text: "rain" } }, "note")
    const told = ends(bench.proposes(noted), "Done")
    // Its new words are not kept, and its proposer learns that.
    assert.deepStrictEqual([told.basis, told.adopted?.differs], ["recorded", true])
    assert.notInclude(JSON.stringify(bench.last.body), "differs")
    const same = named({ type: "observation.add", data: { text: "it rains" } }, "note")
    assert.isUndefined(ends(bench.proposes(same), "Done").adopted?.differs)
  })

  it("is not compared by values that are sealed: each sealing makes another commitment", () => {
    const sealed = (byte: string) => ({ text: { $sealed: SealedValue.commit(byte.repeat(32), "Ada") } })
    const before = { body: { author: "agent", data: sealed("00"), type: "observation.add" } } as const
    assert.isFalse(RepeatedCommand.isReworded(before, { type: "observation.add", data: sealed("01") }))
    assert.isTrue(RepeatedCommand.isReworded(before, { type: "observation.add", data: { ...sealed("01"), mood: 1 } }))
  })

  it("is refused if it asks for something else, and nothing is told as done (L6)", () => {
    const { action, bench } = begun()
    const others: ReadonlyArray<readonly [Proposal, string]> = [
      [bookOf("LX2"), action],
      [bookOf("LX1", 90), action],
      [{ ...bookOf("LX1"), occurrence: 2, occurrenceBy: "user" }, action],
      [{ tool: "tell", params: { to: "ada@x.org" } }, action],
      [{ tool: "nobody_knows_it", params: {} }, action],
      [{ type: "plan.update", data: { plan: "go" } }, action],
      [named({ tool: "tell", params: { to: "ada@x.org" } }, "note"), "observation.add"]
    ]
    for (const [other, holder] of others) {
      const { checks } = ends(bench.proposes(named(other, other.command)), "Refused")
      const { args, code } = checks.at(-1)?.why ?? {}
      assert.strictEqual(code, "name.held", JSON.stringify(other))
      assert.deepInclude(args, { action: holder, namespace: "command", run: bench.run.id })
    }
    // Under a name of its own it is carried out.
    call(bench.proposes(named(bookOf("LX2"), "step 2")))
  })

  it("says of an act under way that it is under way, and not of another one", () => {
    const bench = new Bench()
    const { action } = call(bench.proposes(named(bookOf("LX1"))))
    assert.strictEqual(ends(bench.proposes(named(bookOf("LX1"))), "Held").action, action)
    assert.include(told(ends(bench.proposes(named(bookOf("LX2"))), "Refused")), "name.held")
  })

  it("is answered by its name alone in a run of the first rules (decision 0021)", () => {
    const { bench } = begun()
    bench.does({ _tag: "Migrate", rules: 1 })
    assert.strictEqual(ends(bench.proposes(named(bookOf("LX2"))), "Done").basis, "recorded")
  })

  const Numbers = Schema.Literals([1, 2, 3])
  const Asked = Schema.Struct({ command: Numbers, flight: Numbers, price: Schema.Literals([70, 80]) })

  it.prop(
    "never tells a request as done that the record does not show (L6)",
    [Schema.Array(Asked).check(Schema.isMaxLength(12))],
    ([asked]) => {
      const bench = new Bench({ changes: { budgets: { steps: 200 }, violations: [] } })
      for (const { command, flight, price } of asked) {
        const proposal = named(bookOf(`LX${flight}`, price), `step ${command}`)
        const { next } = bench.proposes(proposal)
        if (next._tag === "Call") {
          bench.answers(next.request.action, ok({ id: `LX${flight}` }))
          ends(bench.readsBack(next.request.action, ok({ id: `LX${flight}`, price })), "Done")
        } else if (next._tag === "End" && next.outcome._tag === "Done") {
          const { action } = next.outcome.adopted ?? {}
          const shown = bench.transitions.find(
            ({ body }) => body.type === "action.request" && body.action?.id === action
          )
          assert.deepStrictEqual(shown?.body.action?.params, proposal.params)
          assert.isUndefined(RepeatedCommand.taken(bench.terms, proposal, shown as Transition.Transition))
        }
      }
    }
  )
})
