import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import * as RemoteTraceStore from "../src/RemoteTraceStore.ts"
import * as ServerClient from "../src/ServerClient.ts"

// Nobody listens there.
const given = { address: "http://127.0.0.1:1", key: "bsk_x" }

describe("ServerClient", () => {
  it("rejects where nobody answers", async () => {
    const ask = ServerClient.promises(given)
    const refused = await ask((api) => api.keys.whoami()).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.isDefined(refused)
  })
})

describe("RemoteTraceStore", () => {
  it("fails like a store that cannot answer, and names the server", async () => {
    const store = await Effect.runPromise(RemoteTraceStore.make(given))
    const { tenant } = Run.make("trip")
    for (const call of [
      Effect.asVoid(store.info(Run.make("trip"))),
      Effect.asVoid(store.runs(tenant)),
      Effect.asVoid(store.claims(tenant))
    ]) {
      const error = await Effect.runPromise(Effect.flip(call))
      assert.strictEqual(error._tag, "TraceStoreError")
      assert.include(error.message, given.address)
    }
  })
})
