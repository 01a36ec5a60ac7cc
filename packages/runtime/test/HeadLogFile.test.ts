import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Run from "@backstitch/trace/Run"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as TreeCheckpoint from "@backstitch/transparency/TreeCheckpoint"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll } from "vitest"
import * as HeadLogFile from "../src/files/HeadLogFile.ts"
import * as TreeCheckpointTrust from "../src/proof/TreeCheckpointTrust.ts"
import * as lab from "./lab.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-log-"))
afterAll(() => rmSync(folder, { recursive: true }))

const { tenant } = lab.trip
const origin = "example.org/log"
const signer = (fill: number, name = origin) =>
  Result.getOrThrow(SignedNote.signer(name, SignedNote.toKey(new Uint8Array(32).fill(fill))))
const own = signer(1)

/** Grows the log of a store whose run has one more note each time. */
const grown = (name: string) =>
  Effect.gen(function* () {
    const within = lab.as(lab.process(yield* lab.shared))
    const file = join(folder, `${name}.jsonl`)
    const sign = (text: string) => SignedNote.sign(own, text)
    const grow = within(HeadLogFile.grow({ file, origin, sign, tenant }))
    const go = within(Effect.flatMap(lab.open(), (handle) => handle.propose(lab.note("more"))))
    return { file, go, grow, within }
  })

describe("HeadLogFile", () => {
  it.effect("adds the heads of runs that went on, and nothing if none did or a tenant has none", () =>
    Effect.gen(function* () {
      const { file, go, grow, within } = yield* grown("grows")
      assert.isUndefined(yield* grow, "there is no run yet")
      yield* go
      assert.deepInclude(yield* grow, { added: 1 })
      const again = yield* grow
      assert.deepStrictEqual([again?.added, again?.checkpoint.head.size], [0, 1])
      yield* go
      assert.deepInclude(yield* grow, { added: 1 })
      assert.strictEqual(readFileSync(file, "utf8").trim().split("\n").length, 2)
      const nobody = HeadLogFile.grow({ file: `${file}.none`, origin, tenant: Run.make("any", "nobody").tenant })
      assert.isUndefined(yield* within(nobody))
    })
  )

  it.effect("reads a checkpoint with the log of the tenant that is acted for, and of no other (L15)", () =>
    Effect.gen(function* () {
      const { file, go, grow } = yield* grown("covers")
      yield* go
      const { checkpoint, entries } = (yield* grow)!
      const kept = join(folder, "monday.txt")
      writeFileSync(kept, Result.getOrThrow(TreeCheckpoint.format(checkpoint)))
      const read = (about: object) => HeadLogFile.covered({ checkpoint: kept, log: file, tenant, ...about })
      assert.deepStrictEqual(yield* read({}), { checkpoint, entries })
      assert.strictEqual((yield* Effect.flip(read({ tenant: "another" })))._tag, "LogForeign")
      assert.strictEqual((yield* Effect.flip(read({ checkpoint: `${kept}.gone` })))._tag, "FileUnreadable")
    })
  )
})

describe("CheckpointTrust", () => {
  it.effect("takes a checkpoint that the named key signed, and no other (L3)", () =>
    Effect.gen(function* () {
      const { go, grow } = yield* grown("trusted")
      yield* go
      const { checkpoint } = (yield* grow)!
      const check = (by?: string) => TreeCheckpointTrust.check(checkpoint, "monday.txt", { by })
      assert.deepStrictEqual([yield* check(), yield* check(own.verifier)], [[], []])
      const other = yield* Effect.flip(check(signer(2).verifier))
      assert.include(other.message, "monday.txt is not signed by the key of example.org/log")
      const stranger = yield* Effect.flip(check(signer(3, "example.org/other").verifier))
      assert.include(stranger.message, "the given key is that of example.org/other")
    })
  )
})
