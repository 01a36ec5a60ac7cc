/**
 * Requests that the world accepts and carries out later: they are followed under their key, and settled by the
 * world's record.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as History from "@backstitch/runtime/History"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Crew from "../crash/Crew.ts"
import * as Job from "../crash/Job.ts"
import * as Services from "../crash/Services.ts"
import * as TravelPack from "../crash/TravelPack.ts"
import * as Truth from "../crash/Truth.ts"
import * as World from "../world/World.ts"
import * as Scene from "./scene.ts"

const { booking } = Scene

describe("a request that was accepted", () => {
  it("is followed by asking with its key, and settled by the record once it is done", () =>
    Scene.scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "queued", 1)
        const outcome = yield* scene.propose(booking)
        assert.deepInclude(outcome, { _tag: "Done", basis: "readback" }, JSON.stringify(outcome))
        assert.deepStrictEqual(yield* scene.states, [
          ...["proposed", "validated", "executing", "accepted", "pending"],
          ...["committed", "reconciled_success"]
        ])
        assert.deepStrictEqual(yield* scene.story, [
          ...Scene.started,
          ...["action.result ok", "action.result ok"],
          ...Scene.settled
        ])
        assert.strictEqual(yield* scene.seats, 1)
        assert.strictEqual((yield* scene.report).actions[0]?.standing, "success")
      })
    ))

  it("fails when the provider refuses it afterwards, and nothing is ever told as done (HS-03, L8)", () =>
    Scene.scene((scene) =>
      Effect.gen(function* () {
        yield* scene.arm("book_flight", "queued_refused", 1)
        const outcome = yield* scene.propose(booking)
        assert.strictEqual(outcome._tag, "Failed", JSON.stringify(outcome))
        assert.include(JSON.stringify(outcome), "sold_out")
        assert.deepStrictEqual(yield* scene.states, [
          ...["proposed", "validated", "executing", "accepted", "pending", "failed"]
        ])
        assert.strictEqual(yield* scene.seats, 0)
        assert.strictEqual((yield* scene.report).actions[0]?.standing, "failure")
      })
    ))

  const times = TravelPack.brief

  it("is pending while its process is dead, and is settled under the same key by the process that resumes (L5, L14)", {
    timeout: 240_000
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "backstitch-accepted-"))
    const world = await World.start({ settleAfterMillis: times.settleAfterMillis })
    const crew = new Crew.Crew(1)
    const store: Job.Store = { dialect: "sqlite", filename: join(folder, "store.db") }
    const job = { store, tenant: "acme", times, world: world.url }
    const seen = () =>
      Effect.gen(function* () {
        const run = Run.make("trip", "acme")
        const history = yield* History.History
        const transitions = yield* history.transitions(run)
        const booked = transitions.find(({ body }) => body.action?.tool === "book_flight")
        return yield* ActionPage.of(booked?.body.action?.id ?? "", { tenant: run.tenant, run })
      }).pipe(Effect.scoped, Effect.provide(Services.layer(Job.storeLayer(store)), { local: true }), Effect.runPromise)
    try {
      await Truth.arm(world.url, { tool: "book_flight", kind: "queued", times: 1, delayMillis: 1000 })
      // The second question: by then the answer is durable, because it had to be waited.
      const death = { place: "status/before", nth: 2, tool: "book_flight" } as const
      assert.strictEqual((await crew.mortal((worker) => worker.do({ ...job, death }))).signal, "SIGKILL")
      const dead = await seen()
      assert.deepStrictEqual(
        dead.states.slice(-2).map(({ state }) => state),
        ["accepted", "pending"]
      )
      assert.strictEqual(dead.standing, "pending")

      assert.strictEqual((await crew.immortals[0].do(job)).ended, "Done")
      const resumed = await seen()
      assert.strictEqual(resumed.standing, "success")
      const { bookings = [], requests = [] } = await Truth.read(world.url)
      assert.lengthOf(bookings, 1)
      const sent = requests.filter(({ tool }) => tool === "book_flight")
      assert.deepStrictEqual(
        sent.map(({ outcome }) => outcome),
        ["done"]
      )
    } finally {
      await crew.close()
      await world.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    }
  })
})
