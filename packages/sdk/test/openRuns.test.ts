import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "vitest"
import * as Limits from "../src/Limits.ts"
import * as Session from "../src/session/Session.ts"

describe("openRuns", () => {
  it("closes no run that is still being opened for somebody, however many others are open", async () => {
    const session = Session.open({ store: "memory:" })
    const use = (id: string) => session.runs.use(session.name(id), { goal: id })
    await session.run(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const asked = yield* Deferred.make<void>()
        const answered = yield* Deferred.make<void>()
        let isClosed = false
        const slow = Coordinator.Coordinator.of({
          ...coordinator,
          open: (run, opening) =>
            Effect.gen(function* () {
              yield* Deferred.succeed(asked, undefined)
              yield* Deferred.await(answered)
              yield* Effect.addFinalizer(() =>
                Effect.sync(() => {
                  isClosed = true
                })
              )
              return yield* coordinator.open(run, opening)
            })
        })
        for (let other = 0; other < Limits.pacing.openRunsMax; other++) yield* use(`other-${other}`)
        const opening = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              yield* use("slow")
              return isClosed
            })
          ).pipe(Effect.provideService(Coordinator.Coordinator, slow))
        )
        yield* Deferred.await(asked)
        yield* Effect.scoped(use("short"))
        yield* Deferred.succeed(answered, undefined)
        assert.isFalse(yield* Fiber.join(opening))
      }).pipe(Effect.scoped)
    )
    await session.close()
  })
})
