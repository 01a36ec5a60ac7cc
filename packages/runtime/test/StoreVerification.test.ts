import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HeadLog from "../src/proof/HeadLog.ts"
import * as StoreVerification from "../src/proof/StoreVerification.ts"
import * as lab from "./lab.ts"

const stored = Effect.gen(function* () {
  const store = yield* lab.shared
  yield* lab.as(lab.process(store))(Effect.flatMap(lab.open(), (handle) => handle.propose(lab.note("begin"))))
  return store
})

const verify = (
  store: Layer.Layer<TraceStore.TraceStore>,
  options?: StoreVerification.Options,
  tenant: Run.Tenant = lab.trip.tenant
) => lab.as(lab.process(store, { lawless: true }))(StoreVerification.verify(tenant, options))

/** A store that answers otherwise. */
const changing = (
  store: Layer.Layer<TraceStore.TraceStore>,
  change: (store: TraceStore.TraceStore["Service"]) => Partial<TraceStore.TraceStore["Service"]>
) =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.TraceStore, (each) => ({ ...each, ...change(each) }))
  ).pipe(Layer.provide(store))

describe("StoreVerification", () => {
  it.effect("verifies each run, and vouches for nothing if a tenant has none", () =>
    Effect.gen(function* () {
      const store = yield* stored
      const heard: Array<string> = []
      const found = yield* verify(store, { onRun: ({ run }) => heard.push(run) })
      assert.deepInclude(found, { consistent: true, claims: [], faults: [], unvouched: 0 })
      assert.deepStrictEqual([found.runs.map(({ run }) => run), heard], [["trip"], ["trip"]])
      const nobody = yield* verify(store, {}, Run.make("any", "nobody").tenant)
      assert.deepStrictEqual(nobody.runs, [])
    })
  )

  it.effect("finds a run that an anchored log names and that is gone (L3)", () =>
    Effect.gen(function* () {
      const store = yield* stored
      const [entry] = yield* lab.as(lab.process(store))(HeadLog.grow(lab.trip.tenant, []))
      const anchors = [entry!, { ...entry!, run: Run.make("gone").id }]
      const found = yield* verify(store, { anchors })
      assert.isFalse(found.consistent)
      assert.deepStrictEqual(
        found.runs.map(({ anchored, consistent, run }) => [run, consistent, anchored]),
        [
          ["trip", true, true],
          ["gone", false, false]
        ]
      )
    })
  )

  it.effect("finds a name that the index of claims lost, if the traces are whole", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.flatMap(lab.open(), (handle) => lab.elapsing(handle.propose(lab.book("LX1"))))
      )
      const emptied = changing(store, () => ({ claims: () => Effect.succeed([]) }))
      const found = yield* verify(emptied)
      assert.isFalse(found.consistent)
      assert.isNotEmpty(found.claims)
      assert.isTrue(found.runs.every(({ consistent }) => consistent))
    })
  )
})
