import * as ActionHistories from "@backstitch/ledger/ActionHistories"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as RecoveryTable from "@backstitch/reconciliation/RecoveryTable"
import * as Reporting from "@backstitch/reconciliation/Reporting"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { NextQuestion } from "../src/decision/Decision.ts"
import type { Concluded, Evidence } from "../src/decision/Evidence.ts"
import * as Reviews from "../src/review/Reviews.ts"
import { asks, Bench, definition, ends, ok } from "./lab.ts"

const assign = {
  class: "low_risk_internal",
  input: { seat: "string", holder: "string" },
  target: "'seat/' + args.seat",
  identity: { scope: "goal", fields: [{ seat: "code" }, { holder: "name" }] },
  times: { sendWithin: "3s", settleAfter: "1s" },
  transaction: "local",
  readback: {
    source: "database",
    expect: ["actual.holder == args.holder"],
    scope: { target: "'seat/' + actual.seat" },
    within: "2s"
  },
  undo: "X"
} as const
const { tools } = definition
const changes = { tools: { ...tools, assign } }

const seat = (holder: string | null, id = "4A"): Evidence => ok({ seat: id, holder })
const gone: Evidence = { _tag: "NotFound" }
const silence: Evidence = { _tag: "Unknown", reason: "nobody answered" }
const proposal = { tool: "assign", params: { seat: "4A", holder: "Ada" } }

/** A seat, of which the record was read before anything was opened. */
const begun = (before: Evidence = seat(null), bench = new Bench({ changes })) => {
  const { action } = asks(bench.proposes(proposal), "ReadBefore")
  const decision = bench.does({ _tag: "ReadBefore", action, evidence: before })
  return {
    action,
    bench,
    decision,
    inside: (evidence: Evidence) => bench.does({ _tag: "ReadInside", action, evidence }),
    outside: (evidence: Evidence, concluded?: Concluded) =>
      bench.does({ _tag: "ReadBack", action, evidence, ...(concluded === undefined ? {} : { concluded }) }),
    get history() {
      return ActionHistories.of(bench.transitions, action)!
    },
    get states() {
      return ActionHistories.of(bench.transitions, action)!.visited.map(({ state }) => state)
    }
  }
}

/** And the tool has acted in its transaction, which is open. */
const opened = (before?: Evidence, bench?: Bench) => {
  const trial = begun(before, bench)
  asks(trial.bench.answers(trial.action, ok({ rows: 1 })), "ReadInside")
  return trial
}

const concludes = ({ next }: { readonly next: NextQuestion }): string =>
  next._tag === "Conclude" ? next.how : assert.fail(`expected Conclude, found ${JSON.stringify(next)}`)

describe("LocalTransaction", () => {
  it("commits a change that meets the contract inside, the verdict first, and believes the read outside", () => {
    const trial = opened()
    const { bench } = trial
    assert.strictEqual(OpenActions.of(bench.state)[trial.action]?.transaction, "open")
    const verdict = trial.inside(seat("Ada"))
    assert.strictEqual(concludes(verdict), "commit")
    assert.strictEqual(verdict.flush, "now")
    assert.deepInclude(bench.last.body.data, { verdict: "commit" })
    assert.strictEqual(trial.history.state, "executing")
    ends(trial.outside(seat("Ada"), "committed"), "Done")
    assert.deepStrictEqual(trial.states, ["proposed", "validated", "executing", "committed", "reconciled_success"])
    assert.isTrue(Reporting.isSuccess(Reporting.report(trial.history).user))
  })

  it("rolls back a change that does not, by the row of the table, and settles it once it is gone (L9)", () => {
    const trial = opened()
    const { bench } = trial
    const verdict = trial.inside(seat("Bob"))
    assert.strictEqual(concludes(verdict), "roll_back")
    assert.strictEqual(verdict.flush, "now")
    const { decision, discrepancy, row, section } = bench.last.body.data ?? {}
    assert.deepStrictEqual([discrepancy, decision], ["value_mismatch", "roll_back"])
    const rows = RecoveryTable.sections[section as keyof typeof RecoveryTable.sections]
    assert.deepStrictEqual(rows[Number(row) - 1]?.when, { transactionOpen: true })
    ends(trial.outside(seat(null), "rolled_back"), "Failed")
    // What was decided inside stands: outside nothing is judged a second time.
    const after = bench.transitions.findLast(({ body }) => body.type === "action.verified")?.body.data
    assert.deepInclude(after, { remains: "nothing" })
    assert.notProperty(after, "discrepancy")
    assert.deepStrictEqual(trial.states, [
      ...["proposed", "validated", "executing", "reconciliation_failed", "rolled_back"]
    ])
    assert.deepStrictEqual(trial.history.refused, [])
    assert.strictEqual(Reporting.report(trial.history).standing, "rolled_back")
    assert.isUndefined(OpenActions.of(bench.state)[trial.action])
    // The same may be tried again, under the next key.
    asks(bench.proposes(proposal), "ReadBefore")
  })

  it("rolls back an empty record, an unreadable one, a missing answer and a late one", () => {
    const nothing = opened(gone)
    assert.strictEqual(concludes(nothing.inside(gone)), "roll_back")
    assert.deepInclude(nothing.bench.last.body.data, { discrepancy: "no_op_failure", decision: "roll_back" })
    ends(nothing.outside(gone, "rolled_back"), "Failed")

    const unread = opened()
    assert.strictEqual(concludes(unread.inside(silence)), "roll_back")
    assert.deepInclude(unread.bench.last.body.data, { discrepancy: "unknown_state", decision: "roll_back" })
    ends(unread.outside(seat(null), "rolled_back"), "Failed")

    const silent = begun()
    assert.strictEqual(concludes(silent.bench.answers(silent.action, silence)), "roll_back")
    ends(silent.outside(seat(null)), "Failed")
    assert.deepStrictEqual(silent.states.slice(-2), ["executing", "rolled_back"])

    const late = opened()
    late.bench.now += 3001
    assert.strictEqual(concludes(late.inside(seat("Ada"))), "roll_back")
    ends(late.outside(seat(null), "rolled_back"), "Failed")
    assert.strictEqual(late.history.state, "rolled_back")
  })

  it("does not believe a rollback from a read before its commit could no longer arrive (decision 0007)", () => {
    const trial = opened()
    const { action, bench } = trial
    const asked = bench.now
    assert.strictEqual(concludes(trial.inside(seat("Ada"))), "commit")
    bench.now += 4_000
    const reads = (askedAt: number) => bench.does({ _tag: "ReadBack", action, evidence: seat(null), askedAt })
    asks(reads(asked), "ReadBack")
    assert.isDefined(OpenActions.of(bench.state)[action])
    ends(trial.outside(seat("Ada")), "Done")
    const other = opened()
    other.inside(seat("Ada"))
    other.bench.now += 4_000
    const read = { action: other.action, evidence: seat(null), askedAt: other.bench.now }
    ends(other.bench.does({ _tag: "ReadBack", ...read }), "Failed")
    assert.strictEqual(other.history.state, "rolled_back")
  })

  it("fails with a tool that refused: nothing was opened", () => {
    const trial = begun()
    ends(trial.bench.answers(trial.action, { _tag: "Error", error: "taken" }), "Failed")
    assert.strictEqual(trial.history.state, "failed")
  })

  it("rolls back another target, too, and lets a person look before it is settled", () => {
    const trial = opened()
    const { action, bench } = trial
    assert.strictEqual(concludes(trial.inside(seat("Ada", "4B"))), "roll_back")
    assert.deepInclude(bench.last.body.data, { decision: "freeze_and_alarm" })
    ends(trial.outside(seat(null), "rolled_back"), "Held")
    assert.strictEqual(Reporting.report(trial.history).standing, "review_required")
    ends(bench.does({ _tag: "Recover", action }), "Held")
    ends(trial.outside(seat(null)), "Held")
    const data = { action, as: "failure", by: "grace", evidence: "the seat is as it was" }
    ends(bench.proposes({ type: "review.decided", author: "user", data }), "Done")
    assert.strictEqual(trial.history.state, "failed")
  })

  it("holds a rollback that left something, and never claims that nothing remains", () => {
    const trial = opened()
    trial.inside(seat("Bob"))
    ends(trial.outside(seat("Bob"), "rolled_back"), "Held")
    assert.deepInclude(trial.bench.last.body.data, { decision: "hold_and_escalate" })
    assert.strictEqual(trial.history.state, "review_required")
    assert.isDefined(OpenActions.of(trial.bench.state)[trial.action])
    // Somebody has looked after it.
    trial.bench.reopens(trial.action)
    ends(trial.outside(seat(null)), "Failed")
    assert.strictEqual(trial.history.state, "rolled_back")
  })

  it("waits for a record that cannot be read after a rollback, in the time of the readback", () => {
    const trial = opened()
    trial.inside(seat("Bob"))
    assert.strictEqual(trial.outside(silence, "rolled_back").next._tag, "Wait")
    trial.bench.now += 2001
    ends(trial.outside(silence), "Held")
    trial.bench.reopens(trial.action)
    ends(trial.outside(seat(null)), "Failed")
    assert.strictEqual(trial.history.state, "rolled_back")
  })

  describe("after a crash", () => {
    const crashes = {
      "before anything was read": () => {
        const bench = new Bench({ changes })
        const { action } = asks(bench.proposes(proposal), "ReadBefore")
        return { action, bench }
      },
      "while it was opened": () => begun(),
      "while it was read inside": () => opened(),
      "before it was committed": () => {
        const trial = opened()
        trial.inside(seat("Ada"))
        return trial
      }
    }
    for (const [when, crash] of Object.entries(crashes)) {
      it(`${when}: the store has aborted it, which counts once nobody can commit any more (L14)`, () => {
        const { action, bench } = crash()
        const read = (evidence: Evidence) => {
          asks(bench.does({ _tag: "Recover", action }), "ReadBack")
          return bench.does({ _tag: "ReadBack", action, evidence })
        }
        assert.strictEqual(read(seat(null)).next._tag, "Wait")
        bench.now += 4001
        ends(read(seat(null)), "Failed")
        const history = ActionHistories.of(bench.transitions, action)!
        assert.strictEqual(history.state, "rolled_back")
        assert.strictEqual(history.decision, "roll_back")
        assert.deepStrictEqual(history.refused, [])
      })
    }

    it("of a commit that was not heard, the record says that it is done", () => {
      const trial = opened()
      trial.inside(seat("Ada"))
      const { action, bench } = trial
      asks(bench.does({ _tag: "Recover", action }), "ReadBack")
      ends(trial.outside(seat("Ada")), "Done")
      assert.strictEqual(trial.history.state, "reconciled_success")
    })

    it("of a rollback on record, no run has to wait for anything", () => {
      const trial = opened()
      trial.inside(seat("Bob"))
      ends(trial.outside(seat(null)), "Failed")
      assert.strictEqual(trial.history.state, "rolled_back")
    })

    it("of a verdict that another process was faster to give, every source of the contract is asked", () => {
      const readback = { ...assign.readback, sources: [{ source: "audit" }] }
      const { action, inside } = opened(
        undefined,
        new Bench({ changes: { tools: { ...tools, assign: { ...assign, readback } } } })
      )
      assert.strictEqual(concludes(inside(seat("Ada"))), "commit")
      const request = asks(inside(seat("Bob")), "ReadBack")
      assert.deepStrictEqual([request.action, request.sources], [action, ["audit"]])
    })

    it("commits nothing that another process has settled meanwhile (L1)", () => {
      const trial = opened()
      trial.bench.now += 4001
      ends(trial.outside(seat(null)), "Failed")
      ends(trial.inside(seat("Ada")), "Done")
      assert.strictEqual(trial.history.state, "rolled_back")
    })
  })

  it("does not call a change rolled back that its store reports as committed, although the record is missing", () => {
    const trial = opened(gone)
    trial.inside(seat("Ada"))
    trial.bench.now += 5000
    ends(trial.outside(gone, "committed"), "Held")
    assert.strictEqual(OpenActions.of(trial.bench.state)[trial.action]?.transaction, "committed")
    ends(trial.outside(gone), "Held")
    assert.notStrictEqual(trial.history.state, "rolled_back")
  })

  it("commits a change that does not meet the contract under no table: it is rolled back, and held", () => {
    const trial = opened()
    trial.bench.recovery = {
      ...RecoveryTable.sections,
      value_mismatch: [{ when: {}, action: "settle_as_is", because: "a table that is tried" }],
      observation_authority_mismatch: [{ when: {}, action: "settle_as_is", because: "a table that is tried" }]
    }
    assert.strictEqual(concludes(trial.inside(seat("Bob"))), "roll_back")
    ends(trial.outside(seat(null), "rolled_back"), "Held")
  })

  it("asks for the review of a glass that was broken before it is reported as done", () => {
    const critical = { ...assign, class: "critical_mutation" as const }
    const bench = new Bench({ changes: { tools: { ...tools, assign: critical } } })
    const breakGlass = { by: "grace", reason: "the desk is down" }
    const { action } = asks(bench.proposes({ ...proposal, breakGlass }), "ReadBefore")
    bench.does({ _tag: "ReadBefore", action, evidence: seat(null) })
    bench.answers(action, ok({ rows: 1 }))
    assert.strictEqual(concludes(bench.does({ _tag: "ReadInside", action, evidence: seat("Ada") })), "commit")
    const read = { _tag: "ReadBack", action, evidence: seat("Ada"), concluded: "committed" } as const
    const { review } = ends(bench.does(read), "Parked")
    assert.isDefined(Reviews.of(bench.state).get(review))
  })

  const Seen = Schema.Struct({ holder: Schema.Literals(["Ada", "Bob"]), seat: Schema.Literals(["4A", "4B"]) })
  it.prop("is committed if and only if what is read inside meets the contract", [Seen], ([seen]) => {
    const trial = opened()
    const isMet = seen.holder === "Ada" && seen.seat === "4A"
    assert.strictEqual(concludes(trial.inside(ok(seen))), isMet ? "commit" : "roll_back")
  })
})
