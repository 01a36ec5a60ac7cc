import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Events from "./events.ts"
import * as Examples from "./examples.ts"
import * as Places from "./places.ts"
import { type Asked, serve } from "./served.ts"

// biome-ignore lint/suspicious/noExplicitAny: what a document holds is what is tested
type Json = any

describe.each(Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]))("a subtask over HTTP, on %s", (_, place) => {
  it.live("goes back with its effects undone, and its agent goes on; one on which others stand does not (L10)", () =>
    Effect.gen(function* () {
      const { desk, module } = yield* Examples.place("form", "draft")
      const served = yield* serve(yield* place, { forms: module })
      const { address, key } = served
      const viewer = yield* key("default", "viewer")
      const operator = yield* key("default", "operator", { name: "Otto" })
      const manager = yield* key("default", "approver", { capacities: ["manager"] })
      const told = served.as<Json>(operator, "/v1")
      const refused = (path: string, asked: Asked = {}) =>
        Effect.map(told(path, asked), ({ body, status }) => [status, body.tag])
      const events = `${address}/v1/runs/form-7/events`
      yield* told("/runs", { json: { run: "form-7", agent: "forms" } })
      const until = (doing: string) => Examples.until(served, { key: operator, run: "form-7", doing })
      yield* until("waiting")
      const path = "/runs/form-7/recovery"
      const { etag } = yield* told("/runs/form-7")

      const { instances } = (yield* told("/runs/form-7/instances", { key: viewer })).body
      assert.deepStrictEqual(
        instances.map(({ instance, phase }: Json) => [instance, phase]),
        [
          ["slot::0::0", "exited"],
          ["slot::1::0", "exited"]
        ]
      )
      const { checkpoints } = (yield* told("/runs/form-7/checkpoints", { key: viewer })).body
      assert.lengthOf(checkpoints, 6)
      assert.deepStrictEqual(yield* refused(path), [404, "NoSuchSubtask"])
      assert.deepStrictEqual(yield* refused(`${path}?policy=none`), [400, "RequestInvalid"])
      const { body: judgment } = yield* told(`${path}?instance=slot::1::0&policy=entry`, { key: viewer })
      assert.deepInclude(judgment, { admitted: true, instance: "slot::1::0" })
      const asked = { instance: "slot::1::0", policy: "entry", reason: "the slot was taken" }
      assert.deepStrictEqual(yield* refused(path, { key: viewer, json: asked }), [403, "RoleInsufficient"])
      assert.deepStrictEqual(yield* refused(path, { json: { ...asked, instance: "slot" } }), [404, "NoSuchSubtask"])
      assert.deepStrictEqual(yield* refused(path, { json: { ...asked, agent: "nobody" } }), [404, "AgentUnknown"])
      const old = { json: asked, headers: { "if-match": '"1"' } }
      assert.deepStrictEqual(yield* refused(path, old), [412, "TickUnmatched"])
      assert.strictEqual((yield* told("/runs/form-7")).etag, etag)

      const write = { json: { ...asked, by: "nobody" }, headers: { "idempotency-key": "back-1", "if-match": etag! } }
      const restored = yield* told(path, write)
      assert.deepInclude(restored.body, { admitted: true, done: true, checkpoint: judgment.checkpoint })
      assert.deepStrictEqual((yield* told(path, write)).body, restored.body)
      const [said] = (yield* told("/runs/form-7/transitions?types=message.received")).body.transitions
      assert.deepInclude(said.data, { by: "Otto", content: "the slot was taken" })
      // The agent finds and reserves a slot once more, by itself, and waits for its manager again.
      yield* Events.until(events, operator, "policy.decision", etag!.slice(1, -1))
      assert.deepStrictEqual(
        Object.values<Json>(desk<Json>().keys).map(({ slot, status }) => `${slot} ${status}`),
        ["0 reserved", "1 reserved", "1 free", "1 reserved"]
      )

      const [{ review }] = (yield* told("/approvals")).body.approvals
      const decision = { verdict: "approved", role: "manager", reason: "it is complete" }
      yield* told(`/runs/form-7/approvals/${review}`, { key: manager, json: decision })
      yield* until("ended")
      const before = yield* told("/runs/form-7")
      const blocked = yield* told(path, { json: { ...asked, instance: "slot::0::0" } })
      assert.deepInclude(blocked.body, { admitted: false, done: false, outcome: null })
      assert.deepInclude(blocked.body.reasons[0], { code: "committed_consumers_present", instances: ["form::null::0"] })
      const { body: why } = yield* told(`${path}?instance=slot::0::0&policy=entry`)
      assert.deepStrictEqual(why.reasons, blocked.body.reasons)
      assert.strictEqual(why.joint.irreversible, blocked.body.joint.irreversible)
      assert.strictEqual((yield* told("/runs/form-7")).etag, before.etag)
    })
  )
})
