import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import { assert, describe, it } from "@effect/vitest"
import * as IntentApproval from "../src/approval/IntentApproval.ts"
import * as BudgetUse from "../src/budget/BudgetUse.ts"
import type { Proposal } from "../src/decision/Proposal.ts"
import * as Kernel from "../src/Kernel.ts"
import * as Check from "../src/payload/Check.ts"
import * as Finding from "../src/payload/Finding.ts"
import * as Reviews from "../src/review/Reviews.ts"
import type * as DecisionTerms from "../src/state/DecisionTerms.ts"
import { Bench, bookOf, call, definition, ends, failing, ok, told } from "./lab.ts"

const asking = (more: object = {}) =>
  new Bench({ changes: { approvals: { book: { by: ["manager", "owner"], ...more } } } })

const decides = (bench: Bench, review: string, verdict: Reviews.ApprovalVerdict, more: object = {}) =>
  bench.proposes({
    type: "review.decided",
    author: "user",
    data: { review, verdict, by: "Ada", role: "manager", ...more }
  })

/** Parks an intent, and has it decided. */
const decided = (bench: Bench, proposal: Proposal, verdict: Reviews.ApprovalVerdict = "approved") => {
  const { review } = ends(bench.proposes(proposal), "Parked")
  ends(decides(bench, review, verdict), "Done")
  return review
}

/** The finding of the check of the last parked intent. */
const found = (bench: Bench) => {
  const body = bench.transitions.findLast(({ body }) => body.type === "policy.decision")?.body
  return (body?.data?.["checks"] as ReadonlyArray<Check.Check> | undefined)?.[0]?.why?.code
}

describe("Reviews", () => {
  it("ask once, and name the request that they are bound to", () => {
    const bench = asking({ expires: "1m" })
    const { review } = ends(bench.proposes(bookOf("LX1")), "Parked")
    assert.deepStrictEqual(bench.types(1), ["policy.decision", "review.requested"])
    assert.deepInclude(bench.last.body.data, {
      review,
      tool: "book",
      bound: { occurrence: 1, pack: bench.pack.digest },
      expiresMillis: 60_000,
      needs: ["manager", "owner"]
    })
    assert.strictEqual(ends(bench.proposes(bookOf("LX1")), "Parked").review, review)
    assert.deepStrictEqual(bench.types(3), ["policy.decision"])
    assert.deepStrictEqual(
      Reviews.pending(bench.state).map(([id]) => id),
      [review]
    )
  })

  it("let the intent pass that was approved, and put the approval on its record", () => {
    const bench = asking({ expires: "1m" })
    const review = decided(bench, { ...bookOf("LX1"), command: "c1" })
    const { action } = call(bench.proposes({ ...bookOf("LX1"), command: "c1" }))
    bench.answers(action, ok({ id: "B1" }))
    ends(bench.readsBack(action, ok({ id: "B1", price: 80 })), "Done")
    const history = ActionHistories.of(bench.transitions, action)
    assert.deepInclude(history?.approval, { id: review, approver: "Ada", expiresAt: bench.now + 60_000 })
    assert.strictEqual(history?.approval?.requestHash, history?.requestHash)
    // The record answers a repetition, with or without an approval.
    assert.strictEqual(ends(bench.proposes({ ...bookOf("LX1"), command: "c1" }), "Done").basis, "recorded")
  })

  it("are for these arguments and no others", () => {
    const bench = asking()
    const review = decided(bench, bookOf("LX1"))
    const other = ends(bench.proposes(bookOf("LX1", 81)), "Parked")
    assert.notStrictEqual(other.review, review)
    assert.strictEqual(found(bench), "approval.other_arguments")
    assert.notStrictEqual(
      ends(bench.proposes({ ...bookOf("LX1"), occurrence: 2, occurrenceBy: "plan" }), "Parked").review,
      review
    )
    // Another spelling of the same identity is the same request.
    call(bench.proposes({ tool: "book", params: { flight: "lx-1", traveller: "ADA", price: 80 } }))
  })

  it("are for the context in which they were asked, and no other (decision 0042)", () => {
    const bench = new Bench({
      changes: {
        approvals: { book: { by: ["manager"] } },
        transitions: { book: { required_state: { "world.spent": "int" }, hash_seeds: ["working.plan"] } }
      }
    })
    const review = decided(bench, bookOf("LX1"))
    bench.proposes({ type: "plan.update", data: { plan: "another" } })
    const again = ends(bench.proposes(bookOf("LX1")), "Parked")
    assert.notStrictEqual(again.review, review)
    assert.strictEqual(found(bench), "approval.other_binding")
  })

  it("expire, and are asked for again", () => {
    const bench = asking({ expires: "1m" })
    const review = decided(bench, bookOf("LX1"))
    bench.now += 60_000
    assert.strictEqual(ends(bench.proposes(bookOf("LX1")), "Parked").review, review)
    assert.strictEqual(found(bench), "approval.expired")
    assert.strictEqual(bench.last.body.type, "review.requested")
    ends(bench.proposes(bookOf("LX1")), "Parked")
    ends(decides(bench, review, "approved"), "Done")
    bench.now += 59_999
    call(bench.proposes(bookOf("LX1")))
  })

  it("refuse a denied request, and are asked anew for another one that a person wants", () => {
    const bench = asking()
    const review = decided(bench, bookOf("LX1"), "denied")
    const refused = bench.proposes(bookOf("LX1"))
    assert.deepStrictEqual(failing(refused), ["approval book"])
    assert.include(told(ends(refused, "Refused")), "approval.denied")
    const more = ends(bench.proposes({ ...bookOf("LX1"), occurrence: 2, occurrenceBy: "user" }), "Parked")
    assert.notStrictEqual(more.review, review)
  })

  it("are decided once: a later decision is refused with the first, its author, its time and its reason", () => {
    const other = { approved: "denied", denied: "approved" } as const
    for (const verdict of ["approved", "denied"] as const) {
      for (const second of [verdict, other[verdict]]) {
        const bench = asking()
        const { review } = ends(bench.proposes(bookOf("LX1")), "Parked")
        ends(decides(bench, review, verdict, { reason: "seen" }), "Done")
        const at = bench.now
        bench.now += 1_000
        const { checks } = ends(decides(bench, review, second, { by: "Bob", role: "owner" }), "Refused")
        const args = { at, by: "Ada", reason: "seen", role: "manager", verdict }
        assert.deepStrictEqual(Check.findingOf(checks.find((check) => !Check.isOk(check))!), {
          args,
          code: "decision.made"
        })
        const decisions = bench.transitions.filter(({ body }) => body.type === "review.decided")
        assert.lengthOf(decisions, 1)
        const next = bench.proposes(bookOf("LX1")).next
        assert.strictEqual(next._tag, verdict === "approved" ? "Call" : "End")
      }
    }
  })

  it("keep their first decision, whatever else a trace claims", () => {
    const bench = asking()
    const review = decided(bench, bookOf("LX1"), "denied")
    const { body, stamp } = bench.transitions.findLast(({ body }) => body.type === "review.decided")!
    const claimed = { ...body, data: { ...body.data, verdict: "approved" } }
    const draft = { body: claimed as typeof body, envelope: { ts: bench.now }, stamp: { asOf: stamp.asOf } }
    bench.commits([draft])
    assert.strictEqual(Reviews.of(bench.state).get(review)?.verdict, "denied")
  })

  it("are decided by a role that the contract names, by a named person, about an existing review", () => {
    const bench = asking()
    const { review } = ends(bench.proposes(bookOf("LX1")), "Parked")
    const wrongs = [
      { role: "clerk" },
      { role: undefined },
      { by: "" },
      { by: " \t" },
      { verdict: "maybe" },
      { review: "r0" }
    ]
    for (const wrong of wrongs) {
      const data = { review, verdict: "approved", by: "Ada", role: "manager", ...wrong }
      const decision = bench.decides({
        _tag: "Propose",
        proposal: { type: "review.decided", author: "user", data: JSON.parse(JSON.stringify(data)) }
      })
      assert.match(failing(decision)[0] ?? "", /^approval /)
    }
    ends(bench.proposes(bookOf("LX1")), "Parked")
  })

  it("cost an agent nothing if a person is refused, and as much as before if the agent is refused (L13)", () => {
    const bench = asking()
    const { review } = ends(bench.proposes(bookOf("LX1")), "Parked")
    const before = BudgetUse.of(bench.state)
    for (let times = 0; times < 9; times++) {
      ends(decides(bench, review, "approved", { role: "clerk" }), "Refused")
      assert.strictEqual(bench.last.body.data?.["author"], "user")
    }
    assert.deepStrictEqual(BudgetUse.of(bench.state), before)
    ends(bench.proposes(bookOf("LX1", 501)), "Refused")
    assert.notProperty(bench.last.body.data, "author")
    const { refusals, steps } = BudgetUse.of(bench.state)
    assert.deepStrictEqual([refusals, steps], [before.refusals + 1, before.steps + 1])
  })

  it("are never decided by an agent (L4)", () => {
    const bench = asking()
    const { review } = ends(bench.proposes(bookOf("LX1")), "Parked")
    const data = { review, verdict: "approved", by: "Ada", role: "manager" }
    ends(bench.proposes({ type: "review.decided", data }), "Refused")
    assert.strictEqual(bench.last.body.type, "kernel.anomaly")
    ends(bench.proposes(bookOf("LX1")), "Parked")
  })

  it("cover one call of a tool that recognises no repetition", () => {
    const fax = { ...definition.tools.fax, identity: "none" as const }
    const bench = new Bench({
      changes: { tools: { ...definition.tools, fax }, approvals: { fax: { by: ["manager"] } } }
    })
    const proposal = { tool: "fax", params: { to: "1" } }
    decided(bench, proposal)
    bench.answers(call(bench.proposes(proposal)).action, ok({ id: "F1" }))
    ends(bench.proposes(proposal), "Parked")
    assert.strictEqual(found(bench), "approval.used")
  })

  it("let a tool be used that the contract does not name, once", () => {
    const bench = new Bench()
    const proposal = { tool: "nobody", params: { x: 1 } }
    const { review } = ends(bench.proposes(proposal), "Parked")
    ends(decides(bench, review, "approved", { role: "operator" }), "Done")
    // Nothing says how it could be checked: its own word is not believed (row 16).
    ends(bench.answers(call(bench.proposes(proposal)).action, ok({ id: "N1" })), "Held")
    assert.deepInclude(bench.last.body.data, { decision: "hold_and_escalate", freezes: true, row: 2 })
    ends(bench.proposes(proposal), "Parked")
  })
})

describe("an approval", () => {
  const asked: IntentApproval.ApprovalNeed = {
    tool: "book",
    needs: ["manager"],
    why: Finding.make("approval.critical", { tool: "book" }),
    requestHash: "ab",
    context: "cd",
    occurrence: 1,
    repeatable: true
  }

  /** A state in which the review of this intent was approved by a manager, and how another is answered there. */
  const approvedState = () => {
    const bench = asking()
    const unasked = IntentApproval.of(bench.terms, bench.state, asked)
    if (unasked._tag !== "Unasked") return assert.fail(unasked._tag)
    const { binding, id } = unasked
    const { needs, requestHash, tool } = asked
    const review = { binding, needs, requestHash, tick: 2, tool, by: "Ada", calls: 0, decidedAt: 1, role: "manager" }
    const reviews = Table.from([[id, { ...review, verdict: "approved" } as Reviews.Review]])
    const state = { ...bench.state, kernel: { ...bench.state.kernel, [Reviews.part.name]: reviews } }
    const answer = (more: Partial<IntentApproval.ApprovalNeed>, terms: Partial<DecisionTerms.DecisionTerms> = {}) =>
      IntentApproval.of({ ...bench.terms, ...terms }, state, { ...asked, ...more })
    return { answer, bench }
  }

  it("is bound to payload, occurrence, context, tool, contract, run and tenant, and to nothing else", () => {
    const { answer, bench } = approvedState()
    assert.strictEqual(answer({})._tag, "Granted")
    assert.strictEqual(
      answer(
        { why: Finding.make("approval.forked", { tool: "book" }), expiresMillis: bench.terms.now + 1 },
        { tick: 99 }
      )._tag,
      "Granted"
    )
    const { id, tenant } = bench.terms.run
    const others = [
      answer({ requestHash: "ef" }),
      answer({ occurrence: 2 }),
      answer({ context: undefined }),
      answer({ tool: "tell" }),
      answer({}, { pack: asking({ expires: "1m" }).pack }),
      answer({}, { pack: undefined }),
      answer({}, { run: Run.make(`${id}-2`, tenant) }),
      answer({}, { run: Run.make(id, `${tenant}-2`) })
    ]
    for (const [index, other] of others.entries()) assert.strictEqual(other._tag, "Unasked", `the ${index + 1}th`)
  })

  it("is one by a role of the present contract, whichever role was asked then", () => {
    const { answer } = approvedState()
    const other = answer({ needs: ["owner"] })
    assert.strictEqual(other._tag, "Unasked")
    assert.strictEqual(other._tag === "Unasked" ? other.check.why?.code : "", "approval.role")
    assert.strictEqual(answer({ needs: ["owner", "manager"] })._tag, "Granted")
  })

  it("does not pass from one contract to the next, nor from a run to its fork", () => {
    const bench = asking()
    decided(bench, bookOf("LX1"))
    const command = { _tag: "Propose", proposal: bookOf("LX1") } as const
    call(Kernel.decide(bench.terms, bench.state, command))
    const { pack } = asking({ expires: "1m" })
    ends(Kernel.decide({ ...bench.terms, pack }, bench.state, command), "Parked")
    ends(Kernel.decide({ ...bench.terms, run: Run.make("trip-fork-5") }, bench.state, command), "Parked")
  })
})

describe("reviews that verification asked for", () => {
  it("are listed in the order in which they were asked for", () => {
    const { state } = new Bench()
    const review = (tick: number) =>
      ({ binding: "", needs: [], requestHash: "", tick, tool: "book", action: `a${tick}` }) satisfies Reviews.Review
    const ticks = [9, 3, 12, 5, 7, 4, 11, 6, 8, 10]
    const reviews = Table.from(ticks.map((tick) => [`v${tick}`, review(tick)] as const))
    const listed = Reviews.ofVerification({ ...state, kernel: { ...state.kernel, [Reviews.part.name]: reviews } })
    assert.deepStrictEqual(
      listed.map(([, { tick }]) => tick),
      [...ticks].sort((one, other) => one - other)
    )
  })
})
