import * as FieldPath from "@backstitch/version-control/FieldPath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as HeadLog from "../src/proof/HeadLog.ts"
import * as ProofExport from "../src/proof/ProofExport.ts"
import * as StateProof from "../src/proof/StateProof.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const { tenant } = lab.trip

describe("ProofExport", () => {
  it.effect(
    "proves each field of a run and of its fork at every tick that ends a commit, as the fold has it (L2)",
    () =>
      Effect.gen(function* () {
        const { process } = yield* journey.travelled()
        yield* lab.as(process)(
          Effect.gen(function* () {
            yield* Forking.fork({ parent: lab.trip, at: 8, child: journey.other })
            const history = yield* History.History
            let proven = 0
            for (const run of [lab.trip, journey.other]) {
              const { head } = yield* history.info(run)
              for (let tick = 1; tick <= head.tick; tick++) {
                const { state } = yield* history.at(run, tick)
                for (const field of ["world", "working", "kernel"].flatMap((section) =>
                  Object.keys(state[section as "world"]).map((name) => `/${section}/${name}`)
                )) {
                  const made = yield* Effect.result(ProofExport.prove(run, { field, tick }))
                  if (Result.isFailure(made)) {
                    assert.strictEqual(made.failure._tag, "StateUnwritten")
                    continue
                  }
                  const checked = Result.getOrThrow(StateProof.check(StateProof.encode(made.success)))
                  const expected = FieldPath.valueAt(state, Result.getOrThrow(FieldPath.parse(field)))
                  assert.deepStrictEqual(checked.value, expected, `${run.id}@${tick} ${field}`)
                  assert.strictEqual(checked.head.link, head.link)
                  proven++
                }
              }
            }
            assert.isAbove(proven, 100)
          })
        )
      })
  )

  it.effect("proves under the first head that a log has of the run from the tick on", () =>
    Effect.gen(function* () {
      const { process } = yield* journey.travelled()
      yield* lab.as(process)(
        Effect.gen(function* () {
          const entries = yield* HeadLog.grow(tenant, [])
          const head = HeadLog.headOf(entries)
          const checkpoint = { origin: "example.org/log", head, extensions: [], signatures: [] }
          const proof = yield* ProofExport.prove(lab.trip, { field: "world.spent", logged: { checkpoint, entries } })
          const { checkpoint: found } = Result.getOrThrow(StateProof.check(StateProof.encode(proof)))
          assert.deepStrictEqual(found, checkpoint)
          const none = { checkpoint, entries: [] }
          const refused = yield* Effect.flip(ProofExport.prove(lab.trip, { field: "world.spent", logged: none }))
          assert.strictEqual(refused._tag, "NotLogged")
          const unnamed = yield* Effect.flip(ProofExport.prove(lab.trip, { field: "spent" }))
          assert.strictEqual(unnamed._tag, "FieldInvalid")
        })
      )
    })
  )
})
