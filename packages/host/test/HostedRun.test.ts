import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as History from "@backstitch/runtime/History"
import * as Roles from "@backstitch/runtime/Roles"
import * as RunExport from "@backstitch/runtime/RunExport"
import * as RunSecret from "@backstitch/runtime/RunSecret"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Leases from "@backstitch/trace/Leases"
import * as Notes from "@backstitch/trace/Notes"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as lab from "../../runtime/test/lab.ts"
import * as Assignments from "../src/work/Assignments.ts"
import * as RunHost from "../src/work/RunHost.ts"
import * as hall from "./hall.ts"

const { trip } = hall

const elapse = (millis: number) =>
  Effect.andThen(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    TestClock.adjust(millis)
  )

/** Lets time pass until a run is at something. */
const later = Effect.fnUntraced(function* (doing: RunHost.Hosted["doing"], step: number) {
  const host = yield* RunHost.RunHost
  for (let tries = 0; tries < 2000; tries++) {
    const hosted = yield* host.status(trip)
    if (hosted.doing === doing) return hosted
    yield* elapse(step)
  }
  return yield* Effect.die(new Error(`Run trip is never ${doing}`))
})

describe("HostedRun", () => {
  it.effect("asks again about a held action when its time comes, and goes on once there is an answer (L14)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      let isSilent = true
      let asked = 0
      const { book } = world.tools
      const status: NonNullable<ToolExecutor.Tool["status"]> = async (context, params) => {
        asked++
        if (isSilent) throw new Error("no answer")
        return book!.status!(context, params)
      }
      const agent = hall.agent(world, hall.script(lab.book("LX1"), lab.tell("ada")))
      const executor = ToolExecutor.layerFrom({ ...world.tools, book: { ...book!, status } })
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        const { wakesAt, waits } = yield* later("waiting", 250)
        assert.deepStrictEqual(
          waits.map((wait) => wait.for),
          ["answer"]
        )
        assert.isDefined(wakesAt)
        const before = asked
        while (asked === before) yield* elapse(10_000)
        assert.strictEqual((yield* later("waiting", 250)).ending, undefined)
        isSilent = false
        yield* later("ended", 30_000)
        assert.isAbove(asked, before)
        assert.deepStrictEqual(
          [...world.effects],
          [
            ["book LX1", 1],
            ["tell ada", 1]
          ]
        )
      }).pipe(hall.within(hall.host(stored, { travel: { ...agent, executor } })))
    })
  )

  it.effect("asks at once after a restart about a held action whose time has come meanwhile (L14)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      let isSilent = true
      const { book } = world.tools
      const status: NonNullable<ToolExecutor.Tool["status"]> = async (context, params) => {
        if (isSilent) throw new Error("no answer")
        return book!.status!(context, params)
      }
      const agent = hall.agent(world, hall.script(lab.book("LX1"), lab.tell("ada")))
      const executor = ToolExecutor.layerFrom({ ...world.tools, book: { ...book!, status } })
      const stored = yield* hall.store
      const host = hall.host(stored, { travel: { ...agent, executor } })
      const wakesAt = yield* Effect.gen(function* () {
        const { drain, start } = yield* RunHost.RunHost
        yield* start(trip, { agent: "travel" })
        const { wakesAt } = yield* later("waiting", 250)
        yield* drain
        return wakesAt!
      }).pipe(hall.within(host))
      yield* TestClock.setTime(wakesAt - 1)
      isSilent = false
      yield* Effect.gen(function* () {
        yield* later("waiting", 0)
        assert.isFalse(world.effects.has("tell ada"), "its time has not come")
      }).pipe(hall.within(host))
      yield* TestClock.setTime(wakesAt + 1)
      yield* later("ended", 0).pipe(hall.within(host))
      assert.deepStrictEqual([...world.effects.values()], [1, 1])
    })
  )

  it.live("answers no question to a person by a restart: its roles work again once a person resumes the run", () =>
    Effect.gen(function* () {
      let calls = 0
      let isBroken = true
      const worker = () => {
        calls++
        if (isBroken) throw new Error("too high")
        return 1
      }
      const topology = { kind: "orchestrator", silence: "30s" } as const
      const pack = Result.getOrThrow(TaskPack.make({ ...lab.definition, topology }))
      const roles = Roles.layerFrom({ boss: () => [{ task: "one", brief: "Count" }], worker })
      const agents = { crew: { ...hall.agent(new lab.World(), []), pack, roles } }
      const stored = yield* hall.store
      const waits = Effect.map(hall.until("waiting"), ({ tick, waits }) => ({ tick, waits, calls }))
      const asked = yield* Effect.gen(function* () {
        const { drain, start } = yield* RunHost.RunHost
        yield* start(trip, { agent: "crew" })
        const asked = yield* waits
        yield* drain
        return asked
      }).pipe(hall.within(hall.host(stored, agents)))
      assert.deepStrictEqual(
        asked.waits.map((wait) => wait.for),
        ["person"]
      )
      for (let restart = 0; restart < 3; restart++) {
        assert.deepStrictEqual(yield* waits.pipe(hall.within(hall.host(stored, agents))), asked)
      }
      isBroken = false
      yield* Effect.gen(function* () {
        const { resume } = yield* RunHost.RunHost
        yield* hall.until("waiting")
        yield* resume(trip)
        assert.deepStrictEqual((yield* hall.until("ended")).waits, [])
        assert.isAbove(calls, asked.calls)
      }).pipe(hall.within(hall.host(stored, agents)))
    })
  )

  it.live("notes of a wait when its turn began, so that nothing is missed which falls due until it is written", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      const slow = Layer.effect(
        Notes.Notes,
        Effect.map(Notes.Notes, (notes) =>
          Notes.Notes.of({ ...notes, list: (page) => Effect.delay(notes.list(page), "50 millis") })
        )
      )
      const agents = { travel: hall.agent(new lab.World(), hall.script(hall.launch)) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        const { tick } = yield* hall.until("waiting")
        const { rest } = (yield* Assignments.find(trip))!
        const [asked] = yield* (yield* History.History).transitions(trip, { from: tick, to: tick })
        assert.strictEqual(rest!.tick, tick)
        assert.isAtMost(rest!.at, asked!.stamp.asOf)
      }).pipe(hall.within(hall.host(Layer.provideMerge(slow, stored), agents)))
    })
  )

  it.live("waits on after a restart for a name that an action of another run holds", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      const silent = async () => {
        throw new Error("no answer")
      }
      const book = { ...world.tools.book!, status: silent, readback: silent }
      const executor = ToolExecutor.layerFrom({ ...world.tools, book })
      const agents = { travel: { ...hall.agent(world, hall.script(lab.book("LX1"))), executor } }
      const stored = yield* hall.store
      const other = Run.make("other")
      const before = yield* Effect.gen(function* () {
        const { drain, start } = yield* RunHost.RunHost
        yield* start(trip, { agent: "travel" })
        yield* hall.until("waiting")
        yield* start(other, { agent: "travel" })
        const { tick, waits } = yield* hall.until("waiting", other)
        yield* drain
        return { tick, waits }
      }).pipe(hall.within(hall.host(stored, agents)))
      assert.deepInclude(before.waits[0], { for: "holder", about: "trip" })
      const { tick, waits } = yield* hall.until("waiting", other).pipe(hall.within(hall.host(stored, agents)))
      assert.deepStrictEqual({ tick, waits }, before)
    })
  )

  it.effect("waits for the lease of a process that was killed, and takes the run over when it is over", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const leases = yield* Leases.Leases
        yield* leases.acquire(trip, { holder: "process 1 on elsewhere", ttlMillis: 10_000 })
        yield* host.start(trip, { agent: "travel" })
        yield* later("working", 1)
        assert.strictEqual(world.log.length, 0)
        yield* later("ended", 1000)
        assert.deepStrictEqual([...world.effects.values()], [1, 1])
      }).pipe(hall.within(hall.host(stored, { travel: hall.agent(world, lab.script) })))
    })
  )

  it.effect("waits for an agent of its own pack, told once, and calls no tool meanwhile", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      yield* lab.as(lab.process(stored))(lab.open())
      // An earlier host has assigned it, and its agent has had another pack then.
      yield* Assignments.assign(trip, "travel").pipe(hall.within(hall.process(stored)))
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const agents = {
        travel: hall.agent(world, lab.script),
        former: { ...hall.agent(world, lab.script), pack: lab.pack }
      }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        while ((yield* host.lacking(trip.tenant)).length === 0) yield* elapse(0)
        for (let looks = 0; looks < 5; looks++) yield* elapse(60_000)
        const { doing, ending, lack, waits } = yield* host.status(trip)
        assert.deepStrictEqual([doing, ending], ["waiting", undefined])
        assert.deepStrictEqual(waits, [{ for: "agent", about: "travel" }])
        assert.match(lack?.why ?? "", /waits for its agent travel under pack \w{12}, which this server does not have/)
        assert.strictEqual(world.log.length, 0)
        assert.deepStrictEqual(lines, [`A hosted run waits. ${lack?.why}`])
        yield* host.resume(trip, "former")
        yield* later("ended", 1000)
        assert.deepStrictEqual(yield* host.lacking(trip.tenant), [])
      }).pipe(hall.within(hall.host(stored, agents)), Effect.provide(logger))
    })
  )

  it.effect("leaves a run alone whose agent it lacks: the host that has the agent goes on with it", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const stored = yield* hall.store
      const agents = { travel: hall.agent(world, hall.script(hall.launch, lab.tell("ada"))) }
      const at = Effect.flatMap(RunHost.RunHost, (host) => host.status(trip))
      yield* Effect.gen(function* () {
        yield* (yield* RunHost.RunHost).start(trip, { agent: "travel" })
        yield* later("waiting", 0)
      }).pipe(hall.within(hall.host(stored, agents)))
      yield* Effect.gen(function* () {
        const lacking = yield* RunHost.RunHost
        while ((yield* lacking.lacking(trip.tenant)).length === 0) yield* elapse(0)
        yield* Effect.gen(function* () {
          yield* later("waiting", 0)
          yield* hall.decide(stored, "approved")
          const { agent } = yield* later("ended", 0)
          assert.strictEqual(agent, "travel")
        }).pipe(hall.within(hall.host(stored, agents)))
        assert.deepStrictEqual([...world.effects.keys()], ["fax the harbour", "tell ada"])
        const ended = yield* at
        assert.deepStrictEqual([ended.doing, ended.lack], ["ended", undefined])
        // It looks from time to time whether another host has taken the run, and lists it no longer.
        while ((yield* lacking.lacking(trip.tenant)).length > 0) yield* elapse(10_000)
      }).pipe(hall.within(hall.host(stored, {})))
    })
  )

  it.effect("is cancelled on record without its agent", () =>
    Effect.gen(function* () {
      const stored = yield* hall.store
      const agents = { travel: hall.agent(new lab.World(), hall.script(hall.launch)) }
      yield* Effect.gen(function* () {
        yield* (yield* RunHost.RunHost).start(trip, { agent: "travel" })
        yield* later("waiting", 0)
      }).pipe(hall.within(hall.host(stored, agents)))
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        assert.strictEqual((yield* Effect.flip(host.resume(trip)))._tag, "AgentUnknown")
        yield* host.cancel(trip, { by: "Ada", reason: "nobody has this agent any more" })
        assert.deepInclude((yield* host.status(trip)).ending, { how: "cancelled", by: "Ada" })
      }).pipe(hall.within(hall.host(stored, {})))
    })
  )

  it.effect("gives a run up at once that has keys of another secret, and goes on once that is accepted (L6)", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      const made = yield* lab.as(lab.process(yield* lab.shared, { secret: "theirs", world, lawless: true }))(
        Effect.gen(function* () {
          const coordinator = yield* Coordinator.Coordinator
          const handle = yield* coordinator.begin(trip, { pack: hall.pack, goal: "goal" })
          yield* lab.elapsing(handle.propose(lab.book("LX1")))
          return yield* RunExport.exportRun(trip)
        })
      )
      const stored = yield* hall.store
      const { tenant } = trip
      yield* hall.within(hall.process(stored))(
        Effect.gen(function* () {
          yield* RunSecret.accept("secret", tenant)
          yield* RunExport.importRun(made)
          yield* Assignments.assign(trip, "travel")
        })
      )
      const told = hall.script(lab.tell("ada"))
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        const { ending } = yield* later("failed", 0)
        assert.include(ending?.reason, "came from another store, or that secret was replaced")
        yield* hall.within(hall.process(stored))(RunSecret.accept("secret", tenant))
        yield* host.resume(trip)
        yield* later("ended", 1000)
        assert.deepStrictEqual([...world.effects.keys()], ["book LX1", "tell ada"])
      }).pipe(hall.within(hall.host(stored, { travel: hall.agent(world, told) })))
    })
  )

  it.effect("waits twice as long before each next look at a store that is full, and gives no run up for it", () =>
    Effect.gen(function* () {
      let isAway = false
      const tries: Array<number> = []
      const looks: Array<number> = []
      const full = new TraceStore.TraceStoreError({
        operation: "notes",
        reason: "full",
        store: "memory",
        cause: "away"
      })
      /** Fails eight times, and notes when. */
      const away = (times: Array<number>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (!isAway || times.length === 8) return Effect.void
          times.push(now)
          return Effect.fail(full)
        })
      const stored = yield* hall.store
      const leaving = Layer.effectContext(
        Effect.gen(function* () {
          const notes = yield* Notes.Notes
          const store = yield* TraceStore.TraceStore
          const find: typeof notes.find = (...asked) => Effect.andThen(away(tries), notes.find(...asked))
          const changes: typeof store.changes = (from) => Stream.unwrap(Effect.as(away(looks), store.changes(from)))
          return Context.make(Notes.Notes, Notes.Notes.of({ ...notes, find })).pipe(
            Context.add(TraceStore.TraceStore, TraceStore.TraceStore.of({ ...store, changes }))
          )
        })
      )
      const [launch, ...rest] = hall.script(hall.launch)
      const propose = () => {
        if (!isAway) {
          isAway = true
          throw new Error("the model is away, and the store is next")
        }
        return hall.launch
      }
      const agents = { travel: hall.agent(new lab.World(), [{ ...launch!, propose }, ...rest]) }
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        const failed = (times: ReadonlyArray<number>) =>
          Effect.gen(function* () {
            for (let step = 0; times.length < 8 && step < 50; step++) yield* elapse(5000)
          })
        yield* failed(tries)
        assert.isUndefined((yield* later("waiting", 5000)).ending)
        yield* failed(looks)
        const gaps = (times: ReadonlyArray<number>) => times.slice(1).map((time, index) => time - times[index]!)
        assert.deepStrictEqual(gaps(tries), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        assert.deepStrictEqual(gaps(looks), [500, 1000, 2000, 4000, 8000, 16_000, 30_000])
      }).pipe(hall.within(hall.host(Layer.provideMerge(leaving, stored), agents)))
    })
  )

  it.effect("tries again what has failed, and gives the run up with its message if it fails for good", () =>
    Effect.gen(function* () {
      let calls = 0
      let isBroken = true
      const steps = [
        {
          id: "broken",
          propose: () => {
            calls++
            if (isBroken) throw new Error("the model is away")
            return lab.note("begin")
          }
        }
      ]
      const stored = yield* hall.store
      yield* Effect.gen(function* () {
        const host = yield* RunHost.RunHost
        yield* host.start(trip, { agent: "travel" })
        const { ending } = yield* later("failed", 1000)
        assert.include(ending?.reason, "the model is away")
        assert.isAbove(calls, 3)
        isBroken = false
        yield* host.resume(trip)
        yield* later("ended", 1000)
      }).pipe(hall.within(hall.host(stored, { travel: hall.agent(new lab.World(), steps) })))
    })
  )
})
