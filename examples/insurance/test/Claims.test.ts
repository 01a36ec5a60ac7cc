import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as Check from "@backstitch/kernel/Check"
import type { Outcome } from "@backstitch/kernel/Outcome"
import * as Latch from "@backstitch/reducer/Latch"
import * as CherryPicking from "@backstitch/runtime/CherryPicking"
import * as History from "@backstitch/runtime/History"
import * as Predicates from "@backstitch/runtime/Predicates"
import type { RunHandle } from "@backstitch/runtime/RunHandle"
import * as RunVerification from "@backstitch/runtime/RunVerification"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Claims from "../Claims.ts"

const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.scoped, Effect.provide(Claims.layer(new Claims.Books()), { local: true }))

const latches = (handle: RunHandle) => Effect.map(handle.position, ({ state }) => Latch.of(state))

const failed = (outcome: Outcome) =>
  outcome._tag === "Refused" ? Check.failing(outcome.checks).map(({ id, step }) => `${step} ${id}`) : []

/** A claim that is decided, documented and paid; twice if a second amount is given. */
const settled = Effect.fnUntraced(function* (claim: string, amounts: ReadonlyArray<string>) {
  const handle = yield* Claims.open(claim)
  yield* handle.propose(Claims.recorded(Claims.complete))
  for (const [index, amount] of amounts.entries()) {
    yield* handle.propose(Claims.recorded({ payout_amount: amount }))
    const outcome = yield* handle.propose(Claims.payout(`${claim}-${index}`, amount))
    assert.strictEqual(outcome._tag, "Done")
  }
  return handle
})

/** Paid at intake, before the document was there, and once more with it. */
const hasty = Effect.gen(function* () {
  const handle = yield* Claims.open("hasty")
  yield* handle.propose(Claims.recorded({ payout_amount: "100.00" }))
  yield* handle.propose(Claims.payout("hasty-0", "100.00"))
  yield* handle.propose(Claims.recorded(Claims.complete))
  yield* handle.propose(Claims.payout("hasty-1", "100.00"))
  return handle
})

const documented = "working.proof_of_loss_url == null || working.proof_of_loss_url == ''"
const confirmed = "working.deductible_confirmed_at == null"

describe("The claims contract", () => {
  it.effect("accepts null for a nullable field, and nothing else in its place", () =>
    within(
      Effect.gen(function* () {
        const handle = yield* Claims.open("claim-1")
        // The amount may not be null; the document may, and so the refusal names the amount alone.
        const early = yield* handle.propose(Claims.payout("p-1", "100.00"))
        assert.include(failed(early), "required_state working.payout_amount")
        assert.notInclude(failed(early).join(), "proof_of_loss_url")
        yield* handle.propose(Claims.recorded({ payout_amount: "100.00" }))
        const paid = yield* handle.propose(Claims.payout("p-1", "100.00"))
        assert.strictEqual(paid._tag, "Done")
        const other = yield* handle.propose(Claims.payout("p-2", "900.00"))
        assert.deepStrictEqual(failed(other), ["guard amount_as_decided"])
      })
    )
  )

  it.effect("reports a payout without document or deductible, whatever arrives later", () =>
    within(
      Effect.gen(function* () {
        const late = yield* latches(yield* hasty)
        assert.containsAllKeys(late, ["unverified_payout", "deductible_not_confirmed"])
        assert.deepStrictEqual(yield* latches(yield* settled("claim-2", ["100.00"])), {})
      })
    )
  )

  it.effect("counts the payout that passes the limit: the window is the state after it", () =>
    within(
      Effect.gen(function* () {
        const handle = yield* settled("claim-3", ["6000.00", "6000.00"])
        const { head } = yield* handle.position
        const history = yield* History.History
        const transitions = yield* history.transitions(handle.run)
        const last = transitions.findLast(({ body }) => body.type === "action.reconciled")
        assert.strictEqual((yield* latches(handle))["over_limit_payout"], last?.tick)
        // Over the state before, that payout is not in the total yet.
        const before = yield* Predicates.course(handle.run, {
          id: "over_limit_before",
          scope: ["approve_payout"],
          state: "before",
          condition: "world.total_paid_to_date > world.policy_limit",
          monotone: true
        })
        assert.notInclude(
          before.changes.map(({ verdict }) => verdict),
          "violation"
        )
        assert.isAbove(head.tick, last?.tick ?? 0)
      })
    )
  )

  it.effect("registers the running total as monotone, as it is written", () =>
    within(
      Effect.gen(function* () {
        const { run } = yield* settled("claim-4", ["6000.00", "6000.00", "10.00"])
        const { registration } = yield* Predicates.register(
          {
            id: "over_limit",
            scope: ["approve_payout"],
            state: "after",
            condition: "world.total_paid_to_date > world.policy_limit",
            monotone: true
          },
          { samples: [run], pack: Claims.pack }
        )
        assert.strictEqual(registration.as, "monotone")
        assert.deepStrictEqual(registration.tested, ["claim-4"])
      })
    )
  )

  it.effect(
    "refuses the other two as monotone, because they recover when the document arrives, and takes them lifted",
    () =>
      within(
        Effect.gen(function* () {
          const { run: calm } = yield* settled("claim-5", ["100.00"])
          const { run: late } = yield* hasty
          for (const when of [documented, confirmed]) {
            const register = (violation: Predicates.Violation, sample = late) =>
              Predicates.register(violation, { samples: [sample], pack: Claims.pack })
            // Everywhere: it holds at intake, in every run, and recovers.
            const everywhere = yield* Effect.flip(register({ id: "everywhere", when, monotone: true }, calm))
            assert.strictEqual(everywhere._tag, "NotMonotone")
            // At payouts alone, but declared as never recovering: the second payout has the document.
            const scoped = { id: "scoped", when, scope: ["approve_payout"] }
            const declared = yield* Effect.flip(register({ ...scoped, monotone: true }))
            assert.strictEqual(declared._tag, "NotMonotone")
            assert.include(declared.message, "monotone: lift")
            // At payouts and lifted: there was a payout without it.
            const { registration } = yield* register({ ...scoped, monotone: "lift" })
            assert.deepStrictEqual([registration.as, registration.tested], ["lift", ["hasty"]])
          }
        })
      )
  )

  it.effect("does not let an approval of one claim pass as that of another", () =>
    within(
      Effect.gen(function* () {
        const one = yield* settled("claim-6", ["100.00"])
        const other = yield* Claims.open("claim-7")
        yield* other.propose(Claims.recorded({ ...Claims.complete, payout_amount: "100.00" }))
        const before = yield* other.position
        const { verdict } = yield* CherryPicking.pick({ from: one.run, tick: 4, onto: other.run })
        assert.deepStrictEqual(
          verdict.reasons.map(({ code, path }) => [code, path]),
          [["context_violation", "world.claim_id"]]
        )
        assert.deepStrictEqual((yield* other.position).head, before.head)
      })
    )
  )

  it.effect("grows at tick 47 and not before, for required and for watched fields", () =>
    within(
      Effect.gen(function* () {
        const handle = yield* Claims.open("claim-8")
        yield* handle.propose(Claims.recorded({ ...Claims.complete, payout_amount: "100.00" }))
        const extended = yield* handle.propose(Claims.screening(47))
        assert.strictEqual(extended._tag, "Done")
        yield* Claims.until(handle, 42)
        const before = yield* handle.propose(Claims.payout("p-42", "100.00"))
        assert.strictEqual(before._tag, "Done")
        const { head } = yield* handle.position
        assert.isAtMost(head.tick, 46)
        assert.notProperty(yield* latches(handle), "unscreened_claim")
        yield* Claims.until(handle, 47)
        const refused = yield* handle.propose(Claims.payout("p-47", "100.00"))
        assert.deepStrictEqual(failed(refused), ["required_state working.fraud_screened_at"])
        const { unscreened_claim, unscreened_payout } = yield* latches(handle)
        // It had been so from the beginning, but no rule demanded it before.
        assert.deepStrictEqual([unscreened_claim, unscreened_payout], [47, undefined])
        yield* handle.propose(Claims.screened)
        const after = yield* handle.propose(Claims.payout("p-47", "100.00"))
        assert.strictEqual(after._tag, "Done")
        assert.isTrue((yield* RunVerification.verify(handle.run)).consistent)
        const late = yield* handle.propose(Claims.screening(12))
        assert.strictEqual(late._tag, "Refused")
      })
    )
  )

  it.effect("asks for a missing field only if a clause names it", () =>
    within(
      Effect.gen(function* () {
        const handle = yield* Claims.open("claim-9")
        const letter = { tool: "request_info", params: { letter: "l-1" } }
        const unnamed = yield* handle.propose(letter)
        assert.deepStrictEqual(failed(unnamed), ["required_state working.missing_field_name"])
        yield* handle.propose(Claims.recorded({ missing_field_name: "proof_of_loss_url" }))
        assert.strictEqual((yield* handle.propose(letter))._tag, "Done")
      })
    )
  )

  it("tells the story, and ends well", () => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, "../main.ts")], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    assert.include(stdout, "refused at tick 47: required_state working.fraud_screened_at")
    assert.include(stdout, "unverified_payout since tick")
  })
})
