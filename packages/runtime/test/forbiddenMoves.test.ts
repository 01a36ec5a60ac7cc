/** Facts that the state machine of actions does not permit, as they arrive at an open run. */
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as InvalidMove from "@backstitch/kernel/InvalidMove"
import * as Anomalies from "@backstitch/reducer/Anomalies"
import * as Digest from "@backstitch/trace/Digest"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as RunMetrics from "../src/projections/RunMetrics.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as ActionPage from "../src/reporting/ActionPage.ts"
import * as Explanation from "../src/reporting/Explanation.ts"
import * as HeldActions from "../src/reporting/HeldActions.ts"
import * as Receipt from "../src/reporting/Receipt.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as lab from "./lab.ts"

const webhook = { secret: "S", tolerance: "none", key: "body.key", done: "body.done", failed: "!body.done" }
const { book, ...others } = lab.definition.tools
const pack = Result.getOrThrow(
  TaskPack.make({ ...(lab.definition as Definition), tools: { ...others, book: { ...book, webhook } } } as Definition)
)

const opens = Effect.flatMap(Coordinator.Coordinator, (each) => each.open(lab.trip, { pack, goal: "goal" }))

/** A seat that was booked and verified, and whoever speaks of it afterwards. */
const booked = <A, E, R>(
  use: (handle: RunHandle.RunHandle, key: string) => Effect.Effect<A, E, R>,
  options: { readonly lawless?: boolean } = {}
) =>
  Effect.gen(function* () {
    const store = yield* lab.shared
    return yield* lab.as(lab.process(store, options))(
      Effect.gen(function* () {
        const handle = yield* opens
        assert.strictEqual((yield* handle.propose(lab.book("LX1")))._tag, "Done")
        const started = (yield* lab.transitions()).find(({ body }) => body.type === "action.started")
        return yield* use(handle, started?.stamp.key ?? "")
      })
    )
  })

const anomalies = (all: ReadonlyArray<Transition>) => all.filter(({ body }) => body.type === "kernel.anomaly")

/** A genuine delivery; each has a digest of its own. */
const tells = (key: string, done: boolean, nth = 0) => {
  const body = { done, key, nth }
  return { tool: "book", body, delivery: Digest.ofBytes(JSON.stringify(body)), isGenuine: true }
}

describe("a fact that the table does not permit", () => {
  it.effect("is an anomaly if it comes after the settlement and contradicts it, and changes nothing", () =>
    booked((handle, key) =>
      Effect.gen(function* () {
        const before = (yield* handle.position).state
        assert.strictEqual((yield* handle.deliver(tells(key, true)))._tag, "Done")
        assert.lengthOf(anomalies(yield* lab.transitions()), 0)
        assert.strictEqual((yield* handle.deliver(tells(key, false)))._tag, "Done")
        const [anomaly] = anomalies(yield* lab.transitions())
        assert.deepInclude(anomaly?.body.data, { from: "reconciled_success", kind: InvalidMove.kind, to: "failed" })
        const { state } = yield* handle.position
        assert.deepStrictEqual(state.world, before.world)

        const about = { run: lab.trip, tenant: lab.trip.tenant }
        const page = yield* ActionPage.of(anomaly?.body.action?.id ?? "", about)
        assert.strictEqual(page.standing, "success")
        assert.match(page.anomalies[0]?.refused ?? "", /from reconciled_success to failed/)
        const explained = yield* Explanation.explain(lab.trip, anomaly!.tick)
        assert.strictEqual(explained.verdict, "anomaly")
        assert.match(explained.why, /from reconciled_success to failed, which is not permitted/)
        const { anomalies: met } = yield* RunMetrics.ofRun(lab.trip)
        assert.deepStrictEqual(met, { [InvalidMove.kind]: 1 })
        assert.strictEqual((yield* Receipt.make(lab.trip, undefined)).anomalies, 1)
        assert.deepStrictEqual((yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })).differs, [])
      })
    )
  )

  it.effect("is an anomaly if a record contradicts another process's settlement, and a person reviews it", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const faster = lab.as(lab.process(store, { world }))(Effect.flatMap(opens, (handle) => handle.resume))
      let isPaused = false
      // It stands still before it reads back; another process settles, and then somebody changes the record.
      const pauses = (place: FaultPoint.PointName) => {
        if (place !== "readback/before" || isPaused) return Effect.void
        isPaused = true
        return Effect.gen(function* () {
          assert.deepStrictEqual(
            (yield* faster).map(({ _tag }) => _tag),
            ["Done"]
          )
          yield* TestClock.adjust("1 minute")
          for (const [key, answer] of world.answers) world.answers.set(key, { ...answer, price: 95 })
        }).pipe(Effect.orDie)
      }
      yield* lab.as(lab.process(store, { world }))(
        Effect.gen(function* () {
          const handle = yield* opens
          const booking = handle.propose(lab.book("LX1"))
          const outcome = yield* Effect.provideService(booking, FaultPoint.FaultPoint, pauses)
          assert.deepInclude(outcome, { _tag: "Done" })
          const all = yield* lab.transitions()
          const [anomaly, ...others] = anomalies(all)
          assert.deepStrictEqual(others, [])
          assert.deepInclude(anomaly?.body.data, { from: "reconciled_success", to: "reconciliation_failed" })
          assert.strictEqual((yield* handle.position).state.world["spent"], 80, "what was settled stands")
          const held = yield* HeldActions.list(lab.trip.tenant)
          assert.deepStrictEqual(
            held.map(({ triggers }) => triggers),
            [["mismatch"]]
          )
          assert.deepInclude(held[0]?.next, { as: ["noted"], verb: "resolve" })
          assert.deepStrictEqual((yield* DecisionReplay.redecide(lab.trip, { secret: "secret" })).differs, [])
        })
      )
      assert.deepStrictEqual(world.doubled, [])
    })
  )

  it.effect("is put on record at powers of two, with how often it came", () =>
    booked((handle, key) =>
      Effect.gen(function* () {
        for (let nth = 0; nth < 9; nth++) yield* handle.deliver(tells(key, false, nth))
        const found = anomalies(yield* lab.transitions())
        assert.deepStrictEqual(
          found.map(({ body }) => body.data?.["count"] ?? 1),
          [1, 1, 2, 4]
        )
        const { state } = yield* handle.position
        assert.isDefined(Anomalies.first(state, InvalidMove.kind))
      })
    )
  )

  it.effect("is refused if it was forged into the trace: the action stays if it was", () =>
    booked(
      (handle) =>
        Effect.gen(function* () {
          const { asOf } = yield* handle.position
          const all = yield* lab.transitions()
          const id = all.find(({ body }) => body.action !== undefined)?.body.action?.id ?? ""
          yield* handle.commit([
            {
              body: { action: { id }, author: "kernel", data: { state: "abandoned" }, type: "recovery.decided" },
              stamp: { asOf },
              envelope: { ts: asOf }
            }
          ])
          const [anomaly] = anomalies(yield* lab.transitions())
          assert.deepInclude(anomaly?.body.data, { at: anomaly!.tick - 1, from: "reconciled_success", to: "abandoned" })
          const page = yield* ActionPage.of(id, { run: lab.trip, tenant: lab.trip.tenant })
          assert.strictEqual(page.states.at(-1)?.state, "reconciled_success")
          assert.lengthOf(page.anomalies, 1)
        }),
      { lawless: true }
    )
  )

  it.effect("is seen of an action that another process began", () =>
    Effect.gen(function* () {
      const store = yield* lab.shared
      const world = new lab.World()
      const dies = (place: FaultPoint.PointName) => (place === "effect/answered" ? Effect.die("killed") : Effect.void)
      const first = Effect.flatMap(opens, (handle) => handle.propose(lab.book("LX1")))
      yield* Effect.exit(
        lab.as(lab.process(store, { world, lawless: true }))(Effect.provideService(first, FaultPoint.FaultPoint, dies))
      )
      yield* lab.as(lab.process(store, { world, lawless: true }))(
        Effect.gen(function* () {
          const handle = yield* opens
          const { asOf } = yield* handle.position
          const all = yield* lab.transitions()
          const id = all.find(({ body }) => body.action !== undefined)?.body.action?.id ?? ""
          const body = { action: { id }, author: "kernel", data: { state: "compensated" } } as const
          yield* handle.commit([
            { body: { ...body, type: "recovery.decided" }, stamp: { asOf }, envelope: { ts: asOf } }
          ])
          const [anomaly] = anomalies(yield* lab.transitions())
          assert.deepInclude(anomaly?.body.data, { from: "executing", to: "compensated", tool: "book" })
          yield* handle.resume
          const page = yield* ActionPage.of(id, { run: lab.trip, tenant: lab.trip.tenant })
          assert.strictEqual(page.standing, "success")
        })
      )
    })
  )
})
