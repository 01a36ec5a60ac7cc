import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as ApprovedArguments from "../src/pending/ApprovedArguments.ts"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const launch = (count: number) => ({ tool: "launch", params: { count, when: "now" } })

describe("ApprovedArguments", () => {
  it.effect("names the changes since the last approval of the same tool, in the receipt and in the inbox", () =>
    Effect.gen(function* () {
      const told = yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const first = yield* handle.propose(launch(3))
          const review = first._tag === "Parked" ? first.review : ""
          assert.deepStrictEqual((yield* PendingApprovals.ofTenant(lab.trip.tenant))[0]?.changed, [])
          const data = { by: "Ada", review, role: "operator", verdict: "approved" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          const other = yield* handle.propose(launch(300))
          const { asks } = yield* Receipt.make(lab.trip, other)
          const [waits] = yield* PendingApprovals.ofTenant(lab.trip.tenant)
          assert.deepStrictEqual(asks[0]?.params, launch(300).params)
          assert.deepStrictEqual(waits?.changed, asks[0]?.changed)
          return { review, said: asks.flatMap(({ changed }) => changed.map((each) => ApprovedArguments.say(each))) }
        })
      )
      assert.deepStrictEqual(told.said, [`count: Ada approved 3 (${told.review}), and 300 is asked for`])
    })
  )

  it.effect("says that the approval of before has expired, in the receipt and in the inbox", () =>
    Effect.gen(function* () {
      const approvals = { book: { by: ["manager"], expires: "1m" } }
      const careful = Result.getOrThrow(TaskPack.make({ ...(lab.definition as Definition), approvals }))
      const seen = yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.open(lab.trip, { pack: careful, goal: "goal" })
          const before = Effect.gen(function* () {
            const parked = yield* handle.propose(lab.book("LX1"))
            const [asked] = (yield* Receipt.make(lab.trip, parked)).asks
            const [waits] = yield* PendingApprovals.ofTenant(lab.trip.tenant)
            return { review: waits?.review ?? "", said: [asked?.before, waits?.before] }
          })
          const first = yield* before
          const data = { by: "Grace", review: first.review, role: "manager", verdict: "approved" }
          yield* handle.propose({ type: "review.decided", author: "user", data })
          yield* TestClock.adjust("2 minutes")
          return [first.said, (yield* before).said]
        })
      )
      const expired = "the approval of Grace has expired"
      assert.deepStrictEqual(seen, [
        [null, null],
        [expired, expired]
      ])
    })
  )
})
