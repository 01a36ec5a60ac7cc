import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as HeadLog from "../src/proof/HeadLog.ts"
import * as ProofCheck from "../src/proof/ProofCheck.ts"
import * as ProofExport from "../src/proof/ProofExport.ts"
import * as StateProof from "../src/proof/StateProof.ts"
import * as journey from "./journey.ts"
import * as lab from "./lab.ts"

const origin = "example.org/log"
const signer = (fill: number) =>
  Result.getOrThrow(SignedNote.signer(origin, SignedNote.toKey(new Uint8Array(32).fill(fill))))

/** A proof of a field of the journey; with `fill`, under a checkpoint that this key signed. */
const proof = (field: string, fill?: number) =>
  Effect.flatMap(journey.travelled(), ({ process }) =>
    lab.as(process)(
      Effect.gen(function* () {
        if (fill === undefined) return StateProof.encode(yield* ProofExport.prove(lab.trip, { field }))
        const entries = yield* HeadLog.grow(lab.trip.tenant, [])
        const bare = { origin, head: HeadLog.headOf(entries), extensions: [], signatures: [] }
        const text = Result.getOrThrow(TreeCheckpoint.format(bare))
        const checkpoint = { ...bare, signatures: [SignedNote.sign(signer(fill), text)] }
        return StateProof.encode(yield* ProofExport.prove(lab.trip, { field, logged: { checkpoint, entries } }))
      })
    )
  )

describe("ProofCheck", () => {
  it.effect("is unanchored alone, and anchored by its head or by the key that signed its checkpoint", () =>
    Effect.gen(function* () {
      const text = yield* proof("world.spent", 1)
      const alone = yield* ProofCheck.check(text)
      assert.strictEqual(alone.verdict, "proven, unanchored")
      const { link, tick } = alone.head
      for (const how of [{ head: link }, { head: `${tick}:${link}` }, { by: signer(1).verifier }]) {
        assert.strictEqual((yield* ProofCheck.check(text, how)).verdict, "proven, anchored")
      }
    })
  )

  it.effect("fails under another head, another tick, another key, and a key if nothing is signed", () =>
    Effect.gen(function* () {
      const text = yield* proof("world.spent", 1)
      const { head } = yield* ProofCheck.check(text)
      const bare = yield* proof("world.spent")
      const cases = [
        [text, { head: "00".repeat(32) }, "StateProofBroken"],
        [text, { head: `${head.tick + 1}:${head.link}` }, "StateProofBroken"],
        [text, { head: "abc" }, "HeadInvalid"],
        [text, { by: signer(2).verifier }, "SignatureWrong"],
        [bare, { by: signer(1).verifier }, "StateProofBroken"],
        [`${bare.slice(0, -2)}\n`, {}, "StateProofBroken"]
      ] as const
      for (const [given, how, tag] of cases) {
        assert.strictEqual((yield* Effect.flip(ProofCheck.check(given, how)))._tag, tag)
      }
    })
  )

  it.effect("tells a field at which nothing stood as absent", () =>
    Effect.gen(function* () {
      const absent = yield* ProofCheck.check(yield* proof("/working/notes/9999"))
      assert.deepStrictEqual([absent.isAbsent, absent.value], [true, null])
      assert.isFalse((yield* ProofCheck.check(yield* proof("world.spent"))).isAbsent)
    })
  )
})
