import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Errands from "./errands.ts"
import * as Events from "./events.ts"
import { recorded, serve } from "./served.ts"

const { orders } = Errands.shop()

type Json = Readonly<Record<string, unknown>>

/** Two runs of one agent that wait for an approval, and ways to ask. */
const waiting = Effect.gen(function* () {
  const served = yield* serve(undefined, Errands.agents)
  const { address, as, key } = served
  const operator = yield* key("default", "operator", { name: "Otto" })
  const told = as(operator, "/v1/")
  for (const run of ["errand-1", "errand-2"]) {
    yield* told("runs", { json: { run, agent: "errands" } })
    yield* Events.until(`${address}/v1/runs/${run}/events?from=1`, operator, "review.requested")
  }
  const { transitions } = (yield* told("runs/errand-1/transitions")).body as {
    transitions: ReadonlyArray<{ tick: number; transition_type: string }>
  }
  const search = transitions.find(({ transition_type }) => transition_type === "action.request")?.tick ?? 0
  return { ...served, operator, told, search }
})

describe("branches over HTTP", () => {
  it.live("carries an intent to a run that is hosted, once for its name, and the run goes on to its end", () =>
    Effect.gen(function* () {
      const { address, key, operator, search, told } = yield* waiting
      const path = `runs/errand-2/picks/errand-1/${search}`
      assert.deepInclude((yield* told(path)).body, { dryRun: true, conclusion: "Admissible" })
      const without = yield* told(path, { json: {} })
      assert.deepStrictEqual([without.status, without.body["tag"]], [422, "ToolsMissing"])
      const { etag } = yield* told("runs/errand-2")
      const pick = { json: { agent: "errands" }, headers: { "idempotency-key": "pick-1", "if-match": etag ?? "" } }
      const picked = yield* told(path, pick)
      assert.deepInclude(picked.body, { dryRun: false, conclusion: "Imported" })
      assert.deepStrictEqual((yield* told(path, pick)).body, picked.body)
      const late = yield* told(path, { ...pick, headers: { "if-match": etag ?? "" } })
      assert.deepStrictEqual([late.status, late.body["tag"]], [412, "TickUnmatched"])
      const unknown = yield* told(path, { json: { agent: "nobody" } })
      assert.deepStrictEqual([unknown.status, unknown.body["tag"]], [404, "AgentUnknown"])

      const manager = yield* key("default", "approver", { name: "Ada", capacities: ["manager"] })
      const { approvals } = (yield* told("approvals")).body as {
        approvals: ReadonlyArray<{ run: string; review: string }>
      }
      const own = approvals.find(({ run }) => run === "errand-2")
      const decide = { key: manager, json: { verdict: "approved", reason: "we need one" } }
      assert.strictEqual((yield* told(`runs/errand-2/approvals/${own?.review}`, decide)).status, 200)
      yield* Events.until(`${address}/v1/runs/errand-2/events?from=1`, operator, "goal.complete")
      assert.strictEqual(orders(), 1)
      assert.deepInclude((yield* told("runs/errand-2")).body, { status: "done", verified: true })
    })
  )

  it.live("records comparisons and answers in runs, with the name of the caller, and lists names and predicates", () =>
    Effect.gen(function* () {
      const { key, told } = yield* waiting
      assert.deepInclude((yield* told("log?run=errand-1&limit=1")).body, { omitted: 4 })
      const claims = (yield* told("claims?namespace=command")).body["claims"] as ReadonlyArray<Json>
      assert.deepInclude(claims[0], { run: "errand-1", name: "errand-1/look", settle: null })
      const diff = yield* told("runs/errand-1/diff/errand-2", { json: { kinds: ["outcome"] } })
      assert.strictEqual(diff.status, 200)
      const onset = yield* told("runs/errand-1/onset", {
        json: { asked: { _tag: "Anomaly" }, diagnosis: "policy", by: "somebody else" }
      })
      assert.strictEqual(onset.status, 200)
      const types = "transitions?types=diff.summary,bisect.result"
      assert.lengthOf((yield* told(`runs/errand-1/${types}`)).body["transitions"] as ReadonlyArray<Json>, 2)

      const violation = { id: "many", when: "size(world.orders) > 3", monotone: "lift" }
      const tried = yield* told("predicates/trials", { json: { violation, samples: ["errand-1"] } })
      assert.deepInclude(tried.body, { accepted: true })
      const operators = yield* told("runs/errand-1/predicates", { json: { violation } })
      assert.deepStrictEqual([operators.status, operators.body["tag"]], [403, "RoleInsufficient"])
      const ada = yield* key("default", "approver", { name: "Ada" })
      const added = yield* told("runs/errand-1/predicates", { key: ada, json: { violation } })
      assert.deepInclude(added.body, { accepted: true, into: "errand-1" })
      const { predicates } = (yield* told("runs/errand-1/predicates")).body as { predicates: ReadonlyArray<Json> }
      assert.include(
        predicates.map(({ id }) => id),
        "many"
      )
      const extension = yield* told("runs/errand-1/transitions?types=policy.contract_extension")
      assert.include(JSON.stringify(extension.body), "Ada")
      assert.deepInclude((yield* told("runs/errand-1/predicates/course?predicate=many")).body, { course: "never" })
    })
  )

  it.live("carries nothing out of a run that was only sent here, and nothing to it", () =>
    Effect.gen(function* () {
      const { key, search, told } = yield* waiting
      yield* told("imports", { lines: recorded("trip-43") })
      const json = { agent: "errands" }
      const ada = yield* key("default", "approver", { name: "Ada" })
      const violation = { id: "odd", when: "world.spent > 1", monotone: "lift" }
      const asks: ReadonlyArray<readonly [string, Parameters<typeof told>[1]]> = [
        [`runs/trip-43/picks/errand-1/${search}`, { json }],
        ["runs/errand-1/picks/trip-43/4", { json }],
        ["runs/errand-1/rebases/trip-43", { json }],
        ["runs/trip-43/rebases/errand-1", { json }],
        ["seeds", { json: { run: "seeded", from: [{ run: "trip-43", tick: 4, field: "world.spent" }] } }],
        ["runs/trip-43/diff/errand-1", { json: {} }],
        ["runs/trip-43/onset", { json: { asked: { _tag: "Anomaly" } } }],
        ["runs/trip-43/predicates", { key: ada, json: { violation } }]
      ]
      for (const [path, asked] of asks) {
        const { body, status } = yield* told(path, asked)
        assert.deepStrictEqual([status, body["tag"]], [409, "RunForeign"], path)
      }
      assert.strictEqual((yield* told("runs/seeded")).status, 404)
    })
  )
})
