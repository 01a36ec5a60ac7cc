import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as EvidenceRun from "../src/exchange/EvidenceRun.ts"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const otto = { by: "Otto", tenant: lab.trip.tenant }

/** The journey and a fork of it, exported, and a store that has neither. */
const exported = Effect.gen(function* () {
  const { process } = yield* journey.travelled()
  const files = yield* lab.as(process)(
    Effect.gen(function* () {
      yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
      return { trip: yield* RunExport.exportRun(lab.trip), other: yield* RunExport.exportRun(journey.other) }
    })
  )
  return { ...files, process: lab.process(yield* lab.shared) }
})

describe("EvidenceRun", () => {
  it.effect("imports a run as evidence, on which nobody acts, nor on a fork of it, until somebody answers for it", () =>
    Effect.gen(function* () {
      const { process, trip } = yield* exported
      yield* lab.as(process)(
        Effect.gen(function* () {
          assert.isFalse((yield* EvidenceRun.importRun(trip, otto)).present)
          assert.isTrue((yield* EvidenceRun.importRun(trip, { ...otto, by: "Ada" })).present)
          const copy = Run.make("copy")
          yield* Forking.fork({ parent: lab.trip, at: 8, child: copy })
          const refused = yield* Effect.flip(EvidenceRun.refuse(lab.trip))
          assert.deepInclude(refused, { _tag: "RunForeign", sent: "trip", by: "Otto" })
          assert.include((yield* Effect.flip(EvidenceRun.refuse(copy))).message, "is a fork of run trip, which was")
          yield* EvidenceRun.vouch(trip)
          yield* EvidenceRun.refuse(lab.trip)
          yield* EvidenceRun.refuse(copy)
        })
      )
    }).pipe(Effect.provide(Notes.layerMemory))
  )

  it.effect("continues no run that the store has, also not as the ancestor of another one", () =>
    Effect.gen(function* () {
      const { other, process, trip } = yield* exported
      yield* lab.as(process)(
        Effect.gen(function* () {
          yield* RunExport.importRun(other)
          const refused = yield* Effect.flip(EvidenceRun.importRun(trip, otto))
          assert.deepInclude(refused, { _tag: "ImportContinues", tick: 8, ticks: trip.head.tick })
          yield* EvidenceRun.refuse(lab.trip)
          // The part of it that the store has is present, and the store's own.
          assert.isTrue((yield* EvidenceRun.importRun(other, otto)).present)
          yield* EvidenceRun.refuse(journey.other)
        })
      )
    }).pipe(Effect.provide(Notes.layerMemory))
  )
})
