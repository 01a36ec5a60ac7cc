import type * as Definition from "@backstitch/contracts/Definition"
import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import type { Decided } from "../src/decision/Decision.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as Reviews from "../src/review/Reviews.ts"
import { asks, Bench, bookOf, call, definition, ends, failing, ok, told } from "./lab.ts"

const glass = { by: "Ada", reason: "the hotel is on fire" }

/** Booking is critical here, and two sources say what became of it. */
const waives = { target: "the flight is in the record", tenant: "there is one" }

const critical = (more: Partial<Definition.ToolDefinition> = {}) => {
  const { book } = definition.tools
  const readback = { ...book.readback, sources: [{ source: "audit" }] }
  const tools = {
    ...definition.tools,
    book: { ...book, class: "critical_mutation", readback, waives, ...more } as const
  }
  return new Bench({ changes: { tools } })
}

const broken: Proposal = { ...bookOf("LX1"), breakGlass: glass }
const record = ok({ id: "LX1", price: 80 })
const others = [{ source: "audit", evidence: record }]

const begun = (bench: Bench) => {
  const { action } = call(bench.proposes(broken))
  bench.answers(action, ok({ id: "LX1" }))
  return { action, reads: (): Decided => bench.does({ _tag: "ReadBack", action, evidence: record, others }) }
}

const decides = (bench: Bench, verdict: Reviews.ApprovalVerdict) => {
  const [review] = Reviews.pending(bench.state)[0]!
  return bench.proposes({
    type: "review.decided",
    author: "user",
    data: { review, verdict, by: "Grace", role: "operator" }
  })
}

const standing = (bench: Bench, action: string) =>
  Reporting.report(ActionHistories.of(bench.transitions, action)!).standing

describe("a critical mutation", () => {
  it("is reviewed before it is committed, whatever the contract demands of approvals (Action Verification)", () => {
    const bench = critical()
    const parked = ends(bench.proposes(bookOf("LX1")), "Parked")
    assert.deepStrictEqual(parked.needs, ["operator"])
    assert.notInclude(bench.types(), "action.started")
    decides(bench, "approved")
    call(bench.proposes(bookOf("LX1")))
  })

  it("is reviewed by the role that the contract names, even if the contract's own rule would not ask", () => {
    const { book } = definition.tools
    const tools = { ...definition.tools, book: { ...book, class: "critical_mutation" } as const }
    const bench = new Bench({ changes: { tools, approvals: { book: { when: "false", by: ["manager"] } } } })
    assert.deepStrictEqual(ends(bench.proposes(bookOf("LX1")), "Parked").needs, ["manager"])
  })
})

describe("BreakGlass", () => {
  it("starts at once, with the person and the reason on the ledger and a review requested in the same commit", () => {
    const bench = critical()
    call(bench.proposes(broken))
    assert.deepStrictEqual(bench.types(1), ["action.request", "action.started", "review.requested"])
    assert.deepStrictEqual(bench.transitions[1]?.body.data?.["breakGlass"], glass)
    assert.deepInclude(bench.last.body.data?.["why"], { code: "glass.broken" })
    assert.lengthOf(Reviews.pending(bench.state), 1)
  })

  it("is no success before that review, however well it was verified", () => {
    const bench = critical()
    const { action, reads } = begun(bench)
    const parked = ends(reads(), "Parked")
    assert.strictEqual(parked.review, Reviews.pending(bench.state)[0]?.[0])
    assert.notInclude(bench.types(), "action.reconciled")
    assert.strictEqual(bench.state.world["spent"], 0)
    assert.strictEqual(standing(bench, action), "verified")
    // Whoever resumes meanwhile learns nothing new, and writes nothing.
    asks(bench.does({ _tag: "Recover", action }), "ReadBack")
    const { tick } = bench.at.head
    ends(reads(), "Parked")
    assert.strictEqual(bench.at.head.tick, tick)
    decides(bench, "approved")
    ends(reads(), "Done")
    assert.strictEqual(standing(bench, action), "success")
  })

  it("is accepted by another person than the one who broke it, however the name is spelt", () => {
    const bench = critical()
    const { action, reads } = begun(bench)
    reads()
    const [review] = Reviews.pending(bench.state)[0]!
    for (const verdict of ["approved", "denied"]) {
      const data = { review, verdict, by: " ADA", role: "operator" }
      const decision = bench.proposes({ type: "review.decided", author: "user", data })
      assert.include(told(ends(decision, "Refused")), '{"args":{"brokenBy":"Ada"},"code":"decision.own_glass"}')
    }
    ends(reads(), "Parked")
    assert.notStrictEqual(standing(bench, action), "success")
    decides(bench, "approved")
    ends(reads(), "Done")
  })

  it("is called a success by another person than its breaker, who may settle it otherwise or reopen it", () => {
    const resolves = (bench: Bench, action: string, as: string, by: string) =>
      bench.proposes({
        author: "user",
        data: { action, as, by, evidence: "the register of the hotel" },
        type: "review.decided"
      })
    const verified = () => {
      const bench = critical()
      const { action, reads } = begun(bench)
      reads()
      return { action, bench }
    }
    const { action, bench } = verified()
    for (const by of ["Ada", " ADA"]) {
      const { checks } = ends(resolves(bench, action, "success", by), "Refused")
      const args = { brokenBy: "Ada", verdicts: ["failure", "abandoned"] }
      assert.deepInclude(checks[0]?.why, { args, code: "decision.own_glass" })
    }
    for (const as of ["reopened", "resent"]) {
      assert.include(told(ends(resolves(bench, action, as, "Grace"), "Refused")), "glass.unreviewed")
      const other = verified()
      decides(other.bench, "denied")
      const { checks } = ends(resolves(other.bench, other.action, as, "Ada"), "Refused")
      assert.deepInclude(checks[0]?.why, { args: { by: "Grace" }, code: "glass.not_accepted" })
    }
    assert.strictEqual(standing(bench, action), "verified")
    ends(resolves(bench, action, "success", "Grace"), "Done")
    assert.strictEqual(standing(bench, action), "attested")
    for (const as of ["failure", "abandoned"]) {
      const other = verified()
      other.bench.now += 4_000
      ends(resolves(other.bench, other.action, as, "Ada"), "Done")
      assert.notStrictEqual(standing(other.bench, other.action), "success")
    }
    const frozen = critical({ undo: "X" })
    const disputed = begun(frozen).action
    frozen.now += 60_000
    const wrong = ok({ id: "LX1", price: 1 })
    const differs = { action: disputed, evidence: wrong, others: [{ source: "audit", evidence: wrong }] }
    ends(frozen.does({ _tag: "ReadBack", ...differs }), "Held")
    ends(resolves(frozen, disputed, "reopened", "Ada"), "Done")
    assert.notStrictEqual(standing(frozen, disputed), "success")
  })

  it("stays held when the review does not accept it", () => {
    const bench = critical()
    const { action, reads } = begun(bench)
    reads()
    decides(bench, "denied")
    assert.deepInclude(ends(reads(), "Held").why, { args: { by: "Grace", tool: "book" }, code: "glass.denied" })
    assert.notStrictEqual(standing(bench, action), "success")
    assert.deepStrictEqual(failing(bench.proposes(bookOf("LX1", 80, { traveller: "Bob" }))), ["target seat/LX1"])
  })

  it("needs a name and a reason, and is only for critical actions", () => {
    for (const breakGlass of [
      { by: "", reason: "fire" },
      { by: "Ada", reason: " " }
    ]) {
      ends(critical().proposes({ ...bookOf("LX1"), breakGlass }), "Parked")
    }
    const bench = new Bench()
    const refund: Proposal = { tool: "refund", params: { amount: 90 }, breakGlass: glass }
    ends(bench.proposes(refund), "Parked")
  })

  it("is believed less than it has to be if one source confirms it: no success (Action Verification)", () => {
    const bench = critical({ readback: definition.tools.book.readback })
    const { action } = begun(bench)
    decides(bench, "approved")
    ends(bench.readsBack(action, record), "Done")
    assert.strictEqual(bench.last.body.result?.trust, 2)
    assert.strictEqual(standing(bench, action), "verified_in_part")
  })

  it("closes the review that it replaces, overrules no denial, and is not needed with an approval", () => {
    const asked = critical()
    const { review } = ends(asked.proposes(bookOf("LX1")), "Parked")
    call(asked.proposes(broken))
    assert.deepInclude(asked.last.body.data, { replaces: review })
    assert.isUndefined(Reviews.of(asked.state).get(review))
    const [[after, waiting] = []] = Reviews.pending(asked.state)
    assert.notStrictEqual(after, review)
    assert.strictEqual(
      waiting?.after,
      asked.transitions.find(({ body }) => body.type === "action.started")?.body.action?.id
    )

    const denied = critical()
    denied.proposes(bookOf("LX1"))
    decides(denied, "denied")
    assert.include(told(ends(denied.proposes(broken), "Refused")), "approval.denied")
    assert.notInclude(denied.types(), "action.started")

    const approved = critical()
    approved.proposes(bookOf("LX1"))
    decides(approved, "approved")
    call(approved.proposes(broken))
    assert.strictEqual(approved.last.body.type, "action.started")
    assert.lengthOf(Reviews.pending(approved.state), 0)
  })
})
