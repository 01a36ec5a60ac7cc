/** The content of a decision is written down once, in the order of its slots. */
import { assert, describe, it } from "@effect/vitest"
import * as CommitContent from "../src/decision/CommitContent.ts"
import * as DecisionTerms from "../src/state/DecisionTerms.ts"
import { Bench } from "./lab.ts"

const { terms } = new Bench()

const action = { id: "a2" }
const why = { code: "forward.late", args: {} } as const
const review = (name: string) => ({ action, data: { review: name } })
const message = (to: string) => DecisionTerms.draft(terms, { author: "agent", data: { to }, type: "message.sent" })

/** Every slot, none of them where it belongs. */
const full: Required<CommitContent.CommitContent> = {
  sent: { action, stamp: { key: "k2" } },
  reviews: [review("v9"), review("v10")],
  asked: { action, stamp: { spent: { verification: 1 } } },
  exhausted: [{ data: { budget: "tokens", why } }],
  asks: [review("v8")],
  stops: { action, data: { stops: "a1" } },
  follows: { action, data: { decision: "compensate_backward" } },
  reconciled: { action, data: { owes: "a1" } },
  closed: [{ action: { id: "a3" } }, { action: { id: "a4" } }],
  read: { action, data: { source: "replica" } },
  recovery: { action, data: { decision: "hold_and_escalate" } },
  verified: { action, data: { mismatches: 1 } },
  short: [{ data: { budget: "steps", why } }],
  noted: { action, data: { decision: "force_strong_read" } },
  answered: { action, data: { stage: "accepted" } },
  broken: review("v7"),
  started: { action, stamp: { key: "k1" } },
  requested: { action, author: "agent" },
  refused: { data: { proposed: "action.request" } },
  unused: { data: { approval: "v1" } },
  records: [message("Ada"), message("Bob")],
  original: { action: { id: "a1" }, data: { undoing: "p1" } }
}

const slots = Object.keys(full) as ReadonlyArray<CommitContent.Slot>

describe("CommitContent", () => {
  it("is written in the order of its slots, whatever the order in which they were filled", () => {
    const types = CommitContent.drafts(terms, full).map(({ body }) => body.type)
    assert.deepStrictEqual(types, [
      "action.verified",
      "message.sent",
      "message.sent",
      "recovery.decided",
      "intent.refused",
      "action.request",
      "action.started",
      "review.requested",
      "action.result",
      "recovery.decided",
      "budget.exhausted",
      "action.verified",
      "recovery.decided",
      "action.result",
      "action.reconciled",
      "action.reconciled",
      "action.reconciled",
      "recovery.decided",
      "recovery.decided",
      "review.requested",
      "budget.exhausted",
      "action.asked",
      "review.requested",
      "review.requested",
      "action.started"
    ])
    assert.deepStrictEqual(CommitContent.drafts(terms, CommitContent.nothing), [])
  })

  it("ends with action.started: no transition comes between it and the sending (L5)", () => {
    const last = CommitContent.drafts(terms, full).at(-1)
    assert.deepStrictEqual([last?.body.type, last?.stamp.key], ["action.started", "k2"])
  })

  it("comes to as many drafts as it says", () => {
    assert.strictEqual(CommitContent.size(full), CommitContent.drafts(terms, full).length)
    assert.strictEqual(CommitContent.size({ asks: [], verified: undefined }), 0)
  })

  it("can be cut before a slot, to the first part of its drafts", () => {
    const all = CommitContent.drafts(terms, full)
    const lengths = slots.map((slot) => {
      const kept = CommitContent.drafts(terms, CommitContent.before(full, slot))
      assert.deepStrictEqual(kept, all.slice(0, kept.length))
      return kept.length
    })
    assert.deepStrictEqual(new Set(lengths).size, slots.length)
    assert.strictEqual(Math.max(...lengths), all.length - 1)
  })

  it("has the kernel as author at the time of the decision, unless another author is named", () => {
    const [first, ...others] = CommitContent.drafts(terms, { verified: full.verified, requested: full.requested })
    assert.strictEqual(first?.body.author, "agent")
    assert.deepStrictEqual(others, [
      {
        body: { action, author: "kernel", data: { mismatches: 1 }, type: "action.verified" },
        envelope: { ts: terms.now },
        stamp: { asOf: terms.now }
      }
    ])
  })

  it("puts the records that it follows before its own", () => {
    const behind = CommitContent.after(CommitContent.records(message("Bob")), message("Ada"))
    assert.deepStrictEqual(behind, CommitContent.records(message("Ada"), message("Bob")))
  })

  it("is changed in one slot, and is the same if that slot is empty or unchanged", () => {
    const { noted, recovery } = full
    const frozen = CommitContent.changed({ noted, recovery }, "recovery", (said) => ({
      ...said,
      data: { freezes: true }
    }))
    assert.deepStrictEqual(frozen, { noted, recovery: { action, data: { freezes: true } } })
    assert.strictEqual(
      CommitContent.changed(full, "recovery", (said) => said),
      full
    )
    assert.strictEqual(
      CommitContent.changed(CommitContent.nothing, "recovery", () => ({ action })),
      CommitContent.nothing
    )
  })

  it("knows the last decision of the recovery table", () => {
    const { follows, noted, recovery } = full
    assert.strictEqual(CommitContent.decided({ noted, recovery, follows }), "compensate_backward")
    assert.strictEqual(CommitContent.decided({ noted, recovery }), "hold_and_escalate")
    assert.strictEqual(CommitContent.decided({ noted }), "force_strong_read")
    assert.isUndefined(CommitContent.decided(CommitContent.nothing))
  })
})
