import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CanaryRoute from "../src/CanaryRoute.ts"

const runs = Array.from({ length: 200 }, (_, index) => {
  const run = Run.make(`run-${index}`)
  return { run, head: HashChain.genesis(run), parent: undefined }
})

const { tenant } = Run.make("any", "pilot")

const split = (route: CanaryRoute.CanaryRoute, given = runs) =>
  CanaryRoute.split(route, given).pipe(Effect.provide(TraceStore.layerMemory))

describe("CanaryRoute", () => {
  it.effect("splits a share of the runs off, the same ones every time, and leaves none out", () =>
    Effect.gen(function* () {
      const half = yield* split({ share: 0.5 })
      assert.deepStrictEqual(half, yield* split({ share: 0.5 }))
      assert.strictEqual((half?.canary.length ?? 0) + (half?.rest.length ?? 0), runs.length)
      assert.isAbove(half?.canary.length ?? 0, 50)
      assert.isAbove(half?.rest.length ?? 0, 50)
      assert.lengthOf((yield* split({ share: 0 }))?.canary ?? [], 0)
      assert.lengthOf((yield* split({ share: 1 }))?.rest ?? [], 0)
    })
  )

  it("takes about the share that is asked for, and in a larger share all runs of a smaller one", () => {
    const taken = (share: number) => runs.filter(({ run }) => Result.getOrThrow(CanaryRoute.takes({ share }, run)))
    const few = taken(0.1)
    assert.isTrue(few.length > 5 && few.length < 40)
    assert.includeMembers([...taken(0.2)], few)
  })

  it.effect("takes the runs of a tenant beside all recorded ones, and nothing if no canary is named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* split({ tenant }), { canary: [], rest: runs })
      assert.isUndefined(yield* split({}))
    })
  )

  it.effect("compares no run of a tenant with itself, whichever runs are given", () =>
    Effect.gen(function* () {
      const own = Run.make("own", "pilot")
      const given = [...runs, { run: own, head: HashChain.genesis(own), parent: undefined }]
      assert.deepStrictEqual((yield* split({ tenant }, given))?.rest, runs)
      assert.deepStrictEqual((yield* split({ tenant: runs[0]!.run.tenant }))?.rest, [])
    })
  )

  it("takes a run before it begins, as it is compared afterwards, and none without a route", () => {
    const taken = runs.filter(({ run }) => Result.getOrThrow(CanaryRoute.takes({ share: 0.5 }, run)))
    const apart = Effect.runSync(split({ share: 0.5 }))
    assert.deepStrictEqual(taken, apart?.canary)
    const [{ run }] = runs as [(typeof runs)[number]]
    assert.deepStrictEqual(
      [{}, { tenant }, { tenant: run.tenant }].map((route) => Result.getOrThrow(CanaryRoute.takes(route, run))),
      [false, false, true]
    )
    assert.isTrue(Result.isFailure(CanaryRoute.takes({ share: 2 }, run)))
  })

  it.effect("refuses a share that is none, and two canaries", () =>
    Effect.gen(function* () {
      for (const share of [-0.1, 1.1, Number.NaN]) {
        assert.strictEqual((yield* Effect.flip(split({ share })))._tag, "RouteUnfit")
      }
      assert.include((yield* Effect.flip(split({ share: 0.5, tenant }))).message, "Name one canary")
    })
  )
})
