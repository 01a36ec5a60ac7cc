import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

/** The journey and a fork of it, exported. */
const exported = Effect.gen(function* () {
  const { process } = yield* journey.travelled()
  return yield* lab.as(process)(
    Effect.gen(function* () {
      yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
      return { trip: yield* RunExport.exportRun(lab.trip), other: yield* RunExport.exportRun(journey.other) }
    })
  )
})

const elsewhere = Effect.map(lab.shared, (store) => lab.process(store))

describe("RunExport", () => {
  it.effect("brings a run into another store byte by byte, in which it verifies against the same head (L3)", () =>
    Effect.gen(function* () {
      const { trip } = yield* exported
      const read = Result.getOrThrow(Export.decode(Export.encode(trip)))
      assert.deepStrictEqual(read, trip)
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          const brought = yield* RunExport.importRun(read)
          assert.isFalse(brought.present)
          const verdict = yield* RunVerification.verify(lab.trip, { head: trip.head.link })
          assert.strictEqual(verdict.verdict, "consistent, anchored")
          assert.deepStrictEqual(yield* RunExport.exportRun(lab.trip), trip)
        })
      )
    })
  )

  it.effect("brings a fork with the history that it shares, and goes on with its parent later", () =>
    Effect.gen(function* () {
      const { other, trip } = yield* exported
      assert.deepStrictEqual(other.lineage, [{ id: lab.trip.id, tick: 8 }])
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          yield* RunExport.importRun(other)
          assert.isTrue((yield* RunVerification.verify(journey.other, { head: other.head.link })).anchored)
          assert.strictEqual((yield* RunVerification.verify(lab.trip)).ticks, 8)
          assert.isFalse((yield* RunExport.importRun(trip)).present)
          assert.strictEqual((yield* RunVerification.verify(lab.trip)).ticks, trip.head.tick)
          assert.isTrue((yield* RunExport.importRun(trip)).present)
          assert.isTrue((yield* RunExport.importRun(other)).present)
        })
      )
    })
  )

  it.effect("follows a run by what has come behind, and takes in nothing that does not follow", () =>
    Effect.gen(function* () {
      const { trip } = yield* exported
      // A commit ends with the digest of the state.
      const end = trip.transitions.findLast(
        ({ stamp, tick }) => stamp.includes('"state"') && tick < trip.head.tick
      )?.tick
      const early = trip.transitions.slice(0, end)
      const first: Export.Export = { ...trip, head: HashChain.headOf(early.at(-1)!), transitions: early }
      const later: Export.Export = { ...trip, transitions: trip.transitions.slice(end), blobs: new Map() }
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          const take = RunExport.following(lab.trip.tenant)
          yield* take(first)
          yield* take({ ...first, transitions: [], blobs: new Map() })
          yield* take(later)
          assert.isTrue((yield* RunVerification.verify(lab.trip, { head: trip.head.link })).anchored)
          assert.strictEqual((yield* Effect.flip(take(later)))._tag, "ChainBroken")
          assert.strictEqual((yield* RunVerification.verify(lab.trip)).ticks, trip.head.tick)
        })
      )
    })
  )

  it.effect("brings a fork that left its parent in history that the parent shares, and nothing of it into others", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const early = Run.make("early")
      const first = Run.make("first")
      const files = yield* lab.as(process)(
        Effect.gen(function* () {
          yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
          yield* Forking.fork({ parent: journey.other, at: 3, child: early })
          yield* Forking.fork({ parent: journey.other, at: 8, child: first })
          return [yield* RunExport.exportRun(early), yield* RunExport.exportRun(first)] as const
        })
      )
      assert.deepStrictEqual(files[0].lineage, [
        { id: lab.trip.id, tick: 3 },
        { id: journey.other.id, tick: 3 }
      ])
      for (const file of files) {
        const at = file.lineage.at(-1)!.tick
        yield* lab.as(yield* elsewhere)(
          Effect.gen(function* () {
            assert.isFalse((yield* RunExport.importRun(file)).present)
            assert.isTrue((yield* RunExport.importRun(file)).present)
            for (const [run, ticks] of [[lab.trip, at] as const, [file.run, at + 1] as const]) {
              assert.deepInclude(yield* RunVerification.verify(run), { ticks, verdict: "consistent, unanchored" })
            }
            const again = yield* RunExport.exportRun(file.run)
            assert.deepInclude(again, { head: file.head, transitions: file.transitions })
            assert.deepStrictEqual(again.lineage.at(-1), file.lineage.at(-1))
            assert.isTrue(Result.isSuccess(Export.verify(again)))
            // The parent's own transitions can come later.
            yield* RunExport.importRun(files[0] === file ? files[1] : files[0])
            assert.isTrue((yield* RunVerification.verify(file.run)).consistent)
          })
        )
      }
    })
  )

  it.effect(
    "brings as much of a parent as its fork shares, which ends within a commit, and calls no other run whole",
    () =>
      Effect.gen(function* () {
        const { process } = yield* journey.travelled()
        const [file, within] = yield* lab.as(process)(
          Effect.gen(function* () {
            const within = (yield* lab.transitions()).find(({ stamp }) => stamp.state === undefined)!.tick
            yield* Forking.fork({ parent: lab.trip, at: within, child: journey.other })
            return [yield* RunExport.exportRun(journey.other), within] as const
          })
        )
        const parent = file.transitions.slice(0, within)
        const cut = { ...file, run: lab.trip, lineage: [], transitions: parent, head: HashChain.headOf(parent.at(-1)!) }
        const store = yield* elsewhere
        yield* lab.as(store)(
          Effect.gen(function* () {
            const refused = yield* Effect.flip(RunExport.importRun(cut))
            assert.include(refused.message, `tick ${within} is cut off inside a commit`)
            yield* RunExport.importRun(file)
            for (const run of [lab.trip, file.run]) assert.isTrue((yield* RunVerification.verify(run)).consistent)
            assert.include((yield* Effect.flip(RunExport.exportRun(lab.trip))).message, "cut off inside a commit")
          })
        )
      })
  )

  it.effect("rebuilds the claims of the runs that it brings", () =>
    Effect.gen(function* () {
      const { trip } = yield* exported
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          yield* RunExport.importRun(trip)
          const store = yield* TraceStore.TraceStore
          const names = (yield* store.claims(lab.trip.tenant)).map(({ namespace }) => namespace)
          assert.strictEqual(names.filter((namespace) => namespace === "key").length, 3)
          assert.notInclude(names, "target")
        })
      )
    })
  )

  it.effect("refuses a file that was changed, and a run that exists with another history", () =>
    Effect.gen(function* () {
      const { trip } = yield* exported
      const changed = trip.transitions.map((sealed) =>
        sealed.tick === 4 ? { ...sealed, body: sealed.body.replace("action", "actioN") } : sealed
      )
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          const broken = yield* Effect.flip(RunExport.importRun({ ...trip, transitions: changed }))
          assert.include(broken.message, "tick 4")
          const store = yield* TraceStore.TraceStore
          assert.isUndefined(yield* store.info(lab.trip))
          yield* lab.open()
          const differs = yield* Effect.flip(RunExport.importRun(trip))
          assert.strictEqual(differs._tag, "HistoryDiffers")
        })
      )
    })
  )

  it.effect("refuses a file whose chain is valid and whose transitions are not, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const run = Run.make("forged")
      const good = { author: "agent", type: "observation.add" }
      const cases = [
        [{ ...good, type: "observation.ad" }, 'there is no type "observation.ad" in version 3 of the ontology'],
        [{ ...good, author: "kernel" }, "observation.add is written by the agent, and not by the kernel"],
        [{ ...good, result: { status: "fine" } }, '["body"]["result"]["status"]'],
        [{ ...good, whatever: 1 }, '["whatever"]'],
        [{ ...good, data: { cites: 7 } }, "data.cites does not fit observation.add: expected string"],
        [
          { author: "kernel", data: { at: 1, predicate: "over", why: "x" }, type: "predicate.violation" },
          "data.why does not fit predicate.violation: expected no excess property"
        ],
        [good, '["stamp"]["asOf"]']
      ] as const
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          const store = yield* TraceStore.TraceStore
          for (const [body, says] of cases) {
            const draft = (said: unknown, asOf: number) => ({
              body: said as Transition.Body,
              stamp: { asOf, state: Digest.zero },
              envelope: { ts: 0 }
            })
            const first = HashChain.seal(HashChain.genesis(run), draft(good, 0))
            // A moment that no date can name.
            const second = HashChain.seal(HashChain.headOf(first), draft(body, body === good ? 9e15 : 1))
            const head = HashChain.headOf(second)
            const file = { run, ontology: 1, lineage: [], head, transitions: [first, second], blobs: new Map() }
            assert.isTrue(Result.isSuccess(Export.verify(file)))
            const error = yield* Effect.flip(RunExport.importRun(file))
            assert.deepInclude(error, { _tag: "TransitionInvalid", tick: 2 })
            assert.include(error.message, says)
            assert.isUndefined(yield* store.info(run))
          }
        })
      )
    })
  )

  it.effect("brings nothing into a tenant that is not acted for (L15)", () =>
    Effect.gen(function* () {
      const { trip } = yield* exported
      yield* lab.as(yield* elsewhere)(
        Effect.gen(function* () {
          const error = yield* Effect.flip(RunExport.importRun(trip, { tenant: Run.Tenant.make("other") }))
          assert.deepInclude(error, { _tag: "TenantDiffers", tenant: lab.trip.tenant, asked: "other" })
          const store = yield* TraceStore.TraceStore
          assert.isUndefined(yield* store.info(lab.trip))
          assert.isFalse((yield* RunExport.importRun(trip, { tenant: lab.trip.tenant })).present)
        })
      )
    })
  )

  it.effect("says which run is not there", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      const error = yield* lab.as(process)(Effect.flip(RunExport.exportRun(Run.make("trap"))))
      assert.include(error.message, "Did you mean trip?")
    })
  )
})
