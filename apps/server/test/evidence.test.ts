import * as Kernel from "@backstitch/kernel/Kernel"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as EvidenceRun from "@backstitch/runtime/EvidenceRun"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as PendingApprovals from "@backstitch/runtime/PendingApprovals"
import * as ReviewDecision from "@backstitch/runtime/ReviewDecision"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlNotes from "@backstitch/sql/SqlNotes"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Export from "@backstitch/trace/Export"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Errands from "./errands.ts"
import * as Events from "./events.ts"
import * as Examples from "./examples.ts"
import * as Places from "./places.ts"
import { serve } from "./served.ts"

const { orders } = Errands.shop()

type Json = Readonly<Record<string, unknown>>

/** Continues a run in a store of one's own, with an approval in the name of somebody else. */
const forged = (lines: string, id: string) =>
  Effect.gen(function* () {
    const run = Run.make(id)
    yield* RunExport.importRun(Result.getOrThrow(Export.decode(lines)))
    const [waiting] = yield* PendingApprovals.ofTenant(run.tenant)
    const { review = "" } = waiting ?? {}
    const said = { verdict: "approved", by: "The CFO", role: "manager", reason: "sure" } as const
    assert.isTrue((yield* ReviewDecision.decide(run, { ...said, review })).ok)
    return { review, lines: Export.encode(yield* RunExport.exportRun(run)) }
  }).pipe(
    Effect.provide(
      Coordinator.layer({ secret: "" }).pipe(
        Layer.provideMerge(ToolExecutor.layerFrom({})),
        Layer.provideMerge(History.layer(Kernel.standard)),
        Layer.provideMerge(PackLibrary.layer),
        Layer.provideMerge(SqlTraceStore.layerFromAddress(":memory:"))
      ),
      { local: true }
    )
  )

describe.each(Places.all(process.env["BACKSTITCH_TEST_POSTGRES"]))(
  "a run that was sent to a server on %s",
  (name, place) => {
    it.live("continues no run, and is acted on by nobody, until an operator of the store answers for it", () =>
      Effect.gen(function* () {
        const served = yield* serve(yield* place, Errands.agents)
        const operator = yield* served.key("default", "operator", { name: "Otto" })
        const approver = yield* served.key("default", "approver", { name: "Ada", capacities: ["manager"] })
        const told = served.as(operator)
        const id = `errand-${name}`
        yield* told("/v1/runs", { json: { run: id, agent: "errands" } })
        yield* Events.until(`${served.address}/v1/runs/${id}/events?from=1`, operator, "review.requested")
        const own = yield* Effect.promise(async () =>
          (await served.ask(`/v1/runs/${id}/export`, { key: operator })).text()
        )
        const { lines, review } = yield* forged(own, id)

        // A run of the server is never continued from outside.
        const continued = yield* told("/v1/imports", { lines })
        assert.deepStrictEqual([continued.status, continued.body["tag"]], [409, "ImportContinues"])
        assert.include(String(continued.body["detail"]), "from the command line")
        const same = yield* told("/v1/imports", { lines: own })
        assert.deepInclude((same.body["runs"] as ReadonlyArray<Json>)[0], { run: id, present: true })
        yield* Examples.until(served, { key: operator, run: id, doing: "waiting" })

        // In a store that does not have it, it is evidence: also its forks, and also once it was sent again.
        const other = yield* serve(yield* place, Errands.agents)
        const [otto, ada] = [
          yield* other.key("default", "operator", { name: "Otto" }),
          yield* other.key("default", "approver", { name: "Ada", capacities: ["manager"] })
        ]
        const there = other.as(otto)
        assert.strictEqual((yield* there("/v1/imports", { lines })).status, 200)
        assert.strictEqual((yield* there("/v1/imports", { lines: own })).status, 200)
        const fork = { at: 2, run: "copy", reason: "another name" }
        const acts: ReadonlyArray<readonly [string, object, string]> = [
          [`/v1/runs/${id}/resume`, { agent: "errands" }, otto],
          [`/v1/runs/${id}/approvals/${review}`, { verdict: "denied", reason: "no" }, ada],
          [`/v1/runs/${id}/reviews/a1`, { as: "abandoned", evidence: "none" }, ada],
          ["/v1/runs/copy/resume", { agent: "errands" }, otto]
        ]
        const made = yield* there(`/v1/runs/${id}/forks`, { json: fork })
        assert.strictEqual(made.status, 200, JSON.stringify(made.body))
        for (const [path, json, key] of acts) {
          const refused = yield* there(path, { key, json })
          assert.deepStrictEqual([refused.status, refused.body["tag"]], [409, "RunForeign"], path)
          assert.include(String(refused.body["detail"]), "by Otto at ")
        }
        assert.strictEqual((yield* there("/v1/runs", { json: { run: id, agent: "errands" } })).body["tag"], "RunExists")
        assert.strictEqual(orders(), 0)

        // The run of the server goes on by its own decision.
        const decided = yield* told(`/v1/runs/${id}/approvals/${review}`, {
          key: approver,
          json: { verdict: "denied", reason: "no" }
        })
        assert.deepInclude(decided.body, { ok: true, by: "Ada" })

        // An operator with access to the store answers for the run that was sent.
        const services = Layer.mergeAll(
          SqlTraceStore.layerFromAddress(other.store),
          SqlNotes.layerFromAddress(other.store)
        )
        const exported = Result.getOrThrow(Export.decode(lines))
        yield* EvidenceRun.vouch(exported).pipe(Effect.provide(services, { local: true }))
        const late = { verdict: "denied", reason: "no" }
        const path = `/v1/runs/${id}/approvals/${review}`
        assert.strictEqual((yield* there(path, { key: ada, json: late })).status, 200)
      })
    )
  }
)
