import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ActionState from "../src/machine/ActionState.ts"

const Mover = Schema.Literals(["kernel", "retry_policy", "operator"])

/** The rows of Action Verification's table, by the states that follow. */
const rows: { readonly [From in ActionState.State]?: ReadonlyArray<ActionState.State> } = {
  proposed: ["validated", "failed"],
  validated: ["executing", "failed", "review_required"],
  executing: ["accepted", "pending", "committed", "failed", "unknown"],
  accepted: ["pending", "failed", "unknown"],
  pending: ["committed", "verification_timeout", "failed", "unknown"],
  committed: ["reconciled_success", "reconciliation_failed", "partially_committed"],
  partially_committed: ["compensating", "forward_recovery", "review_required"],
  reconciliation_failed: ["compensating", "forward_recovery", "review_required", "failed"],
  verification_timeout: ["unknown", "review_required", "compensating", "forward_recovery"],
  unknown: ["review_required", "pending", "reconciliation_failed", "reconciled_success"],
  compensating: ["compensated", "compensation_failed", "review_required"],
  compensation_failed: ["review_required"],
  forward_recovery: ["reconciled_success", "review_required", "failed"]
}

const origins = (origin: ActionState.Edge["origin"]) =>
  ActionState.states.flatMap((from) =>
    ActionState.next(from)
      .filter((to) => ActionState.edge(from, to)?.origin === origin)
      .map((to) => `${from} -> ${to}`)
  )

describe("ActionState", () => {
  it("has the nineteen states, and every row of the published table", () => {
    assert.strictEqual(ActionState.states.length, 19)
    for (const [from, expected] of Object.entries(rows)) {
      const found = ActionState.next(from as ActionState.State, "kernel").filter(
        (to) => ActionState.edge(from as ActionState.State, to)?.origin === "table"
      )
      assert.sameMembers([...found], [...expected], from)
    }
  })

  it("adds exactly the two edges of the diagram, and says why for each of its own", () => {
    assert.sameMembers(origins("diagram"), ["executing -> reconciliation_failed", "executing -> partially_committed"])
    assert.sameMembers(origins("ours"), [
      "executing -> rolled_back",
      "reconciliation_failed -> rolled_back",
      "review_required -> abandoned"
    ])
  })

  it("reaches every state from Proposed by permitted moves alone", () => {
    const reached = new Set<ActionState.State>(["proposed"])
    for (const from of reached) {
      for (const to of ActionState.next(from)) {
        assert.isTrue(Result.isSuccess(ActionState.move(from, to, ActionState.edge(from, to)!.by)))
        reached.add(to)
      }
    }
    assert.sameMembers([...reached], [...ActionState.states])
  })

  it.prop(
    "refuses every move that is no edge, and says where the action may go instead",
    [ActionState.State, ActionState.State, Mover],
    ([from, to, by]) => {
      const moved = ActionState.move(from, to, by)
      const edge = ActionState.edge(from, to)
      if (edge?.by === by) return Result.isSuccess(moved) && moved.success === to
      if (Result.isSuccess(moved)) return false
      assert.deepStrictEqual(moved.failure.permitted, ActionState.next(from))
      return moved.failure._tag === "MoveRefused" && moved.failure.message.includes(from)
    },
    { arbitrary: { runs: 1500 } }
  )

  it("leaves abandoning and resolving to an operator, and retrying a failure to the retry policy", () => {
    for (const to of ActionState.next("review_required")) {
      const refused = ActionState.move("review_required", to)
      assert.isTrue(Result.isFailure(refused) && refused.failure.message.includes("for operator to decide"))
      assert.isTrue(Result.isSuccess(ActionState.move("review_required", to, "operator")))
    }
    assert.isTrue(Result.isFailure(ActionState.move("failed", "validated", "operator")))
    assert.isTrue(Result.isSuccess(ActionState.move("failed", "validated", "retry_policy")))
  })

  it("never leaves a reconciled success, which stays terminal (decision 0040)", () => {
    for (const state of ["reconciled_success", "compensated", "rolled_back", "abandoned"] as const) {
      assert.deepStrictEqual(ActionState.next(state), [])
    }
  })

  it("walks by edges alone, of the kernel up to the last, and along the road of where it goes", () => {
    for (const by of Mover.literals) {
      for (const from of ActionState.states) {
        for (const to of ActionState.states) {
          const walked = ActionState.advance(from, to, by)
          if (Result.isFailure(walked)) continue
          let at = from
          for (const [index, state] of walked.success.entries()) {
            const isLast = index === walked.success.length - 1
            const moved = ActionState.move(at, state, isLast ? by : "kernel")
            assert.isTrue(Result.isSuccess(moved), `${from} to ${to}: ${at} -> ${state}`)
            assert.isTrue(isLast || ActionState.roads[to]?.includes(state), `${from} to ${to} by ${state}`)
            at = state
          }
          assert.strictEqual(at, to)
        }
      }
    }
    assert.deepStrictEqual(Result.getOrThrow(ActionState.advance("pending", "reconciled_success")), [
      "committed",
      "reconciled_success"
    ])
    assert.isTrue(Result.isFailure(ActionState.advance("failed", "reconciled_success")))
  })

  it("holds an action open from its start until it is settled, review included (L7)", () => {
    const open = ActionState.states.filter(ActionState.isOpen)
    assert.includeMembers(open, ["executing", "unknown", "pending", "review_required", "compensating"])
    for (const state of ["proposed", "validated", "failed", "reconciled_success", "rolled_back"] as const) {
      assert.isFalse(ActionState.isOpen(state))
    }
  })

  it("lets the compiler refuse a move that is no edge", () => {
    assert.strictEqual(ActionState.step("committed", "reconciled_success"), "reconciled_success")
    // @ts-expect-error accepted is not committed
    assert.strictEqual(ActionState.step("accepted", "reconciled_success"), "reconciled_success")
  })
})
