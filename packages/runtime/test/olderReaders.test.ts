import * as Payload from "@backstitch/kernel/Payload"
import * as Digest from "@backstitch/trace/Digest"
import * as Export from "@backstitch/trace/Export"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Body } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as RunExport from "../src/exchange/RunExport.ts"
import * as RunVerification from "../src/proof/RunVerification.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as lab from "./lab.ts"

const newer = Ontology.version + 1
const run = Run.make("newer")

/** A trace that another version wrote: a start, and what follows it. */
const written = (began: object, ...more: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    const [started] = yield* lab.as(lab.process(store))(Effect.andThen(lab.open(), lab.transitions()))
    const { blobs } = yield* lab.as(lab.process(store))(RunExport.exportRun(lab.trip))
    const bodies = [{ ...started!.body, data: { ...started!.body.data, ...began } }, ...more] as ReadonlyArray<Body>
    let head = HashChain.genesis(run)
    const transitions = bodies.map((body, index) => {
      const sealed = HashChain.seal(head, { body, stamp: { asOf: index, state: Digest.zero }, envelope: { ts: 0 } })
      head = HashChain.headOf(sealed)
      return sealed
    })
    const file: Export.Export = { run, ontology: Ontology.first, lineage: [], head, transitions, blobs }
    return file
  })

const read = <A, E, R>(file: Export.Export, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    return yield* lab.as(lab.process(yield* lab.shared, { lawless: true }))(
      Effect.gen(function* () {
        const { append, putBlobs } = yield* TraceStore.TraceStore
        yield* putBlobs(file.blobs)
        yield* append({ run, expected: HashChain.genesis(run), transitions: file.transitions, claims: [] })
        return yield* effect
      })
    )
  })

const imported = (file: Export.Export) =>
  Effect.gen(function* () {
    return yield* lab.as(lab.process(yield* lab.shared, { lawless: true }))(Effect.flip(RunExport.importRun(file)))
  })

const resumed = Effect.flatMap(Coordinator.Coordinator, ({ reopen }) => Effect.flip(reopen(run)))

describe("an older reader", () => {
  it.effect("refuses a file that names a newer ontology, with the version that it needs", () =>
    Effect.gen(function* () {
      const text = Export.encode(yield* written({})).replace(`"ontology":${Ontology.first}`, `"ontology":${newer}`)
      const refused = Export.decode(text)
      assert.isTrue(Result.isFailure(refused))
      if (Result.isFailure(refused)) assert.include(refused.failure.message, String(newer))
    })
  )

  it.effect("refuses a run that pins a newer ontology: in a file, when it is verified, and to go on with", () =>
    Effect.gen(function* () {
      const file = yield* written({ ontology: newer })
      const says = `data.ontology does not fit run.started: this reader has the ontology up to ${Ontology.version}`
      assert.include((yield* imported(file)).message, `its ontology is not the ${Ontology.first} of the run`)
      const verdict = yield* read(file, RunVerification.verify(run))
      assert.strictEqual(verdict.badTick, 1)
      assert.include(verdict.problem, says)
      const error = yield* read(file, resumed)
      assert.strictEqual(error._tag, "SourceMissing")
      assert.include(error.message, `begins a run of the ontology ${newer}`)
      assert.include(error.message, "Read it with a newer version")
    })
  )

  it.effect("refuses a type that its ontology does not have: in a file, when it is verified, and to go on with", () =>
    Effect.gen(function* () {
      for (const type of ["run.merged", "backstitch.anything", "constructor", "__proto__"]) {
        const file = yield* written({}, { author: "kernel", data: {}, type })
        const says = `there is no type "${type}" in version ${Ontology.version} of the ontology`
        assert.include((yield* imported(file)).message, says)
        const verdict = yield* read(file, RunVerification.verify(run))
        assert.strictEqual(verdict.badTick, 2)
        assert.include(verdict.problem, says)
        const error = yield* read(file, resumed)
        assert.strictEqual(error._tag, "SourceMissing")
        assert.include(error.message, `is of the type ${type}`)
      }
    })
  )

  it.effect(
    "refuses what came with a later ontology in a run of an earlier one: in a file, and when it is verified",
    () =>
      Effect.gen(function* () {
        const instance = { entity: null, ordinal: 0, skeleton: "trip", state: "open" }
        const data = { ...instance, at: 1 }
        const checkpoint = { ...instance, kind: "entry", tick: 1 }
        const because = { args: { reason: "a wish" }, code: "cause.asked" }
        const plan = { because, cause: "recovery", checkpoint, masks: [], steps: [] }
        for (const body of [
          { author: "kernel", data, type: "checkpoint.entry" },
          { author: "kernel", data: { decision: "compensate_backward", plan }, type: "recovery.decided" }
        ]) {
          assert.isUndefined(Payload.misfit(body as Body))
          const file = yield* written({}, body)
          const says = `its ${body.type} is of the ontology 2, and the run of 1`
          assert.include((yield* imported(file)).message, says)
          const verdict = yield* read(file, RunVerification.verify(run))
          assert.strictEqual(verdict.badTick, 2)
          assert.include(verdict.problem, says)
        }
      })
  )

  it.effect("refuses a field that its ontology does not have: in a file, and when the run is verified", () =>
    Effect.gen(function* () {
      const field = { author: "kernel", data: { at: 1, predicate: "over", severity: 3 }, type: "predicate.violation" }
      const file = yield* written({}, field)
      assert.strictEqual(Payload.misfit(field as Body)?.path, "data.severity")
      const says = "data.severity does not fit predicate.violation"
      assert.include((yield* imported(file)).message, says)
      const verdict = yield* read(file, RunVerification.verify(run))
      assert.strictEqual(verdict.badTick, 2)
      assert.include(verdict.problem, says)
    })
  )
})
