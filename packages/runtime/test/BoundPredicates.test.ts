import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as BoundPredicates from "../src/versioning/BoundPredicates.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const violation = { id: "moody", when: "working.mood > 5", monotone: "lift" as const }

describe("BoundPredicates", () => {
  it.effect("adds a predicate that was tried on the run itself, and lists it with those that are built in", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const within = lab.as(process)
      const tried = yield* within(BoundPredicates.attempt(violation, { samples: [lab.trip] }))
      const added = yield* within(BoundPredicates.add(lab.trip, violation, { samples: [], approvedBy: "grace" }))
      assert.deepInclude(added, { accepted: true, into: "trip", registration: tried.registration })
      const { builtIn, predicates } = yield* within(BoundPredicates.of(lab.trip))
      assert.isTrue(predicates.some(({ id }) => id === "moody"))
      assert.isNotEmpty(builtIn)
    })
  )
})
