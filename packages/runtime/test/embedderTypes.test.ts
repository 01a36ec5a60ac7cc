import type * as Check from "@backstitch/kernel/Check"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as PackInForce from "@backstitch/reducer/PackInForce"
import * as Part from "@backstitch/reducer/Part"
import * as State from "@backstitch/reducer/State"
import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Payload from "@backstitch/trace/Payload"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Body } from "@backstitch/trace/Transition"
import * as Vocabulary from "@backstitch/trace/Vocabulary"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as History from "../src/history/History.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as lab from "./lab.ts"

const types = {
  "acme.shipped": { authors: ["user"], payload: Payload.closed({ parcel: Schema.String }) }
} as const
const acme = Vocabulary.make("acme", { version: 1, types })

/** Parcels that were shipped, in order. */
const parcels = Part.make<ReadonlyArray<string>, Vocabulary.Payloads<typeof acme>>("@acme/parcels", {
  version: 1,
  init: [],
  on: { "acme.shipped": (self, { body }) => [...self, body.data.parcel] }
})

const speaking = Kernel.withTypes(Kernel.standard, acme)
const whole = Kernel.withParts(speaking, parcels)
const shipped = (parcel: string | number) => ({ type: "acme.shipped", author: "user", data: { parcel } }) as const
const body = (parcel: string | number, author: Body["author"] = "user"): Body => ({
  ...shipped(parcel),
  author,
  type: Ontology.Foreign.make("acme.shipped")
})

/** A run in which two parcels were shipped, under a kernel. */
const shipping = (kernel: Kernel.Kernel) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const state = yield* lab.as(lab.process(store, { kernel }))(
      Effect.gen(function* () {
        const handle = yield* lab.open()
        for (const parcel of ["P1", "P2"]) {
          assert.strictEqual((yield* handle.propose(shipped(parcel)))._tag, "Done")
          yield* handle.propose(lab.note(`saw ${parcel}`))
        }
        yield* handle.flush
        return (yield* handle.position).state
      })
    )
    const text = yield* lab.as(lab.process(store, { kernel }))(Effect.map(RunExport.exportRun(lab.trip), Export.encode))
    return { store, state, file: Result.getOrThrow(Export.decode(text)) }
  })

const failed = (outcome: { readonly _tag: string; readonly checks?: ReadonlyArray<Check.Check> }) =>
  outcome.checks?.flatMap(({ why }) => why?.code ?? [])

describe("types of an embedder", () => {
  it.effect("are let in through the same door, fold through their own parts, and are pinned with a version", () =>
    Effect.gen(function* () {
      const { state, store } = yield* shipping(whole)
      assert.deepStrictEqual(Part.get(parcels, state), ["P1", "P2"])
      assert.deepStrictEqual(PackInForce.of(state).namespaces, { acme: 1 })
      yield* lab.as(lab.process(store, { kernel: whole }))(
        Effect.gen(function* () {
          const [started] = yield* lab.transitions()
          assert.deepStrictEqual(started?.body.data?.["namespaces"], { acme: 1 })
          const { compared, problem, unknown } = yield* RunVerification.verify(lab.trip)
          assert.deepStrictEqual([problem, unknown], [null, []])
          assert.isAbove(compared, 2)
          const { differs } = yield* DecisionReplay.redecide(lab.trip, { kernel: whole, secret: "secret" })
          assert.deepStrictEqual(differs, [])
        })
      )
    })
  )

  it.effect("are refused with a payload, an author or a type that is none of theirs (L4)", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store, { kernel: whole }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const before = (yield* handle.position).state
          assert.deepStrictEqual(failed(yield* handle.propose(shipped(7))), ["payload.misfit"])
          assert.deepStrictEqual(failed(yield* handle.propose({ ...shipped("P1"), data: {} })), ["payload.misfit"])
          const more = { ...shipped("P1"), data: { parcel: "P1", weight: 2 } }
          assert.deepStrictEqual(failed(yield* handle.propose(more)), ["payload.misfit"])
          for (const author of ["agent", "institution", "kernel"] as const) {
            assert.strictEqual((yield* handle.propose({ ...shipped("P1"), author }))._tag, "Refused", author)
          }
          for (const type of ["acme.lost", "globex.sold", "action.shipped", "constructor", "__proto__", "acme"]) {
            assert.deepStrictEqual(failed(yield* handle.propose({ ...shipped("P1"), type })), ["type.unknown"], type)
          }
          const { state } = yield* handle.position
          assert.deepStrictEqual(Part.get(parcels, state), Part.get(parcels, before))
          assert.strictEqual(Part.get(parcels, state).length, 0)
        })
      )
    })
  )

  it.effect("are let into no run that began without them, or before they were declared", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(lab.open())
      const late = yield* lab.as(lab.process(store, { kernel: speaking }))(
        Effect.flatMap(lab.open(), (handle) => handle.propose(shipped("P1")))
      )
      assert.deepStrictEqual(failed(late), ["type.unpinned"])
      const grown = Vocabulary.make("acme", {
        version: 2,
        types: { ...types, "acme.lost": { ...types["acme.shipped"], since: 2 } }
      })
      const { store: older } = yield* shipping(speaking)
      const kernel = Kernel.withTypes(Kernel.standard, grown)
      const outcomes = yield* lab.as(lab.process(older, { kernel }))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const lost = yield* handle.propose({ ...shipped("P3"), type: "acme.lost" })
          return [failed(lost), (yield* handle.propose(shipped("P3")))._tag]
        })
      )
      assert.deepStrictEqual(outcomes, [["type.unpinned"], "Done"])
    })
  )

  it.effect("are kept by a reader without them, who says so and folds the same state", () =>
    Effect.gen(function* () {
      const { file } = yield* shipping(speaking)
      yield* lab.as(lab.process(yield* lab.shared))(
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* RunExport.importRun(file)).unknown, ["acme.shipped"])
          const { compared, problem, unknown, verdict } = yield* RunVerification.verify(lab.trip)
          assert.deepStrictEqual([problem, unknown], [null, ["acme.shipped"]])
          assert.strictEqual(verdict, "consistent, unanchored")
          assert.isAbove(compared, 2)
          const again = yield* RunExport.exportRun(lab.trip)
          assert.deepStrictEqual(again.head, file.head)
          const { differs } = yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })
          assert.deepStrictEqual(differs, [])
          // The run goes on, and what nobody here has declared is refused.
          const handle = yield* lab.open()
          assert.strictEqual((yield* handle.propose(lab.note("here")))._tag, "Done")
          assert.deepStrictEqual(failed(yield* handle.propose(shipped("P3"))), ["type.unknown"])
        })
      )
    })
  )

  it.effect(
    "are folded as far as possible by a reader without their part: no state is compared, and the run does not go on",
    () =>
      Effect.gen(function* () {
        const { file, state } = yield* shipping(whole)
        yield* lab.as(lab.process(yield* lab.shared, { lawless: true }))(
          Effect.gen(function* () {
            yield* RunExport.importRun(file)
            const { compared, problem, unknown } = yield* RunVerification.verify(lab.trip)
            assert.deepStrictEqual([problem, unknown, compared], [null, ["acme.shipped", "@acme/parcels@1"], 0])
            const history = yield* History.History
            const at = yield* history.at(lab.trip, file.head.tick)
            const { "@acme/parcels": _, ...ours } = state.kernel
            assert.strictEqual(State.digest(at.state), State.digest({ ...state, kernel: ours }))
            const error = yield* Effect.flip(lab.open())
            assert.strictEqual(error._tag, "FoldChanged")
          })
        )
      })
  )

  it.effect("are checked against their declaration by a reader with them, in files and stores from outside", () =>
    Effect.gen(function* () {
      const { file } = yield* shipping(speaking)
      const cases: ReadonlyArray<readonly [Body, string]> = [
        [body(7), "data.parcel does not fit acme.shipped"],
        [body("P3", "agent"), "acme.shipped is written by the user, and not by the agent"],
        [body("P3", "kernel"), "not by the kernel"]
      ]
      for (const [body, says] of cases) {
        const stamp = { asOf: 8e15, state: Digest.zero }
        const sealed = HashChain.seal(file.head, { body, stamp, envelope: { ts: 0 } })
        const forged = { ...file, head: HashChain.headOf(sealed), transitions: [...file.transitions, sealed] }
        yield* lab.as(lab.process(yield* lab.shared, { kernel: speaking, lawless: true }))(
          Effect.gen(function* () {
            const refused = yield* Effect.flip(RunExport.importRun(forged, { vocabularies: [acme] }))
            assert.include(refused.message, says)
            yield* RunExport.importRun(file, { vocabularies: [acme] })
            const { append } = yield* TraceStore.TraceStore
            yield* append({ run: lab.trip, expected: file.head, transitions: [sealed], claims: [] })
            const { badTick, problem } = yield* RunVerification.verify(lab.trip)
            assert.strictEqual(badTick, sealed.tick)
            assert.include(problem, says)
          })
        )
      }
    })
  )
})
