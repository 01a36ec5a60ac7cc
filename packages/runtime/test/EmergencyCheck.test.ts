import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as EmergencyCheck from "../src/review/EmergencyCheck.ts"
import * as ReviewDecision from "../src/review/ReviewDecision.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const steps = [{ id: "launch", propose: { tool: "launch", params: { when: "now" } } }]

const emergency = (review: string) => ({ review, by: "Ada", reason: "fire" })

describe("EmergencyCheck", () => {
  it.effect("accepts a review that waits for an approval, and refuses any other with the list of those that wait", () =>
    Effect.gen(function* () {
      const within = lab.as(lab.process(yield* lab.shared, { steps }))
      yield* within(lab.work)
      const [waits] = yield* within(PendingApprovals.ofTenant(lab.trip.tenant))
      const review = waits?.review ?? ""
      const position = within(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          return yield* (yield* coordinator.reopen(lab.trip)).position
        })
      )
      const { state } = yield* position
      yield* EmergencyCheck.check(state, lab.trip, emergency(review))
      assert.deepInclude(EmergencyCheck.unbroken(state, emergency(review)), { tool: "launch", needs: ["operator"] })
      const unknown = yield* Effect.flip(EmergencyCheck.check(state, lab.trip, emergency("r0")))
      assert.deepInclude(unknown, { found: "unknown", waiting: [review] })
      assert.include(unknown.message, `${review} waits for an approval`)

      yield* within(ReviewDecision.decide(lab.trip, { review, by: "Grace", role: "operator", verdict: "denied" }))
      const denied = yield* Effect.flip(EmergencyCheck.check((yield* position).state, lab.trip, emergency(review)))
      assert.deepInclude(denied, { found: "denied", by: "Grace", waiting: [] })
      assert.isUndefined(EmergencyCheck.unbroken((yield* position).state, emergency(review)))
    })
  )
})
