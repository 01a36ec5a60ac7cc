import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ApprovalCard from "@backstitch/wording/ApprovalCard"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as PendingApprovals from "../src/pending/PendingApprovals.ts"
import * as ReviewDecision from "../src/review/ReviewDecision.ts"
import * as StoredRevision from "../src/revisions/StoredRevision.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"
import * as party from "./party.ts"

/** A booking needs a manager, and rests on the mood of the run. */
const careful = Result.getOrThrow(
  TaskPack.make({
    ...(lab.definition as Definition),
    state: { ...lab.definition.state, working: { ...lab.definition.state.working, mood: "string" } },
    transitions: { book: { required_state: { "working.mood": { type: "string" } }, hash_seeds: ["working.mood"] } },
    reducers: { on: { "observation.add": [{ set: { field: "working.mood", value: "args.text" } }] } },
    approvals: { book: { by: ["manager"], expires: "1h" } }
  } as Definition)
)

const mood = (text: string) => ({ type: "observation.add", data: { text } })

describe("the card of an approval", () => {
  it.effect("says what is asked, what a yes permits and for how long, and how to answer", () =>
    Effect.gen(function* () {
      const [card, ...others] = yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const handle = yield* (yield* Coordinator.Coordinator).open(lab.trip, { pack: careful, goal: "goal" })
          yield* handle.propose(mood("calm"))
          yield* handle.propose(lab.book("LX1"))
          return yield* PendingApprovals.ofTenant(lab.trip.tenant)
        })
      )
      assert.deepStrictEqual(others, [])
      assert.isTrue(Schema.is(ApprovalCard.ApprovalCard)(card))
      assert.deepEqual<unknown>(card?.params, lab.book("LX1").params)
      assert.deepInclude(card, {
        permits: "A yes permits this call of book with these arguments, and no other, for 1h after it is given.",
        expiresMillis: 3_600_000,
        changed: [],
        moved: [],
        withheld: false
      })
      const { digest, needs, review } = card!
      assert.deepStrictEqual(card!.deny, { verb: "decide", as: "denied", run: "trip", review, needs, digest })
    })
  )

  it.effect(
    "names the clauses that were revised since it was asked, and those that the call does not fit; a yes counts",
    () =>
      Effect.gen(function* () {
        const process = party.processOf(yield* lab.shared, new party.Desk())
        const changes = { approvals: { hire: { by: ["manager"] } } }
        const cards = yield* lab.elapsing(
          lab.as(process)(
            Effect.gen(function* () {
              const handle = yield* party.opened(changes)
              yield* handle.propose(party.hire("Casino"))
              yield* handle.flush
              const before = yield* PendingApprovals.ofTenant(lab.trip.tenant)
              const revision = { changes: [{ change: "set", clause: "city", value: "Basel" }] } as const
              yield* Effect.scoped(StoredRevision.record(lab.trip, { revision }))
              const after = yield* PendingApprovals.ofTenant(lab.trip.tenant)
              const others = [
                { change: "withdraw", clause: "city" },
                { change: "add", clause: "quiet", holds: "true" }
              ] as const
              yield* Effect.scoped(StoredRevision.record(lab.trip, { revision: { changes: others } }))
              return [...before, ...after, ...(yield* PendingApprovals.ofTenant(lab.trip.tenant))]
            })
          )
        )
        assert.deepStrictEqual(
          cards.map(({ moved, revised, unfit }) => ({ moved, revised, unfit })),
          [
            { moved: [], revised: [], unfit: [] },
            {
              moved: [],
              revised: [{ path: "clause.city", asked: '"Bern"', now: '"Basel"' }],
              unfit: [{ clause: "city", condition: "args.city == clause.city" }]
            },
            {
              moved: [],
              revised: [
                { path: "clause.city", asked: '"Bern"', now: "withdrawn" },
                { path: "clause.quiet", asked: "not there", now: "true" }
              ],
              unfit: []
            }
          ]
        )
      })
  )

  it.effect("says what has moved since it was asked; a yes counts again once that is as it was", () =>
    Effect.gen(function* () {
      const seen = yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          const handle = yield* (yield* Coordinator.Coordinator).open(lab.trip, { pack: careful, goal: "goal" })
          yield* handle.propose(mood("calm"))
          yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(mood("angry"))
          const [card] = yield* PendingApprovals.ofTenant(lab.trip.tenant)
          const { digest, review } = card!
          const said = { review, by: "Ada", role: "manager", verdict: "approved" } as const
          yield* handle.flush
          yield* ReviewDecision.decide(lab.trip, { ...said, digest })
          const moved = yield* handle.propose(lab.book("LX1"))
          yield* handle.propose(mood("calm"))
          return { card, moved: moved._tag, back: (yield* handle.propose(lab.book("LX1")))._tag }
        })
      )
      assert.deepStrictEqual(seen.card?.moved, [{ path: "working.mood", asked: '"calm"', now: '"angry"' }])
      assert.deepStrictEqual([seen.moved, seen.back], ["Parked", "Done"])
    })
  )
})
