import * as RunExport from "@backstitch/runtime/RunExport"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Export from "@backstitch/trace/Export"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Errands from "./errands.ts"
import * as Events from "./events.ts"
import { recorded, serve } from "./served.ts"

const { orders } = Errands.shop()

type Json = Readonly<Record<string, unknown>>

describe("a hosted run", () => {
  it.live("is not begun in a store that cannot tell its secret, and the refusal names the command (L6)", () =>
    Effect.gen(function* () {
      const { as, key, store } = yield* serve(undefined, Errands.agents)
      // Written into the store past the server, which would have noted its secret.
      yield* RunExport.importRun(Result.getOrThrow(Export.decode(recorded("trip-43")))).pipe(
        Effect.provide(SqlTraceStore.layerFromAddress(store), { local: true })
      )
      const told = as(yield* key("default", "operator"))
      const { body, status } = yield* told("/v1/runs", { json: { run: "errand-0", agent: "errands" } })
      assert.deepStrictEqual([status, body["tag"]], [500, "SecretUnknown"])
      assert.match(String(body["detail"]), /keys of actions of tenant default .* `backstitch secret --accept`/)
    })
  )

  it.live("is begun once, waits for a person, goes on when the key's holder decides, and ends with one effect", () =>
    Effect.gen(function* () {
      const { address, as, key } = yield* serve(undefined, Errands.agents)
      const operator = yield* key("default", "operator")
      const manager = yield* key("default", "approver", { name: "Ada", capacities: ["manager", "finance"] })
      const clerk = yield* key("default", "approver", { name: "Cleo", capacities: ["clerk"] })
      const told = as(operator)
      const known = (yield* told("/v1/agents")).body["agents"] as ReadonlyArray<object>
      assert.lengthOf(known, 1)
      assert.deepInclude(known[0], {
        agent: "errands",
        agents: [],
        pack: "acme.errands",
        version: "1.0.0",
        goal: "one kettle"
      })
      const begin = { json: { run: "errand-1", agent: "errands" }, headers: { "idempotency-key": "begin-1" } }
      const begun = yield* told("/v1/runs", begin)
      assert.strictEqual(begun.status, 202)
      // The same request again is answered as the first was, and another one under its name is refused.
      assert.deepStrictEqual(yield* told("/v1/runs", begin), begun)
      const another = yield* told("/v1/runs", { ...begin, json: { run: "errand-2", agent: "errands" } })
      assert.deepStrictEqual([another.status, another.body["tag"]], [422, "IdempotencyDiffers"])
      const taken = yield* told("/v1/runs", { json: { run: "errand-1", agent: "errands" } })
      assert.deepStrictEqual([taken.status, taken.body["tag"]], [409, "RunExists"])
      const nobody = yield* told("/v1/runs", { json: { run: "errand-3", agent: "nobody" } })
      assert.deepStrictEqual([nobody.status, nobody.body["tag"]], [404, "AgentUnknown"])

      yield* Events.until(`${address}/v1/runs/errand-1/events?from=1`, operator, "review.requested")
      const { approvals } = (yield* told("/v1/approvals")).body as {
        approvals: ReadonlyArray<{ review: string; params: object; digest: string; needs: ReadonlyArray<string> }>
      }
      assert.lengthOf(approvals, 1)
      assert.deepInclude(approvals[0], { params: { item: "kettle", price: 40 }, needs: ["manager"] })
      const decide = { verdict: "approved", role: "manager", reason: "we need one" }
      const path = `/v1/runs/errand-1/approvals/${approvals[0]!.review}`
      // Neither a role that the key does not name nor a name in the body makes the caller another person.
      const pretended = yield* told(path, { key: clerk, json: { ...decide, by: "Ada" } })
      assert.deepStrictEqual([pretended.status, pretended.body["tag"]], [403, "CapacityForeign"])
      const name = { "idempotency-key": "decide-1" }
      const old = yield* told(path, { key: manager, json: decide, headers: { ...name, "if-match": '"1"' } })
      assert.deepStrictEqual([old.status, old.body["tag"]], [412, "TickUnmatched"])
      // A card is answered as it was seen: one of another digest was never asked, and is answered by nobody.
      const { digest } = approvals[0]!
      const unseen = yield* told(path, { key: manager, json: { ...decide, digest: digest.replace(/./g, "0") } })
      assert.deepStrictEqual([unseen.status, unseen.body["tag"]], [409, "QuestionChanged"])
      assert.deepInclude((unseen.body["next"] as ReadonlyArray<object>)[0], { verb: "decide", digest })
      const answered = { ...decide, digest, by: "somebody else" }
      const decided = yield* told(path, { key: manager, json: answered, headers: name })
      assert.deepInclude(decided.body, { ok: true, by: "Ada", role: "manager" })
      // Made for another tick, it is another request.
      const moved = { ...name, "if-match": '"1"' }
      const renamed = yield* told(path, { key: manager, json: answered, headers: moved })
      assert.deepStrictEqual([renamed.status, renamed.body["tag"]], [422, "IdempotencyDiffers"])

      const seen = yield* Events.until(`${address}/v1/runs/errand-1/events?from=1`, operator, "goal.complete")
      assert.deepStrictEqual(
        seen.map(({ id }) => Number(id)),
        seen.map((_, index) => index + 1)
      )
      const rest = yield* Events.until(`${address}/v1/runs/errand-1/events`, operator, "goal.complete", seen[4]!.id)
      assert.deepStrictEqual(rest, seen.slice(5))
      assert.strictEqual(orders(), 1)
      assert.deepInclude((yield* told("/v1/runs/errand-1")).body, { status: "done", verified: true })
    })
  )

  it.live("is stopped on the record, in the name of the caller", () =>
    Effect.gen(function* () {
      const { address, ask, key } = yield* serve(undefined, Errands.agents)
      const operator = yield* key("default", "operator", { name: "Otto" })
      const request = (path: string, json: object) =>
        Effect.promise(async () => (await (await ask(path, { key: operator, json })).json()) as Json)
      yield* request("/v1/runs", { run: "errand-1", agent: "errands" })
      yield* Events.until(`${address}/v1/runs/errand-1/events?from=1`, operator, "review.requested")
      const stopped = yield* request("/v1/runs/errand-1/cancel", { reason: "the kettle was found", by: "nobody" })
      assert.deepInclude(stopped, { run: "errand-1", doing: "cancelled", why: "the kettle was found" })
      const record = yield* Effect.promise(async () =>
        (await ask("/v1/runs/errand-1/transitions?types=message.received", { key: operator })).text()
      )
      assert.include(record, "Otto")
      assert.include(record, "the kettle was found")
    })
  )
})
