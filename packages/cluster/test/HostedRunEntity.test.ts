import * as Assignments from "@backstitch/host/Assignments"
import * as HostAgents from "@backstitch/host/HostAgents"
import type * as ProcessHost from "@backstitch/host/ProcessHost"
import * as TenantStores from "@backstitch/host/TenantStores"
import * as WorkSlot from "@backstitch/host/WorkSlot"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as TestRunner from "effect/cluster/TestRunner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as hall from "../../host/test/hall.ts"
import * as lab from "../../runtime/test/lab.ts"
import * as HostedRunEntity from "../src/HostedRunEntity.ts"

const { trip } = hall

describe("HostedRunEntity", () => {
  it("names a run within the bounds of the columns, and two runs differently", () => {
    const long = (letter: string) => Run.make(letter.repeat(200), "t".repeat(100))
    assert.strictEqual(HostedRunEntity.idOf(trip), "default/trip")
    assert.isAtMost(HostedRunEntity.idOf(long("a")).length, 255)
    assert.notStrictEqual(HostedRunEntity.idOf(long("a")), HostedRunEntity.idOf(long("b")))
  })

  it.live("works on a run twice at the same time, and does nothing twice (L1, L14)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const agents = yield* HostAgents.make({
          agents: { travel: hall.agent(world, hall.script(lab.book("LX1"), lab.look("hotels"), lab.tell("ada"))) },
          secretOf: () => Effect.succeed("secret")
        })
        const slots = yield* WorkSlot.make(8)
        const stores = TenantStores.make(yield* Effect.context<ProcessHost.Services>())
        const hosting = { agents, stores, slots, lacks: new Set<never>(), follow: () => Effect.void }
        const node = { hosting, leaveMillis: 2000 }
        const opens = Effect.flatMap(Coordinator.Coordinator, (coordinator) =>
          coordinator.begin(trip, { pack: hall.pack, goal: "goal" })
        )
        yield* agents.as("travel", trip.tenant)(Effect.scoped(opens))
        const assignment = yield* Assignments.assign(trip, "travel")
        // Two clusters that know nothing of each other, as two owners of a run that each believe to be the only one.
        const owner = Effect.gen(function* () {
          const client = yield* HostedRunEntity.HostedRunEntity.client
          yield* client(HostedRunEntity.idOf(trip)).Tend(HostedRunEntity.tend(assignment))
        }).pipe(Effect.provide(HostedRunEntity.layer(node).pipe(Layer.provideMerge(TestRunner.layer)), { local: true }))
        yield* Effect.all([owner, owner], { concurrency: "unbounded" })
        assert.strictEqual((yield* Assignments.find(trip))?.ending?.how, "ended")
        assert.deepStrictEqual(
          [...world.effects],
          [
            ["book LX1", 1],
            ["tell ada", 1]
          ]
        )
        const history = yield* History.History
        const types = (yield* history.transitions(trip)).map(({ body }) => body.type)
        assert.strictEqual(types.filter((type) => type === "goal.complete").length, 1)
        assert.deepStrictEqual((yield* StrictReplay.of(trip)).divergences, [])
      }).pipe(Effect.scoped, hall.within(hall.process(stored)))
    })
  )
})
