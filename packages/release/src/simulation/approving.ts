/** A person who approves every request of a drill. */
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as Reviews from "@backstitch/kernel/Reviews"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as Effect from "effect/Effect"
import * as Limits from "../Limits.ts"

/** A person who approves every request, of the intent or of a reversal, as often as a contract may ask. */
export const approved = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, proposal: Proposal, first: Outcome) {
  let outcome = first
  for (let asked = 0; outcome._tag === "Parked" && asked < Limits.pacing.drillApprovalsMax; asked++) {
    const { needs, review } = outcome
    const data = { by: "drill", review, role: needs[0] ?? "", verdict: "approved" }
    yield* handle.propose({ type: "review.decided", author: "user", data })
    const { state } = yield* handle.position
    const isOurs = Reviews.of(state).get(review)?.tool === proposal.tool
    outcome = isOurs ? yield* handle.propose(proposal) : yield* recovered(handle, outcome)
  }
  return outcome
})

/** Settles the open actions; answers the last outcome, or the one before if no action was open. */
export const recovered = (handle: RunHandle.RunHandle, before: Outcome) =>
  Effect.map(handle.resume, (outcomes) => outcomes.at(-1) ?? before)
