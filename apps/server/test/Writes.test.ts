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
})
