import { assert, describe, it } from "@effect/vitest"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as ResumePlan from "../src/ResumePlan.ts"
import { Bench, bookOf, call, definition, ends, ok } from "./lab.ts"

const { fax, unbook } = definition.tools
const wire = {
  ...fax,
  target: "'wire/' + args.to",
  undo: { class: "K", by: "unbook", with: { id: "args.to" } }
} as const

const calls: Readonly<Record<string, Proposal>> = {
  look: { tool: "look", params: { q: "x" } },
  book: bookOf("LX1"),
  tell: { tool: "tell", params: { to: "a@b.ch" } },
  fax: { tool: "fax", params: { to: "x" } },
  wire: { tool: "wire", params: { to: "x" } }
}

const begun = (tool: string) => {
  const bench = new Bench({ changes: { tools: { ...definition.tools, unbook, wire } } })
  const { action, key } = call(bench.proposes(calls[tool]!))
  return { action, bench, key }
}

const planned = (bench: Bench) => ResumePlan.plan(bench.terms, bench.state)[0]!

describe("ResumePlan", () => {
  it.each([
    ["look", "resume", "Call"],
    ["book", "ask_then_resume", "Ask"],
    ["tell", "resume_with_key", "Call"],
    ["fax", "hold", "Wait"],
    ["wire", "hold_then_compensate", "Wait"]
  ])("says of %s what the kernel then does after a crash in mid-call (L14)", (tool, recovery, next) => {
    const { action, bench, key } = begun(tool)
    assert.strictEqual(planned(bench).recovery, recovery)
    const decision = bench.does({ _tag: "Recover", action })
    assert.strictEqual(decision.next._tag, next)
    if (decision.next._tag === "Wait") {
      // Its sender may hear an answer until then; once nobody can, a person decides.
      bench.now = decision.next.untilMillis
      ends(bench.does({ _tag: "Recover", action }), "Held")
    }
    if (decision.next._tag === "Call") assert.strictEqual(decision.next.request.key, key)
  })

  it("goes on with an answered action, and calls nothing again", () => {
    const { action, bench } = begun("book")
    bench.answers(action, ok({ id: "LX1" }))
    assert.deepInclude(planned(bench), { phase: "answered", recovery: "resume" })
    assert.strictEqual(bench.does({ _tag: "Recover", action }).next._tag, "ReadBack")
  })

  it("starts over an action that was requested and never started", () => {
    const bench = new Bench()
    const { drafts } = bench.decides({ _tag: "Propose", proposal: calls["fax"]! })
    bench.commits(drafts.slice(0, 1))
    assert.deepInclude(planned(bench), { phase: "before_start", recovery: "restart" })
    const { next } = bench.does({ _tag: "Recover", action: planned(bench).action })
    assert.isTrue(next._tag === "End" && next.outcome._tag === "Refused")
    call(bench.proposes(calls["fax"]!))
  })
})
