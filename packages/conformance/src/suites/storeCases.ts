/**
 * Facts of a store beside its runs: the fingerprints of secrets, the identities of tools, and damage to the store as a
 * whole.
 */
import * as Digest from "@backstitch/trace/Digest"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as SampleCommits from "../store/SampleCommits.ts"

/** Registers the tests for a layer. */
export const wholes = <E>(layer: Layer.Layer<TraceStore, E>): void => {
  const isolated = Effect.provide(layer, { local: true })
  const [one, two] = [Digest.ofBytes("one"), Digest.ofBytes("two")]

  it.effect("knows the first fingerprint of each tenant, and replaces it on an explicit request (L15)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const { tenant } = Run.make("main", "fingerprints")
      const other = Run.make("main", "others").tenant
      assert.isUndefined(yield* store.fingerprint(tenant))
      assert.strictEqual(yield* store.putFingerprint(tenant, { expected: undefined, next: one }), one)
      assert.strictEqual(yield* store.putFingerprint(tenant, { expected: undefined, next: two }), one)
      assert.strictEqual(yield* store.putFingerprint(tenant, { expected: two, next: two }), one)
      assert.strictEqual(yield* store.fingerprint(tenant), one)
      assert.isUndefined(yield* store.fingerprint(other))
      assert.strictEqual(yield* store.putFingerprint(tenant, { expected: one, next: two }), two)
      assert.strictEqual(yield* store.putFingerprint(tenant, { expected: one, next: two }), two)
      assert.strictEqual(yield* store.fingerprint(tenant), two)
    }).pipe(isolated)
  )

  it.effect("lets one of several that come first at once be first, and tells the others which", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const { tenant } = Run.make("main", "racers")
      const nexts = Array.from({ length: 8 }, (_, index) => Digest.ofBytes(`${index}`))
      const answers = yield* Effect.forEach(
        nexts,
        (next) => store.putFingerprint(tenant, { expected: undefined, next }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers).size, 1)
      assert.strictEqual(yield* store.fingerprint(tenant), answers[0])
    }).pipe(isolated)
  )

  it.effect("knows the first identity of each tool of each tenant, and replaces it on an explicit request (L15)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const { tenant } = Run.make("main", "identities")
      const other = Run.make("main", "other-identities").tenant
      const [tool, first, second] = ['acme/charge "a\0', 'tenant: order "a\0', "tenant: order, amount"]
      assert.isUndefined(yield* store.identity(tenant, tool))
      assert.strictEqual(yield* store.putIdentity(tenant, { tool, expected: undefined, next: first }), first)
      assert.strictEqual(yield* store.putIdentity(tenant, { tool, expected: undefined, next: second }), first)
      assert.strictEqual(yield* store.putIdentity(tenant, { tool, expected: second, next: second }), first)
      assert.strictEqual(yield* store.identity(tenant, tool), first)
      assert.isUndefined(yield* store.identity(tenant, "acme/refund"))
      assert.isUndefined(yield* store.identity(other, tool))
      const change = { tool, expected: first, next: second }
      assert.deepStrictEqual(
        yield* Effect.all([store.putIdentity(tenant, change), store.putIdentity(tenant, change)], { concurrency: 2 }),
        [second, second]
      )
      assert.strictEqual(yield* store.identity(tenant, tool), second)
    }).pipe(isolated)
  )

  it.effect("finds no fault in committed, kept and forked data, and finds a text that does not have its digest", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const run = Run.make("main", "whole")
      const head = yield* SampleCommits.write(store, run, SampleCommits.noted("x"))
      yield* store.putFingerprint(run.tenant, { expected: undefined, next: one })
      const text = "kept"
      yield* store.putBlobs(new Map([[Digest.ofBytes(text), text]]))
      yield* store.putSnapshot(run, { tick: head.tick, text: "{}" })
      assert.deepStrictEqual(yield* store.faults, [])
      const name = Digest.ofBytes(`another ${text}`)
      yield* store.putBlobs(new Map([[name, text]]))
      assert.deepStrictEqual(yield* store.faults, [{ table: "blob", found: "altered", count: 1, example: name }])
    }).pipe(isolated)
  )
}
