import * as RunHost from "@backstitch/host/RunHost"
import { assert, describe, it } from "@effect/vitest"
import * as TestRunner from "effect/cluster/TestRunner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as hall from "../../host/test/hall.ts"
import { recovers, revises } from "../../host/test/people.ts"
import * as lab from "../../runtime/test/lab.ts"
import * as ClusterHost from "../src/ClusterHost.ts"

const { trip } = hall

/** A node by itself, in memory. */
const host = <E>(stored: Layer.Layer<hall.Stored, E>, agents: Parameters<typeof hall.host>[1]) =>
  ClusterHost.layer({ secretOf: () => Effect.succeed("secret"), leaveMillis: 2000, agents }, TestRunner.layer).pipe(
    Layer.provideMerge(hall.process(stored))
  )

describe("ClusterHost", () => {
  it.live("begins a run, and lets its agent work until it has ended", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        const { ending } = yield* hall.until("ended")
        assert.strictEqual(ending?.how, "ended")
        assert.deepStrictEqual([...world.effects.values()], [1, 1])
      }).pipe(hall.within(host(stored, { travel: hall.agent(world, lab.script) })))
    })
  )

  it.live("lets a parked run go on by itself, is asked what it does, and gives its runs up", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const agents = { travel: hall.agent(world, hall.script(lab.book("LX1"), hall.launch, lab.tell("ada"))) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* host.drain
        assert.strictEqual((yield* Effect.flip(host.resume(trip)))._tag, "HostLeaving")
      }).pipe(hall.within(host(stored, agents)))
      yield* hall.decide(stored, "approved")
      // Another cluster on the same store finds the assignment, although it has none of the messages.
      yield* Effect.gen(function* () {
        yield* hall.until("ended")
        assert.deepStrictEqual(
          [...world.effects],
          [
            ["book LX1", 1],
            ["fax the harbour", 1],
            ["tell ada", 1]
          ]
        )
      }).pipe(hall.within(host(stored, agents)))
    })
  )

  it.live("keeps a run that waits for an agent which a node lacks, for a node that has it", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const agents = { travel: hall.agent(world, hall.script(hall.launch)) }
      yield* Effect.gen(function* () {
        yield* (yield* RunHost.RunHost).start(trip, { agent: "travel" })
        yield* hall.until("waiting")
      }).pipe(hall.within(host(stored, agents)))
      yield* Effect.gen(function* () {
        const node = yield* RunHost.RunHost
        while ((yield* node.lacking(trip.tenant)).length === 0) yield* hall.turns
        const { doing, waits } = yield* node.status(trip)
        assert.deepStrictEqual([doing, waits[0]], ["waiting", { for: "agent", about: "travel" }])
      }).pipe(hall.within(host(stored, {})))
      yield* hall.decide(stored, "approved")
      yield* hall.within(host(stored, agents))(hall.until("ended"))
      assert.deepStrictEqual([...world.effects.keys()], ["fax the harbour"])
    })
  )

  it.live("stops the work on a run that a person cancels; resumed, it goes on", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const agents = { travel: hall.agent(world, hall.script(hall.launch, lab.tell("ada"))) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* host.cancel(trip, { by: "Ada", reason: "the trip is off" })
        yield* hall.until("cancelled")
        yield* hall.decide(stored, "approved")
        yield* host.resume(trip)
        yield* hall.until("ended")
        assert.isTrue(world.effects.has("tell ada"))
      }).pipe(hall.within(host(stored, agents)))
    })
  )

  it.live(
    "takes a subtask of a waiting run back and lets its agent go on, and disturbs no run if that is blocked",
    () => recovers((stored, agents) => host(stored, agents))
  )

  it.live("revises a goal that was reached, and lets the run that follows go on", () =>
    revises((stored, agents) => host(stored, agents))
  )
})
