import type * as Access from "@backstitch/api/Access"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Writes from "../src/answer/Writes.ts"

const caller: Access.CallerFacts = {
  tenant: Run.make("any").tenant,
  role: "operator",
  name: "Ada",
  capacities: [],
  key: "k1"
}

const request = HttpServerRequest.fromWeb(new Request("http://here/v1/runs/trip/revisions", { method: "POST" }))

const commandOf = (payload: unknown, name = "revise-1") =>
  Writes.commandOf({ request, headers: { "idempotency-key": name }, payload }, caller)

describe("Writes", () => {
  it("names the same command for the same content, in whatever order its parts were sent", () => {
    const command = commandOf({ words: "rather in Basel", changes: [] })
    assert.strictEqual(commandOf({ changes: [], words: "rather in Basel" }), command)
    assert.notStrictEqual(commandOf({ changes: [], words: "rather in Bern" }), command)
    assert.notStrictEqual(commandOf({ changes: [], words: "rather in Basel" }, "revise-2"), command)
  })

  it("tells callers apart whatever stands in their keys, and names a command as earlier versions did", () => {
    const payload = { words: "rather in Basel" }
    const named = (key: string) =>
      Writes.commandOf({ request, headers: { "idempotency-key": "revise-1" }, payload }, { ...caller, key })
    const keys = ["k1", "k1\n", "k1\nPOST", "k1\nPOST\n/v1/runs/trip/revisions", "k1\nPOST\n/v1/runs/trip/revisions\n"]
    assert.strictEqual(new Set(keys.map(named)).size, keys.length)
    assert.strictEqual(named("k1"), "request fed18d6c1d4d09874b368c0b90dbafe5c39ad14923fc9c86a61a8e2c176ab935")
  })
})
