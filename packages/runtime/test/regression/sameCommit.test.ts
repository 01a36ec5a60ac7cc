import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FaultPoint from "../../src/ports/FaultPoint.ts"
import * as lab from "../lab.ts"

describe("two processes that decide the same in the same millisecond", () => {
  it.effect("do not take one another's commit for their own: one of them sends (L1, L14)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      yield* lab.as(lab.process(store, { world }))(lab.open())
      const both = yield* Deferred.make<void>()
      let waiting = 0
      const meet = Effect.provideService(FaultPoint.FaultPoint, (place: FaultPoint.PointName) =>
        Effect.suspend(() => {
          if (place !== "append/before" || waiting === 2) return Effect.void
          return ++waiting === 2 ? Deferred.succeed(both, undefined) : Deferred.await(both)
        })
      )
      // A tool that neither honours a key nor can be asked: what is sent twice happens twice.
      const one = lab.as(lab.process(store, { world }))(
        Effect.flatMap(lab.open(), (handle) => meet(handle.propose({ tool: "fax", params: { to: "ada" } })))
      )
      yield* lab.elapsing(Effect.all([one, one], { concurrency: 2 }))
      assert.strictEqual(waiting, 2)
      assert.deepStrictEqual(world.doubled, [])
      assert.deepStrictEqual(world.log, ["send fax ada"])
    })
  )
})
