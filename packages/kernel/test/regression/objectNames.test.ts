import { assert, describe, it } from "@effect/vitest"
import * as EnforcementStage from "../../src/state/EnforcementStage.ts"
import { Bench, call, ends } from "../lab.ts"

const names = ["constructor", "hasOwnProperty", "toString", "valueOf"]

describe("a name that every object of JavaScript knows", () => {
  for (const name of names) {
    it(`is a tool like any other: ${name}`, () => {
      const tell = {
        class: "medium_risk_write",
        idempotency: "idempotent_write",
        input: { to: "string" },
        target: "'inbox/' + args.to",
        identity: { scope: "run", fields: [{ to: "exact" }] },
        times: { sendWithin: "3s", keyRetention: "1h" },
        undo: "X"
      } as const
      const bench = new Bench({ changes: { tools: { [name]: tell }, reducers: { on: {} }, approvals: {}, guards: [] } })
      const request = call(bench.proposes({ tool: name, params: { to: "a@b.ch" } }))
      assert.strictEqual(
        ends(bench.answers(request.action, { _tag: "Ok", output: { id: 1 } }), "Done").basis,
        "attested"
      )
    })

    it(`asks for an approval where no contract names it, and folds what it answered: ${name}`, () => {
      const bench = new Bench()
      const { review } = ends(bench.proposes({ tool: name, params: {} }), "Parked")
      const data = { verdict: "approved", by: "ada", review, role: "operator" }
      ends(bench.proposes({ author: "user", type: "review.decided", data }), "Done")
      const request = call(bench.proposes({ tool: name, params: {} }))
      ends(bench.answers(request.action, { _tag: "Ok", output: 1 }), "Held")
      const { stages } = EnforcementStage.of({
        transitions: bench.transitions,
        pack: bench.pack,
        broken: undefined,
        impure: []
      })
      assert.deepInclude(stages[2]!.missing, { code: "tool_undeclared", tool: name })
    })

    it(`halts nothing as a predicate that does not hold: ${name}`, () => {
      // biome-ignore lint/suspicious/noThenProperty: the word of the contract
      const violations = [{ id: name, when: "working.mad", then: "halt_mutations" }] as const
      call(new Bench({ changes: { violations } }).proposes({ tool: "tell", params: { to: "a@b.ch" } }))
    })
  }
})
