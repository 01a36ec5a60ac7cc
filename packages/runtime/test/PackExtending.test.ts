import * as Kernel from "@backstitch/kernel/Kernel"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as PackExtending from "../src/versioning/PackExtending.ts"
import * as lab from "./lab.ts"

const noted = { adds_violations: [{ id: "noted", when: "size(working.notes) > 0" }] }

/** Begins a run under the pack of the lab, and works on it. */
const begun = <A, E, R>(then: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    return yield* lab.as(lab.process(store))(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        yield* coordinator.begin(lab.trip, { goal: "goal", pack: lab.pack })
        return yield* then
      })
    )
  })

/** A store in which another process commits just before the first append. */
const overtaken = (store: Layer.Layer<TraceStore.TraceStore>, other: Effect.Effect<unknown>) =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.gen(function* () {
      const inner = yield* TraceStore.TraceStore
      const first = yield* Effect.cached(other)
      return { ...inner, append: (commit: TraceStore.Append) => Effect.andThen(first, inner.append(commit)) }
    })
  ).pipe(Layer.provide(store))

const propose = (tool: string) =>
  Effect.gen(function* () {
    const coordinator = yield* Coordinator.Coordinator
    const handle = yield* coordinator.reopen(lab.trip)
    return (yield* handle.propose({ tool, params: { q: "a" } }))._tag
  })

describe("PackExtending", () => {
  it.effect("adds a violation to the whole pack, in force from the tick after the extension", () =>
    begun(
      Effect.gen(function* () {
        const outcome = yield* PackExtending.extend(lab.trip, noted, "ada")
        if (outcome._tag !== "Done") throw new Error(outcome._tag)
        const [extension] = (yield* lab.transitions()).slice(-1)
        assert.deepInclude(extension?.body, { author: "institution", type: "policy.contract_extension" })
        assert.deepInclude(extension?.body.data, {
          approved_by: "ada",
          effective_from_tick: outcome.tick + 1,
          target_contract: lab.pack.id
        })
        const coordinator = yield* Coordinator.Coordinator
        yield* (yield* coordinator.reopen(lab.trip)).propose(lab.note("rain"))
        assert.strictEqual((yield* lab.transitions()).at(-1)?.body.type, "predicate.violation")
        assert.isTrue((yield* RunVerification.verify(lab.trip)).consistent)
      })
    )
  )

  it.effect("requires a field of one tool from a later tick on, and of no call before it", () =>
    begun(
      Effect.gen(function* () {
        const head = (yield* lab.transitions()).length
        const adds = { adds_required: ["working.gone"], target_contract: "look" }
        assert.strictEqual((yield* PackExtending.extend(lab.trip, adds, "ada"))._tag, "Refused")
        const later = {
          adds_hash_seeds: ["world.spent"],
          adds_required: ["world.spent"],
          effective_from_tick: head + 9,
          target_contract: "look"
        }
        assert.strictEqual((yield* PackExtending.extend(lab.trip, later, "ada"))._tag, "Done")
        assert.strictEqual(yield* propose("look"), "Done")
        assert.strictEqual((yield* PackExtending.extend(lab.trip, { adds_required: [] }, "ada"))._tag, "Refused")
        const past = { ...later, adds_violations: [{ id: "v", when: "false" }], effective_from_tick: 1 }
        assert.strictEqual((yield* PackExtending.extend(lab.trip, past, "ada"))._tag, "Refused")
      })
    )
  )

  it.effect("applies from its next tick in a run that first goes on under newer rules", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const kernel: Kernel.Kernel = { ...Kernel.standard, rules: { version: 1, changes: [] } }
      yield* lab.as(lab.process(store, { kernel }))(lab.open())
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          assert.strictEqual((yield* PackExtending.extend(lab.trip, noted, "ada"))._tag, "Done")
          const [migration, extension] = (yield* lab.transitions()).slice(1)
          assert.strictEqual(migration?.body.type, "run.migrated")
          assert.strictEqual(extension?.body.data?.["effective_from_tick"], (extension?.tick ?? 0) + 1)
          assert.isTrue((yield* RunVerification.verify(lab.trip)).consistent)
        })
      )
    })
  )

  it.effect("applies from its next tick although another process commits before it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const other = lab.as(lab.process(store))(Effect.flatMap(lab.open(), (handle) => handle.propose(lab.note("rain"))))
      yield* lab.as(lab.process(store))(lab.open())
      yield* lab.as(lab.process(overtaken(store, Effect.orDie(other))))(
        Effect.gen(function* () {
          assert.strictEqual((yield* PackExtending.extend(lab.trip, noted, "ada"))._tag, "Done")
          const all = yield* lab.transitions()
          assert.deepStrictEqual(lab.types(all), ["run.started", "observation.add", "policy.contract_extension"])
          assert.strictEqual(all[2]?.body.data?.["effective_from_tick"], 4)
        })
      )
    })
  )
})
