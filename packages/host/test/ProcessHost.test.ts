import * as ExpectedTick from "@backstitch/runtime/ExpectedTick"
import * as History from "@backstitch/runtime/History"
import type * as Planner from "@backstitch/runtime/Planner"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as lab from "../../runtime/test/lab.ts"
import * as Assignments from "../src/work/Assignments.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"
import { recovers, revises } from "./people.ts"

const { trip } = hall

describe("ProcessHost", () => {
  it.live("says why an agent ended before its goal was reached, unless its last act was done", () =>
    Effect.gen(function* () {
      const steps: { readonly [name: string]: Array<Planner.ScriptStep> } = {
        idle: [],
        refused: [{ id: "step", propose: lab.book("LX1", 500) }],
        failed: [{ id: "step", propose: lab.tell("ada") }],
        done: [{ id: "step", propose: lab.tell("ada") }],
        reached: [...hall.script(lab.tell("ada"))]
      }
      const agents = Object.entries(steps).map(([name, each]) => {
        const world = new lab.World()
        if (name === "failed") world.faults.push("refused")
        return [name, hall.agent(world, each)] as const
      })
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const why = Effect.fnUntraced(function* (agent: string) {
          const run = Run.make(agent)
          yield* host.start(run, { agent, goal: "Two nights" })
          return (yield* hall.until("ended", run)).ending?.reason
        })
        const again = Effect.fnUntraced(function* (agent: string) {
          const run = Run.make(agent)
          yield* host.resume(run)
          return (yield* hall.until("ended", run)).ending?.reason
        })
        const reasons = [
          "Its agent proposed nothing",
          "The last proposal was refused, and its agent made no other",
          "The last act failed, and its agent proposed no other",
          undefined,
          undefined
        ]
        assert.deepStrictEqual(yield* Effect.forEach(Object.keys(steps), why), reasons)
        // A process that has nothing to propose tells it from the trace.
        for (const each of Object.values(steps)) each.splice(0)
        assert.deepStrictEqual(yield* Effect.forEach(Object.keys(steps), again), reasons)
      }).pipe(hall.within(hall.host(yield* hall.store, Object.fromEntries(agents))))
    })
  )

  it.live("begins a run, answers once that is durable, and lets its agent work until it has ended", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel", goal: "Two nights", pack: "acme.trips" })
        const history = yield* History.History
        const [first] = yield* history.transitions(trip, { from: 1, to: 1 })
        assert.strictEqual(first?.body.type, "run.started")
        const { ending, waits } = yield* hall.until("ended")
        assert.deepStrictEqual([ending?.how, waits], ["ended", []])
        assert.deepStrictEqual([...world.effects.values()], [1, 1])
        const again = yield* Effect.flip(host.start(trip, { agent: "travel" }))
        assert.strictEqual(again._tag, "RunExists")
      }).pipe(hall.within(hall.host(stored, { travel: hall.agent(world, lab.script) })))
    })
  )

  it.live("refuses an agent that it does not have, and a pack that is not the agent's", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const unknown = yield* Effect.flip(host.start(trip, { agent: "nobody" }))
        assert.include(unknown.message, "It has travel")
        const unfit = yield* Effect.flip(host.start(trip, { agent: "travel", pack: "acme.other" }))
        assert.strictEqual(unfit._tag, "PackUnfit")
        assert.strictEqual((yield* Effect.flip(host.status(trip)))._tag, "RunUnknown")
      }).pipe(hall.within(hall.host(stored, { travel: hall.agent(new lab.World(), lab.script) })))
    })
  )

  it.live("lets a parked run go on by itself once another process has decided its approval", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const steps = hall.script(hall.launch, lab.tell("ada"))
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        const { waits, wakesAt } = yield* hall.until("waiting")
        assert.deepStrictEqual([waits.map((wait) => wait.for), wakesAt], [["approval"], undefined])
        assert.strictEqual((yield* hall.decide(stored, "approved"))._tag, "Done")
        yield* hall.until("ended")
        assert.isTrue(world.effects.has("tell ada"))
      }).pipe(hall.within(hall.host(stored, { travel: hall.agent(world, steps) })))
    })
  )

  it.live("goes on with what waits after a restart, and is told by no one which runs these are", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const agents = { travel: hall.agent(world, hall.script(lab.book("LX1"), hall.launch, lab.tell("ada"))) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* host.drain
        const refused = yield* Effect.flip(host.resume(trip))
        assert.strictEqual(refused._tag, "HostLeaving")
        assert.strictEqual((yield* host.status(trip)).doing, "elsewhere")
      }).pipe(hall.within(hall.host(stored, agents)))
      // Nobody has decided: a host waits where the one before has waited, and writes nothing.
      const ticks: Array<number> = []
      for (let restart = 0; restart < 3; restart++) {
        const { tick } = yield* hall.until("waiting").pipe(hall.within(hall.host(stored, agents)))
        ticks.push(tick)
      }
      assert.deepStrictEqual(ticks, [8, 8, 8])
      yield* hall.decide(stored, "approved")
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
        const history = yield* History.History
        const decided = (yield* history.transitions(trip)).filter(({ body }) => body.type === "policy.decision")
        assert.lengthOf(decided, 1)
      }).pipe(hall.within(hall.host(stored, agents)))
    })
  )

  it.live("stops the work on a run that a person cancels, and puts that on record; resumed, it goes on", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const agents = { travel: hall.agent(world, hall.script(hall.launch, lab.tell("ada"))) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* host.cancel(trip, { by: "Ada", reason: "the trip is off" })
        const { ending } = yield* hall.until("cancelled")
        assert.deepInclude(ending, { by: "Ada", reason: "the trip is off" })
        const history = yield* History.History
        const last = (yield* history.transitions(trip)).at(-1)
        assert.deepStrictEqual([last?.body.type, last?.body.author], ["message.received", "user"])
        yield* hall.decide(stored, "approved")
        for (let count = 0; count < 20; count++) yield* hall.turns
        assert.strictEqual((yield* host.status(trip)).doing, "cancelled")
        const again = yield* Effect.flip(host.cancel(trip, { by: "Ada", reason: "again" }))
        assert.strictEqual(again._tag, "RunEnded")
        yield* host.resume(trip)
        yield* hall.until("ended")
        assert.isTrue(world.effects.has("tell ada"))
      }).pipe(hall.within(hall.host(stored, agents)))
    })
  )

  it.live("binds no run to the tick that a request expects which lets it go on", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const kept = Layer.merge(stored, Layer.provide(ExpectedTick.layer, stored))
      const agents = { travel: hall.agent(world, hall.script(hall.launch, lab.tell("ada"))) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* host.cancel(trip, { by: "Ada", reason: "the trip is off" })
        const { tick } = yield* hall.until("cancelled")
        // Another process is faster, and the request itself commits nothing.
        const resumes = Effect.andThen(hall.decide(stored, "approved"), host.resume(trip))
        yield* ExpectedTick.at(trip, tick, resumes)
        yield* hall.until("ended")
        assert.isTrue(world.effects.has("tell ada"))
      }).pipe(hall.within(hall.host(kept, agents)))
    })
  )

  it.live(
    "takes a subtask of a waiting run back and lets its agent go on, and disturbs no run if that is blocked",
    () => recovers((stored, agents) => hall.host(stored, agents))
  )

  it.live("revises a goal that was reached, and lets the run that follows go on", () =>
    revises((stored, agents) => hall.host(stored, agents))
  )

  it.live("leaves no run to nobody, if it is resumed or cancelled in the very moment in which it ends", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      const agents = { travel: hall.agent(new lab.World(), hall.script(lab.note("begin"))) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const runs = Array.from({ length: 12 }, (_, index) => Run.make(`trip-${index}`))
        const cancelling = { by: "Ada", reason: "off" }
        yield* Effect.forEach(
          runs,
          (run, index) =>
            Effect.gen(function* () {
              yield* host.start(run, { agent: "travel" })
              for (let times = 0; times < 8; times++) {
                const verb = (times + index) % 3 === 0 ? host.cancel(run, cancelling) : host.resume(run)
                yield* Effect.exit(verb)
                if (times % 2 === 0) yield* hall.turns
              }
              yield* host.resume(run)
            }),
          { concurrency: "unbounded" }
        )
        for (const run of runs) yield* hall.until("ended", run)
        assert.deepStrictEqual(yield* Assignments.all, [])
      }).pipe(hall.within(hall.host(stored, agents)))
    })
  )

  it.live("works on as many runs at a time as it may, and on all of them in the end", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const steps = hall.script(lab.look("flights"), lab.look("hotels"))
      let atOnce = 0
      let most = 0
      const look = async ({ q }: { readonly q: string }) => {
        most = Math.max(most, ++atOnce)
        await new Promise((resolve) => setTimeout(resolve, 3))
        atOnce--
        return { found: q }
      }
      const tools = { ...world.tools, look: { execute: look } }
      const counted = { ...hall.agent(world, steps), executor: ToolExecutor.layerFrom(tools) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const runs = Array.from({ length: 12 }, (_, index) => ({ ...trip, id: `trip-${index}` as typeof trip.id }))
        for (const run of runs) yield* host.start(run, { agent: "travel" })
        for (const run of runs) yield* hall.until("ended", run)
        assert.strictEqual(most, 3)
      }).pipe(hall.within(hall.host(stored, { travel: counted }, { runsMax: 3 })))
    })
  )
})
