import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as FlatEvent from "../src/history/FlatEvent.ts"

const run = Run.make("flat")

const policyOf = (policy: Body["policy"]) => {
  const body: Body = { author: "agent", type: "action.request", ...(policy === undefined ? {} : { policy }) }
  const transition = { tick: 2, body, stamp: { asOf: 0 }, envelope: { ts: 0 } }
  const step = { before: State.empty, after: State.empty, transition }
  return FlatEvent.of(run, step, HashChain.genesis(run), ["policy"])["policy"]
}

describe("FlatEvent", () => {
  it("notes in words what was only observed, beside its codes", () => {
    const decided = { checks: ["policy"], decision: "allow", version: "1" } as const
    const why = { args: { tool: "book" }, code: "fork.denies" }
    const observed = [{ id: "tool.book", step: "policy", why }]
    assert.deepStrictEqual(policyOf({ ...decided, observed }), {
      notes: "policy tool.book: denied when the run was forked",
      observed,
      checks: ["policy"],
      decision: "allow",
      policy_version: "1"
    })
    assert.deepInclude(policyOf(decided), { notes: null, observed: null })
    assert.isNull(policyOf(undefined))
  })
})
