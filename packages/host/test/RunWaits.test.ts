import * as Command from "@backstitch/kernel/Command"
import * as Finding from "@backstitch/kernel/Finding"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as lab from "../../runtime/test/lab.ts"
import * as Limits from "../src/Limits.ts"
import * as RunWaits from "../src/waiting/RunWaits.ts"

const moment = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))
const Timers = Schema.Array(
  Schema.Struct({
    dueAt: Schema.UndefinedOr(moment),
    since: Schema.UndefinedOr(moment)
  })
)

const waitsOf = (timers: typeof Timers.Type): ReadonlyArray<RunWaits.RunWait> =>
  timers.map(({ dueAt, since }, index) => ({
    for: "answer",
    about: `a${index}`,
    dueAt,
    looks: since === undefined ? undefined : { since, poll: RunWaits.patience }
  }))

/** Lists what a run waits for after an effect on its handle. */
const waitsAfter = (
  options: Parameters<typeof lab.process>[1],
  body: (handle: RunHandle.RunHandle) => Effect.Effect<Outcome, RunHandle.RunError>,
  noted?: RunWaits.HiddenWait
) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    return yield* lab.as(lab.process(store, options))(
      Effect.gen(function* () {
        const handle = yield* lab.open()
        const outcome = yield* lab.elapsing(body(handle))
        const position = yield* handle.position
        return RunWaits.of({ position, pack: lab.pack, hidden: noted ?? RunWaits.hiddenBy(outcome, position.asOf) })
      })
    )
  })

describe("RunWaits", () => {
  it.prop(
    "go on later than now, or by themselves never",
    [Timers, moment],
    ([timers, now]) => {
      const at = RunWaits.wakesAt(waitsOf(timers), now)
      if (at !== undefined) assert.isAbove(at, now)
      else
        assert.isTrue(timers.every(({ dueAt, since }) => since === undefined && (dueAt === undefined || dueAt <= now)))
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "have one time, whoever asks for it before: a restart neither moves nor loses it",
    [Timers, moment, moment],
    ([timers, one, other]) => {
      const waits = waitsOf(timers)
      const [early, late] = [Math.min(one, other), Math.max(one, other)]
      const at = RunWaits.wakesAt(waits, early)
      if (at !== undefined && late < at) assert.strictEqual(RunWaits.wakesAt(waits, late), at)
    },
    { arbitrary: { runs: 300 } }
  )

  it("look again slower and slower, and at least once a day", () => {
    const waits = waitsOf([{ since: 0, dueAt: undefined }])
    const times: Array<number> = [0]
    while (times.length < 20) times.push(RunWaits.wakesAt(waits, times.at(-1)!)!)
    const gaps = times.slice(1).map((time, index) => time - times[index]!)
    assert.deepStrictEqual(
      gaps.toSorted((one, other) => one - other),
      gaps
    )
    assert.strictEqual(gaps.at(-1), Limits.pacing.heldAskMillisMax)
  })

  it.effect("are none of a run that has nothing open, whatever its last outcome was", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* waitsAfter({}, (handle) => handle.propose(lab.look("flights"))), [])
      assert.deepStrictEqual(yield* waitsAfter({}, (handle) => handle.propose(lab.book("LX1", 200))), [])
    })
  )

  it.effect("are for an approval that a person has to give, without a time", () =>
    Effect.gen(function* () {
      const waits = yield* waitsAfter({}, (handle) => handle.propose({ tool: "launch", params: {} }))
      assert.deepStrictEqual(
        waits.map((wait) => wait.for),
        ["approval"]
      )
      assert.isUndefined(RunWaits.wakesAt(waits, 0))
    })
  )

  it.effect("are for a person where nobody else can tell what became of an action", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      const waits = yield* waitsAfter({ world }, (handle) => handle.propose({ tool: "fax", params: { to: "x" } }))
      assert.deepStrictEqual(
        waits.map((wait) => [wait.for, RunWaits.wakesAt([wait], 0)]),
        [["person", undefined]]
      )
    })
  )

  it.effect("are for the answer of a system of record that does not answer, and it is asked again", () =>
    Effect.gen(function* () {
      const world = new lab.World()
      world.faults.push("lost")
      const silent = async () => {
        throw new Error("no answer")
      }
      const { book } = world.tools
      const executor = ToolExecutor.fromTools({ ...world.tools, book: { ...book!, status: silent, readback: silent } })
      const waits = yield* waitsAfter({ executor }, (handle) => handle.propose(lab.book("LX1")))
      assert.deepStrictEqual(
        waits.map((wait) => wait.for),
        ["answer"]
      )
      const [{ looks }] = waits as [RunWaits.RunWait]
      assert.strictEqual(RunWaits.wakesAt(waits, looks!.since + 5000), looks!.since + Limits.pacing.heldAskFirstMillis)
    })
  )

  it.effect("are also for a name that another run holds, whatever else the run waits for", () =>
    Effect.gen(function* () {
      const launch = (handle: RunHandle.RunHandle) => handle.propose({ tool: "launch", params: {} })
      const holder = { about: "other", for: "holder", since: 0 } as const
      const waits = yield* waitsAfter({}, launch, holder)
      assert.deepStrictEqual(
        waits.map((wait) => wait.for),
        ["approval", "holder"]
      )
      assert.strictEqual(RunWaits.wakesAt(waits, 0), Limits.pacing.heldAskFirstMillis)
      // What the state shows of a person's decision is more exact than what the outcome said.
      for (const reason of ["approval", "person"] as const) {
        const shown = yield* waitsAfter({}, launch, { ...holder, for: reason })
        assert.deepStrictEqual(
          shown.map((wait) => [wait.for, wait.about === "other"]),
          [["approval", false]]
        )
      }
    })
  )

  it.effect("are also for a person's word on an alarm, whatever else the run waits for", () =>
    Effect.gen(function* () {
      const launch = (handle: RunHandle.RunHandle) => handle.propose({ tool: "launch", params: {} })
      const about = "topology.runaway"
      for (const why of [
        Finding.make("alarm.unheard", { predicate: about, since: 3 }),
        Finding.make("topology.asked", { crack: "runaway", subjects: [] })
      ]) {
        const asked = RunWaits.hiddenBy({ _tag: "Held", action: about, tick: 3, why }, 0)
        const waits = yield* waitsAfter({}, launch, asked)
        assert.deepStrictEqual(
          waits.map((wait) => [wait.for, wait.about === about]),
          [
            ["approval", false],
            ["person", true]
          ]
        )
      }
    })
  )

  it("are not changed by what was only found out about a run", () => {
    for (const type of [...Command.analyses, "anomaly.flag"]) assert.isFalse(RunWaits.mayEndWait(type))
    for (const type of ["review.decided", "action.result", "revision.injected", "failure.observed", "acme.shipped"]) {
      assert.isTrue(RunWaits.mayEndWait(type))
    }
  })
})
