/** A settlement that the system of record can tell again rides with what comes next (decision 0051). */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as OpenActions from "@backstitch/ledger/OpenActions"
import * as State from "@backstitch/reducer/State"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as PowerLoss from "../../conformance/src/store/PowerLoss.ts"
import * as History from "../src/history/History.ts"
import type * as PackLibrary from "../src/history/PackLibrary.ts"
import * as Limits from "../src/Limits.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import type * as Planner from "../src/ports/Planner.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as Report from "../src/reporting/Report.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

const typesOf = ({ transitions }: TraceStore.Append): ReadonlyArray<string> =>
  transitions.map((sealed) => Transition.open(sealed).body.type)

const settled = ["action.result", "action.verified", "action.reconciled"]
const begun = ["action.request", "action.started"]

/** A run over a store whose appends are seen, and the types of each commit. */
const watched = <A, E, R>(
  use: (handle: RunHandle.RunHandle, commits: Array<ReadonlyArray<string>>) => Effect.Effect<A, E, R>,
  pack = lab.pack
) => {
  const commits: Array<ReadonlyArray<string>> = []
  const process = lab.process(lab.watched((commit) => commits.push(typesOf(commit))))
  return lab.as(process)(
    Effect.gen(function* () {
      const coordinator = yield* Coordinator.Coordinator
      return yield* use(yield* coordinator.open(lab.trip, { pack, goal: "goal" }), commits)
    })
  )
}

/** A contract under which every booking is made at one desk. */
const oneDesk = Result.getOrThrow(
  TaskPack.make({
    ...lab.definition,
    tools: { ...lab.definition.tools, book: { ...lab.definition.tools.book, target: "'desk'" } }
  })
)

/** Reads the actions that another process sees open, and its beliefs. */
const seenBy = (store: Layer.Layer<TraceStore.TraceStore>) =>
  lab.as(lab.process(store))(
    Effect.gen(function* () {
      const history = yield* History.History
      const { head } = yield* history.info(lab.trip)
      const { state } = yield* history.at(lab.trip, head.tick)
      return { open: Object.keys(OpenActions.of(state)), spent: state.world["spent"] }
    })
  )

/** A clock that somebody sets back by so many milliseconds. Sleeps last as long as ever. */
const settable = (clock: Clock.Clock, back: () => number): Clock.Clock => ({
  ...clock,
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - back(),
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - back())
})

/** A clock that shows one time. */
const stoppedAt = (millis: number): Clock.Clock => {
  const nanos = BigInt(millis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.succeed(millis),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => nanos,
    monotonicTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.never
  }
}

describe("a settlement that can be told again", () => {
  it.effect("is committed with the next intent of the run: a step that writes flushes once", () =>
    watched((handle, commits) =>
      Effect.gen(function* () {
        const first = commits.length
        for (let flight = 1; flight <= 5; flight++) {
          assert.strictEqual((yield* handle.propose(lab.book(`LX${flight}`)))._tag, "Done")
        }
        const next = [...settled, ...begun]
        assert.deepStrictEqual(commits.slice(first), [begun, next, next, next, next])
        yield* handle.flush
        assert.deepStrictEqual(commits.at(-1), settled)
      })
    )
  )

  it.effect("is committed with the next intent for the same target", () =>
    watched(
      (handle, commits) =>
        Effect.gen(function* () {
          yield* handle.propose(lab.book("LX1"))
          assert.strictEqual((yield* handle.propose(lab.book("LX2")))._tag, "Done")
          assert.deepStrictEqual(commits.at(-1), [...settled, ...begun])
        }),
      oneDesk
    )
  )

  it.effect("is committed by itself a few milliseconds later, and open to other processes until then", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          const outcome = yield* handle.propose(lab.book("LX1"))
          assert.strictEqual(outcome._tag, "Done")
          assert.deepStrictEqual(yield* seenBy(store), { open: ["a2"], spent: 0 })
          assert.strictEqual((yield* handle.standing).state.world["spent"], 80)
          yield* TestClock.adjust(Limits.pacing.stagedMillisMax - 1)
          assert.deepStrictEqual((yield* seenBy(store)).open, ["a2"])
          yield* TestClock.adjust(1)
          assert.deepStrictEqual(yield* seenBy(store), { open: [], spent: 80 })
        })
      )
    })
  )

  it.effect("is waited for from its own time on, however long a loop goes on", () =>
    watched((handle, commits) =>
      Effect.gen(function* () {
        for (let flight = 1; flight <= 8; flight++) {
          yield* handle.propose(lab.book(`LX${flight}`))
          yield* TestClock.adjust(Limits.pacing.stagedMillisMax - 1)
        }
        assert.deepStrictEqual(
          commits.filter((types) => types.join() === settled.join()),
          []
        )
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(commits.at(-1), settled)
      })
    )
  )

  it.effect("is durable before anything that speaks of it", () =>
    watched((handle, commits) =>
      Effect.gen(function* () {
        const speaking: ReadonlyArray<
          readonly [string, Effect.Effect<unknown, unknown, History.History | PackLibrary.PackLibrary>]
        > = [
          ["a report", Report.of(lab.trip)],
          ["a history", lab.transitions()],
          ["the position", handle.position],
          ["a note", handle.propose(lab.note("it is booked"))],
          ["a message", handle.propose({ type: "message.sent", data: { reports: [], text: "booked" } })],
          ["a refusal", handle.propose(lab.book("LX9", 900))],
          ["an analysis", handle.annotate("kernel.anomaly", { kind: "replay.missing_output", tool: "book" })]
        ]
        for (const [index, [name, effect]] of speaking.entries()) {
          yield* handle.propose(lab.book(`LX${index}`, 10))
          assert.isAbove((yield* handle.standing).staged.length, 0, name)
          yield* Effect.ignore(effect)
          assert.deepStrictEqual((yield* handle.standing).staged, [], name)
          assert.deepStrictEqual(commits.at(-1)?.slice(0, 3), settled, name)
        }
      })
    )
  )

  it.effect("is durable once its run is closed", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      yield* lab.as(lab.process(store))(Effect.flatMap(lab.open(), (handle) => handle.propose(lab.book("LX1"))))
      assert.deepStrictEqual(yield* seenBy(store), { open: [], spent: 80 })
    })
  )

  it.effect("is told again by the system of record if its process was cut off (L14)", () =>
    Effect.gen(function* () {
      const disk = yield* TraceStore.makeMemory
      const power = PowerLoss.make(disk)
      const world = new lab.World()
      let told: string | undefined
      const ended = yield* lab
        .as(lab.process(power.layer, { world, lawless: true }))(
          Effect.gen(function* () {
            const handle = yield* lab.open()
            told = (yield* handle.propose(lab.book("LX1")))._tag
            yield* power.cut
          })
        )
        .pipe(Effect.exit)
      assert.deepStrictEqual([told, ended._tag], ["Done", "Failure"])
      const store = Layer.succeed(TraceStore.TraceStore, disk)
      assert.deepStrictEqual(yield* seenBy(store), { open: ["a2"], spent: 0 })
      const [again] = yield* lab.as(lab.process(store, { world }))(
        Effect.flatMap(lab.open(), (handle) => handle.resume)
      )
      assert.deepInclude(again, { _tag: "Done", output: { flight: "LX1", id: "book LX1", price: 80 } })
      assert.deepStrictEqual(yield* seenBy(store), { open: [], spent: 80 })
      assert.deepStrictEqual(world.log, ["send book LX1", "ask"])
    })
  )

  it.effect("is decided again if another process has settled its action meanwhile", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const within = lab.as(lab.process(store, { world }))
      yield* within(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.book("LX1"))
          yield* within(Effect.flatMap(lab.open(), (other) => other.resume))
          assert.strictEqual((yield* handle.propose(lab.book("LX2")))._tag, "Done")
          assert.strictEqual((yield* handle.standing).overtaken, 1)
        })
      )
      const all = yield* within(lab.transitions())
      assert.strictEqual(all.filter(({ body }) => body.type === "action.reconciled").length, 2)
      assert.deepStrictEqual(yield* seenBy(store), { open: [], spent: 160 })
    })
  )
})

describe("the answer of a read", () => {
  const read = ["action.request", "action.result"]

  it.effect("is committed with the next intent of the run, with all that was read before it (decision 0055)", () =>
    watched((handle, commits) =>
      Effect.gen(function* () {
        const first = commits.length
        for (const what of ["flights", "hotels"]) {
          assert.strictEqual((yield* handle.propose(lab.look(what)))._tag, "Done")
        }
        assert.strictEqual(commits.length, first)
        yield* handle.propose(lab.book("LX1"))
        assert.deepStrictEqual(commits.slice(first), [[...read, ...read, ...begun]])
      })
    )
  )

  it.effect("waits a few milliseconds at most, also in a loop that leaves no time to timers", () =>
    watched((handle, commits) =>
      Effect.gen(function* () {
        const first = commits.length
        yield* handle.propose(lab.look("flights"))
        yield* TestClock.adjust(Limits.pacing.stagedMillisMax)
        assert.deepStrictEqual(commits.slice(first), [read])
        yield* handle.propose(lab.look("hotels"))
        // Time has passed, and no timer was run.
        const late = yield* Effect.map(Clock.currentTimeMillis, (now) => now + Limits.pacing.stagedMillisMax)
        yield* handle.propose(lab.look("cars")).pipe(Effect.provideService(Clock.Clock, stoppedAt(late)))
        assert.deepStrictEqual(commits.slice(first), [read, [...read, ...read]])
      })
    )
  )

  it.effect("waits no longer if the clock is set back meanwhile", () =>
    watched((handle, commits) =>
      Effect.gen(function* () {
        const first = commits.length
        let back = 0
        const clock = settable(yield* Clock.Clock, () => back)
        yield* handle.propose(lab.look("flights")).pipe(Effect.provideService(Clock.Clock, clock))
        back = 3_600_000
        yield* TestClock.adjust(Limits.pacing.stagedMillisMax)
        assert.deepStrictEqual(commits.slice(first), [read])
      })
    )
  )

  it.effect("is read again, under its new name, if another process was faster", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const within = lab.as(lab.process(store))
      yield* within(
        Effect.gen(function* () {
          const handle = yield* lab.open()
          yield* handle.propose(lab.look("flights"))
          yield* handle.propose(lab.look("hotels"))
          yield* within(Effect.flatMap(lab.open(), (other) => other.propose(lab.note("faster"))))
          yield* handle.propose(lab.book("LX1"))
          assert.strictEqual((yield* handle.standing).overtaken, 1)
        })
      )
      const all = yield* within(lab.transitions())
      const asked = all.filter(({ body }) => body.type === "action.request").map(({ tick }) => `a${tick}`)
      const told = all.filter(({ body }) => body.type === "action.result").map(({ body }) => body.action?.id)
      assert.deepStrictEqual(told, asked)
      assert.strictEqual(asked.length, 3)
      assert.deepStrictEqual((yield* within(StrictReplay.of(lab.trip))).divergences, [])
    })
  )
})

const steps: ReadonlyArray<Planner.ScriptStep> = [
  { id: "one", propose: lab.book("LX1") },
  { id: "two", propose: lab.book("LX2", 70) },
  { id: "tell", propose: lab.tell("ada") },
  { id: "look", propose: lab.look("hotels") },
  { id: "three", propose: lab.book("LX3", 60) },
  { id: "done", propose: { type: "goal.complete" } }
]

describe("a power cut", () => {
  const effects = ["book LX1", "book LX2", "book LX3", "tell ada"]

  /** Works until the power is cut, goes on with what is on the disk, and holds the end against one without a cut. */
  const trial = (
    name: string,
    { at, n, place }: { readonly at?: PowerLoss.Cut; readonly n?: number; readonly place?: FaultPoint.PointName }
  ) =>
    Effect.gen(function* () {
      const disk = yield* TraceStore.makeMemory
      const power = PowerLoss.make(disk, at)
      const world = new lab.World()
      let reached = 0
      const dies = (here: FaultPoint.PointName) =>
        (place === undefined || here === place) && ++reached === n ? power.cut : Effect.void
      const crashed = yield* lab.elapsing(
        lab
          .as(lab.process(power.layer, { world, steps, lawless: true }))(lab.work)
          .pipe(Effect.provideService(FaultPoint.FaultPoint, dies), Effect.exit)
      )
      const store = Layer.succeed(TraceStore.TraceStore, disk)
      const before = yield* lab.as(lab.process(store))(Effect.orElseSucceed(lab.transitions(), () => []))
      yield* lab.elapsing(lab.as(lab.process(store, { world, steps }))(lab.work))
      yield* lab.as(lab.process(store))(
        Effect.gen(function* () {
          const after = yield* lab.transitions()
          assert.deepStrictEqual(after.slice(0, before.length), before, name)
          const { divergences, state } = yield* StrictReplay.of(lab.trip)
          assert.deepStrictEqual(divergences, [], name)
          assert.deepInclude(State.sectionToJson(state.world), { spent: 210, told: ["ada"] }, name)
          assert.deepStrictEqual(OpenActions.of(state), {}, name)
        })
      )
      assert.deepStrictEqual([world.doubled, [...world.effects.keys()].sort()], [[], effects], name)
      return crashed._tag === "Failure"
    })

  for (const when of ["before", "after"] as const) {
    it.effect(`${when} any flush loses nothing that was told, and doubles no effect (L14, decision 0051)`, () =>
      Effect.gen(function* () {
        let flush = 1
        while (yield* trial(`${when} flush ${flush}`, { at: { flush, when } })) flush++
        assert.isAbove(flush, 8)
      })
    )
  }

  it.effect("at any place loses nothing that was told, and doubles no effect (L14, decision 0051)", () =>
    Effect.gen(function* () {
      let n = 1
      while (yield* trial(`place ${n}`, { n })) n++
      assert.isAbove(n, 30)
    })
  )
})
