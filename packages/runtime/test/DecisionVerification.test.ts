import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as DecisionVerification from "../src/replay/DecisionVerification.ts"
import * as lab from "./lab.ts"

const recorded = Effect.gen(function* () {
  const process = lab.process(yield* lab.shared, { world: new lab.World() })
  yield* lab.as(process)(
    Effect.gen(function* () {
      const handle = yield* lab.open()
      yield* handle.propose(lab.book("LX1"))
    })
  )
  return lab.as(process)
})

describe("DecisionVerification", () => {
  it.effect("verifies a run and decides it again, with the secret of its keys, and without one", () =>
    Effect.gen(function* () {
      const within = yield* recorded
      for (const [secret, told] of [
        ["secret", "own"],
        [undefined, "none"]
      ] as const) {
        const verdict = yield* within(DecisionVerification.verify(lab.trip, { secret }))
        assert.strictEqual(verdict.redecided?.secret, told)
        assert.isTrue(DecisionVerification.isSound(verdict))
      }
    })
  )

  it.effect("tells that the store knows another secret, and accuses no decision for it (L6)", () =>
    Effect.gen(function* () {
      const verdict = yield* (yield* recorded)(DecisionVerification.verify(lab.trip, { secret: "other" }))
      assert.deepInclude(verdict.redecided, { differs: [], secret: "another" })
      assert.isTrue(DecisionVerification.isSound(verdict))
    })
  )

  it.effect("makes no decision of a broken run again, and does not call it sound", () =>
    Effect.gen(function* () {
      const head = "0".repeat(64)
      const verdict = yield* (yield* recorded)(DecisionVerification.verify(lab.trip, { head, secret: "secret" }))
      assert.deepInclude(verdict, { redecided: null, verdict: "broken" })
      assert.isFalse(DecisionVerification.isSound(verdict))
    })
  )
})
