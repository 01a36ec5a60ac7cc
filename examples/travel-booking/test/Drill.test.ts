/** The undos of the contract, exercised against the world as a sandbox. */

import { fileURLToPath } from "node:url"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as UndoDrill from "@backstitch/release/UndoDrill"
import * as Agent from "@backstitch/runtime/Agent"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as Planner from "@backstitch/runtime/Planner"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import agent from "../agent.ts"
import * as Client from "../Client.ts"
import { WorldClient } from "../world/test/WorldClient.ts"
import * as World from "../world/World.ts"

const pack = await Effect.runPromise(PackFile.load(fileURLToPath(new URL("../pack.yaml", import.meta.url))))
const trip = Run.make("trip")

describe("a drill", () => {
  it("gives back a seat, a room and a charge that it has made itself, and each is proven by its run", async () => {
    const world = await World.start()
    const layer = Coordinator.layer({ secret: "secret" }).pipe(
      Layer.provideMerge(History.layer(Kernel.standard)),
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(ToolExecutor.layerFrom(Client.tools(world.url))),
      Layer.provideMerge(Planner.layerScript(agent.steps ?? [])),
      Layer.provideMerge(TraceStore.layerMemory)
    )
    const drilling = Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      const { clauses, goal, text } = agent
      yield* Effect.scoped(
        Effect.flatMap(coordinator.begin(trip, { pack, goal, text, clauses }), (handle) => Agent.run(handle))
      )
      const asked = { sandbox: pack, tools: [], from: [trip.id], yes: true }
      const summary = yield* UndoDrill.run(trip.tenant, pack, asked)
      for (const { run } of summary.drills) {
        assert.deepStrictEqual((yield* StrictReplay.of(Run.make(run))).divergences, [], run)
      }
      return summary
    })
    try {
      const { drills, missing, proofs } = await Effect.runPromise(Effect.provide(drilling, layer))
      assert.deepStrictEqual(missing, [])
      const undone = drills.map(({ isUndone, tool }) => [tool, isUndone])
      assert.deepStrictEqual(undone, [
        ["book_flight", true],
        ["book_hotel", true],
        ["charge_card", true]
      ])
      assert.deepStrictEqual([...new Set(proofs.map(({ standing }) => standing))], ["proven"])
      const { counts } = await new WorldClient(world.url).audit()
      assert.deepInclude(counts, { bookings: 2, stays: 2, charges: 2, messages: 1 })
    } finally {
      await world.close()
    }
  })
})
