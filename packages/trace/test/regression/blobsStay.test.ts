/** The memory layer replaced a blob that was there already, where every other layer keeps the first. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Digest from "../../src/bytes/Digest.ts"
import * as TraceStore from "../../src/port/TraceStore.ts"

describe("TraceStore.makeMemory", () => {
  it.effect("keeps a blob that is stored already", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore.makeMemory
      const digest = Digest.ofBytes("first")
      yield* store.putBlobs(new Map([[digest, "first"]]))
      yield* store.putBlobs(new Map([[digest, "second"]]))
      assert.strictEqual((yield* store.getBlobs([digest])).get(digest), "first")
    })
  )
})
