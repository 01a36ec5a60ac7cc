import type * as CherryPick from "@backstitch/version-control/CherryPick"
import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../src/decision/Command.ts"
import type * as CommandFacts from "../src/decision/CommandFacts.ts"
import * as lab from "./lab.ts"

const origin: CherryPick.CherryPickOrigin = { source: { link: "ab".repeat(32), run: "other", tick: 3 } }
const adopted: CommandFacts.Adopted = { action: "a3", run: "other", tick: 7 }
const imported = (more: Partial<Command & { readonly _tag: "Import" }> = {}): Command => ({
  _tag: "Import",
  proposal: lab.bookOf("LX1"),
  origin,
  ...more
})

describe("ImportIntent", () => {
  it("says where the intent comes from before it, and passes it through the commit path", () => {
    const bench = new lab.Bench()
    const decision = bench.does(imported())
    assert.deepStrictEqual(bench.types(1), ["run.cherrypick", "action.request", "action.started"])
    const request = lab.call(decision)
    assert.strictEqual(request.action, "a3")
    const [cherrypick] = bench.transitions.slice(1)
    assert.deepInclude(cherrypick?.body.data, origin)
    assert.deepInclude(cherrypick?.body.data?.["proposal"] as object, { tool: "book" })
  })

  it("leaves no trace of a refused import", () => {
    const bench = new lab.Bench()
    const decision = bench.does(imported({ proposal: lab.bookOf("LX1", 999) }))
    assert.deepInclude(lab.outcome(decision), { _tag: "Refused", tick: undefined })
    assert.deepStrictEqual(bench.types(1), [])
  })

  it("asks a person if the contract wants one, and imports once it was approved", () => {
    const bench = new lab.Bench()
    const refund = imported({ proposal: { tool: "refund", params: { amount: 90 } } })
    const parked = lab.outcome(bench.does(refund))
    assert.strictEqual(parked._tag, "Parked")
    assert.deepStrictEqual(bench.types(1), ["policy.decision", "review.requested"])
    const review = parked._tag === "Parked" ? parked.review : ""
    const data = { by: "ada", review, role: "manager", verdict: "approved" }
    bench.proposes({ type: "review.decided", author: "user", data })
    bench.does(refund)
    assert.deepStrictEqual(bench.types(4), ["run.cherrypick", "action.request", "action.started"])
  })

  it("names the act of this run that has the key already, and does nothing more (L6)", () => {
    const bench = new lab.Bench()
    bench.books("LX1")
    const before = bench.at.head.tick
    const outcome = lab.outcome(bench.does(imported()))
    assert.deepInclude(outcome, { _tag: "Done", basis: "recorded" })
    assert.deepStrictEqual(bench.types(before), ["run.cherrypick"])
    assert.deepInclude(bench.last.body.data?.["adopted"] as object, { action: "a2", run: "trip" })
  })

  it("asks about an act that another run did, under its key, and never sends it (L5)", () => {
    const bench = new lab.Bench()
    const decision = bench.does(imported({ adopted }))
    assert.deepStrictEqual(bench.types(1), ["run.cherrypick", "action.request"])
    assert.strictEqual(decision.next._tag, "Ask")
    assert.strictEqual(bench.does({ _tag: "Recover", action: "a3" }).next._tag, "Ask")
    // Not found, for long: the key would be free to send under, and is not ours.
    bench.now += 60_000
    const held = bench.does({
      _tag: "Answered",
      action: "a3",
      via: "status",
      evidence: { _tag: "NotFound" },
      askedAt: bench.now
    })
    assert.include(JSON.stringify(held.next), "sending.adopted")
    assert.notInclude(bench.types(), "action.started")
    // And once a person has it asked about again, what the world answers is what is believed.
    bench.reopens("a3")
    bench.answers("a3", { _tag: "Ok", output: { id: "LX1" } }, "status")
    bench.readsBack("a3", { _tag: "Ok", output: { id: "LX1", price: 80 } })
    assert.strictEqual(bench.state.world["spent"], 80)
  })

  it("counts an act of another run once, and records its import again only on request (L6)", () => {
    const recorded = { status: "ok", output: { id: "LX1" }, actual: { id: "LX1", price: 80 }, trust: 3 } as const
    for (const more of [{ adopted }, { recorded }]) {
      const bench = new lab.Bench()
      bench.does(imported(more))
      if ("adopted" in more) {
        // While it is open it is settled first, and nothing is asked twice.
        const held = bench.does(imported(more))
        assert.strictEqual(lab.outcome(held)._tag, "Held")
        assert.lengthOf(held.drafts, 0)
        bench.answers("a3", { _tag: "Ok", output: { id: "LX1" } }, "status")
        bench.readsBack("a3", { _tag: "Ok", output: { id: "LX1", price: 80 } })
      }
      const { tick } = bench.at.head
      assert.lengthOf(bench.does(imported({ ...more, silent: true })).drafts, 0)
      const noted = lab.outcome(bench.does(imported(more)))
      assert.deepInclude(noted, { _tag: "Done", basis: "recorded", tick })
      assert.deepStrictEqual(bench.types(tick), ["run.cherrypick"])
      assert.deepStrictEqual(bench.last.body.data?.["adopted"], { action: "a3", run: "trip", tick })
      assert.strictEqual(bench.state.world["spent"], 80)
    }
  })

  it("takes over an act of another run by the record if its tool cannot be asked, at trust 1", () => {
    const bench = new lab.Bench()
    const proposal = { tool: "tell", params: { to: "ada@example.org" } }
    const decision = bench.does(imported({ adopted: { ...adopted, output: { sent: true } }, proposal }))
    assert.deepInclude(lab.outcome(decision), { _tag: "Done", basis: "recorded", output: { sent: true } })
    assert.deepStrictEqual(bench.types(1), ["run.cherrypick", "action.request", "action.result", "action.reconciled"])
    assert.deepStrictEqual(bench.last.body.result, { basis: "recorded", status: "ok", trust: 1 })
  })

  it("settles as recorded an act that must not happen again, and folds it as its own run did", () => {
    const recorded = { status: "ok", output: { id: "LX1" }, actual: { id: "LX1", price: 80 }, trust: 3 } as const
    const bench = new lab.Bench()
    const outcome = lab.outcome(bench.does(imported({ recorded })))
    assert.deepInclude(outcome, { _tag: "Done", basis: "recorded" })
    assert.deepStrictEqual(bench.types(1), [
      "run.cherrypick",
      "action.request",
      "action.result",
      "action.verified",
      "action.reconciled"
    ])
    const own = new lab.Bench()
    own.books("LX1")
    assert.deepStrictEqual(bench.state.world, own.state.world)
    const failed = new lab.Bench()
    const failure = { status: "error", output: "sold out", trust: 1 } as const
    assert.strictEqual(lab.outcome(failed.does(imported({ recorded: failure })))._tag, "Failed")
    assert.strictEqual(failed.state.world["spent"], 0)
  })

  it("sends nothing for a recorded or finished act, whatever read before it the contract demands", () => {
    const { book } = lab.definition.tools
    const looking = { ...book, readback: { ...book.readback, before: "refuse" } }
    const changes = { tools: { ...lab.definition.tools, book: looking } } as Partial<lab.Definition>
    const recorded = { status: "ok", output: { id: "LX1" }, actual: { id: "LX1", price: 80 }, trust: 3 } as const
    const bench = new lab.Bench({ changes })
    assert.strictEqual(bench.decides(imported()).next._tag, "ReadBefore")
    assert.strictEqual(bench.decides(imported({ adopted })).next._tag, "Ask")
    assert.deepInclude(lab.outcome(bench.does(imported({ recorded }))), { _tag: "Done", basis: "recorded" })
    assert.notInclude(bench.types(), "action.started")
  })

  it("holds an act of another run if the world shows something else: this run may neither undo nor repeat it", () => {
    for (const evidence of [
      { _tag: "Ok", output: { id: "LX1", price: 999 } },
      { _tag: "NotFound" },
      { _tag: "Unknown", reason: "no answer" }
    ] as const) {
      const bench = new lab.Bench()
      bench.does(imported({ adopted }))
      bench.answers("a3", { _tag: "Ok", output: { id: "LX1" } }, "status")
      bench.now += 120_000
      const held = lab.outcome(bench.readsBack("a3", evidence))
      assert.strictEqual(held._tag, "Held", evidence._tag)
      assert.notInclude(bench.types(), "action.started")
      assert.lengthOf(
        bench.types().filter((type) => type === "action.request"),
        1
      )
      assert.strictEqual(bench.state.world["spent"], 0)
    }
  })
})
