/** A contract, a world that counts what is done to it, and coordinators over a store that outlives them. */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import type { Outcome } from "@backstitch/kernel/Outcome"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import type { State } from "@backstitch/reducer/State"
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type { Transition } from "@backstitch/trace/Transition"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Sentences from "../../conformance/src/Sentences.ts"
import * as PackTrial from "../../release/src/PackTrial.ts"
import * as Agent from "../src/agent/Agent.ts"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as PlannerView from "../src/planner/PlannerView.ts"
import * as FaultPoint from "../src/ports/FaultPoint.ts"
import * as Planner from "../src/ports/Planner.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as StrictReplay from "../src/proof/StrictReplay.ts"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as harvest from "./harvest.ts"

export const definition = {
  pack: "acme.trips",
  version: "1.0.0",
  state: {
    world: { bookings: { table: { key: "id", row: { price: "int" } } }, told: { list: "string" }, spent: "int" },
    working: { notes: { list: "string" } }
  },
  specification: { max: { holds: "world.spent <= clause.max", value: "int", default: 500 } },
  tools: {
    look: { class: "read_only", input: { q: "string" } },
    book: {
      class: "high_risk_external",
      idempotency: "idempotent_write",
      input: { flight: "string", price: "int" },
      target: "'seat/' + args.flight",
      identity: { scope: "goal", fields: [{ flight: "code" }] },
      times: { sendWithin: "3s", settleAfter: "1s", keyRetention: "1h" },
      status: "by_key",
      readback: { source: "airline", expect: ["actual.price == args.price"], within: "2s" },
      undo: "X",
      on_reconciled: [
        { put: { table: "world.bookings", key: "actual.id", row: { price: "actual.price" } } },
        { add: { field: "world.spent", value: "actual.price" } }
      ]
    },
    tell: {
      class: "medium_risk_write",
      idempotency: "idempotent_write",
      input: { to: "string" },
      target: "'inbox/' + args.to",
      identity: { scope: "goal", fields: [{ to: "exact" }] },
      times: { sendWithin: "3s", keyRetention: "1h" },
      undo: "X",
      on_reconciled: [{ append: { list: "world.told", item: "args.to" } }]
    },
    fax: {
      class: "medium_risk_write",
      idempotency: "effectful",
      input: { to: "string" },
      target: "'fax/' + args.to",
      identity: { scope: "goal", fields: [{ to: "exact" }] },
      undo: "X"
    }
  },
  reducers: { on: { "observation.add": [{ append: { list: "working.notes", item: "args.text" } }] } },
  guards: [{ id: "cheap", on: "book", refuse_if: "args.price > 100" }],
  violations: [{ id: "over", when: "world.spent > clause.max" }]
} as const

export const pack = Result.getOrThrow(TaskPack.make(definition))

/** Somebody else's system: it honours keys, and counts how often each effect happened. */
export class World {
  readonly effects = new Map<string, number>()
  readonly answers = new Map<string, JsonObject>()
  readonly log: Array<string> = []

  /** Faults of the next calls: a lost answer, a silence or a refusal. */
  readonly faults: Array<"lost" | "never" | "refused"> = []

  get tools(): ToolExecutor.Tools {
    const act = (
      params: JsonObject,
      { key, signal }: ToolExecutor.ToolContext,
      effect: string
    ): Promise<Json> | Json => {
      this.log.push(`send ${effect}`)
      const fault = this.faults.shift()
      if (fault === "refused") throw new ToolExecutor.ToolRefused("sold out")
      if (fault === "never")
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject("aborted")))
      const known = key === undefined ? undefined : this.answers.get(key)
      if (known === undefined) {
        this.effects.set(effect, (this.effects.get(effect) ?? 0) + 1)
        if (key !== undefined) this.answers.set(key, { ...params, id: effect })
      }
      if (fault === "lost") throw new Error("the connection was cut")
      return { ...params, id: effect }
    }
    return {
      look: {
        execute: ({ q }: { readonly q: string }) => {
          this.log.push(`look ${q}`)
          return { found: q }
        }
      },
      book: {
        execute: (params: JsonObject, context) => act(params, context, `book ${params["flight"]}`),
        status: async ({ key }) => {
          this.log.push("ask")
          return this.answers.get(key ?? "")
        },
        readback: async ({ key }) => this.answers.get(key ?? "")
      },
      tell: { execute: (params: JsonObject, context) => act(params, context, `tell ${params["to"]}`) },
      fax: {
        execute: (params: JsonObject, context) => act(params, { ...context, key: undefined }, `fax ${params["to"]}`)
      }
    }
  }

  /** Effects that happened more than once. */
  get doubled(): ReadonlyArray<string> {
    return [...this.effects].flatMap(([effect, count]) => (count > 1 ? [effect] : []))
  }
}

/** Everything that a process has, over a store that other processes may have, too. */
export const process = (
  store: Layer.Layer<TraceStore.TraceStore, TraceStore.TraceStoreError>,
  options: {
    readonly world?: World
    readonly executor?: ToolExecutor.ToolExecutor["Service"]
    readonly steps?: ReadonlyArray<Planner.ScriptStep>
    readonly snapshotEvery?: number
    readonly snapshots?: SnapshotDial.SnapshotDial
    readonly kernel?: Kernel.Kernel
    readonly secret?: string
    /** The test damages the store, or commits what no kernel has decided so. */
    readonly lawless?: boolean
  } = {}
) => {
  const executor = options.executor ?? ToolExecutor.fromTools((options.world ?? new World()).tools)
  const { kernel = Kernel.standard, secret = "secret", snapshotEvery } = options
  const snapshots = options.snapshots ?? (snapshotEvery === undefined ? undefined : SnapshotDial.every(snapshotEvery))
  return Layer.merge(
    Coordinator.layer({ secret, snapshots, kernel }),
    options.lawless === true ? Layer.empty : lawful(kernel, secret)
  ).pipe(
    Layer.provideMerge(History.layer(kernel)),
    Layer.provideMerge(PackLibrary.layer),
    Layer.provideMerge(Layer.succeed(ToolExecutor.ToolExecutor, executor)),
    Layer.provideMerge(Planner.layerScript(options.steps ?? [])),
    Layer.provideMerge(store)
  )
}

/**
 * Every run that a process leaves in a store obeyed, its payloads fit their types and hold no sentence of ours, and its
 * own pack finds no change in it (decisions 0027, 0045). A head that was looked at is not looked at again.
 */
const checked = new Set<string>()

const lawful = (kernel: Kernel.Kernel, secret: string) =>
  Layer.effectDiscard(
    Effect.acquireRelease(
      Effect.context<TraceStore.TraceStore | History.History | PackLibrary.PackLibrary>(),
      (services) =>
        Effect.provideContext(
          Effect.gen(function* () {
            const store = yield* TraceStore.TraceStore
            const library = yield* PackLibrary.PackLibrary
            for (const { head, run } of yield* store.runs(trip.tenant)) {
              if (checked.has(head.link)) continue
              checked.add(head.link)
              const { differs } = yield* DecisionReplay.redecide(run, { kernel, secret })
              assert.deepStrictEqual([run.id, differs], [run.id, []])
              const history = yield* History.History
              const { misfit } = yield* StrictReplay.of(run)
              assert.deepStrictEqual([run.id, misfit], [run.id, undefined])
              const sentences = Sentences.inTrace(yield* history.transitions(run))
              assert.deepStrictEqual([run.id, sentences], [run.id, []])
              const at = yield* history.at(run, head.tick)
              const pack = yield* library.inForce(at.state, 1)
              const { changes } = yield* PackTrial.run(run, { kernel, pack, secret })
              assert.deepStrictEqual([run.id, changes], [run.id, []])
            }
            if (kernel === Kernel.standard && secret === "secret") yield* harvest.keep(trip.tenant)
          }).pipe(Effect.orDie),
          services
        )
    )
  )

/** A store in memory as a layer that several processes can be given. */
export const shared = Effect.map(TraceStore.makeMemory, (store) => Layer.succeed(TraceStore.TraceStore, store))

/** A store in memory whose appends, each a flush, are seen. */
export const watched = (seen: (commit: TraceStore.Append) => void) =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.makeMemory, (store) => ({
      ...store,
      append: (commit: TraceStore.Append) =>
        Effect.suspend(() => {
          seen(commit)
          return store.append(commit)
        })
    }))
  )

/** A store whose refused appends are seen. */
export const refusing = (store: Layer.Layer<TraceStore.TraceStore>, seen: (error: unknown) => void) =>
  Layer.effect(
    TraceStore.TraceStore,
    Effect.map(TraceStore.TraceStore, (each) => ({
      ...each,
      append: (commit: TraceStore.Append) =>
        Effect.tapError(each.append(commit), (error) => Effect.sync(() => seen(error)))
    }))
  ).pipe(Layer.provide(store))

/** Runs an effect as a process of its own. */
export const as =
  <R, E2>(layer: Layer.Layer<R, E2>) =>
  <A, E, R1>(effect: Effect.Effect<A, E, R1>) =>
    effect.pipe(Effect.scoped, Effect.provide(layer, { local: true }))

export const trip = Run.make("trip")

export const open = (run: Run.Run = trip) =>
  Effect.flatMap(Coordinator.Coordinator, (coordinator) => coordinator.open(run, { pack, goal: "goal" }))

export const transitions = (run: Run.Run = trip) =>
  Effect.flatMap(History.History, (history) => history.transitions(run))

export const types = (all: ReadonlyArray<Transition>): ReadonlyArray<string> => all.map(({ body }) => body.type)

export const note = (text: string): Proposal => ({ type: "observation.add", data: { text } })
export const look = (q: string): Proposal => ({ tool: "look", params: { q } })
export const book = (flight: string, price = 80): Proposal => ({ tool: "book", params: { flight, price } })
export const tell = (to: string): Proposal => ({ tool: "tell", params: { to } })

export const script: ReadonlyArray<Planner.ScriptStep> = [
  { id: "note", propose: note("begin") },
  { id: "look", propose: look("flights") },
  { id: "book", propose: book("LX1") },
  { id: "again", propose: look("hotels") },
  { id: "tell", propose: tell("ada") },
  { id: "done", propose: { type: "goal.complete" } }
]

/** Opens the run and lets the script go on. */
export const work = Effect.flatMap(open(), (handle) => Agent.run(handle))

/** Builds the context that a planner would be shown at the head of a run. */
export const context = (
  handle: RunHandle.RunHandle,
  at: { readonly state: State; readonly outcome: Outcome | undefined }
) =>
  Effect.map(transitions(handle.run), (all) => {
    const following = PlannerView.make(handle.run.id)
    following.follow(all)
    return following.view({ state: at.state, pack }, at.outcome)
  })

/** Lets time pass until an effect has ended. */
export const elapsing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("250 millis")
    }
    return yield* Fiber.join(fiber)
  })

/** Acts at the n-th place that the commit path reaches, counted from 1. */
export const atPlace = (
  n: number,
  act: (place: FaultPoint.PointName) => Effect.Effect<void>
): (<A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  let count = 0
  return Effect.provideService(FaultPoint.FaultPoint, (place: FaultPoint.PointName) =>
    Effect.suspend(() => (++count === n ? act(place) : Effect.void))
  )
}

/** A store with a run of some thirty ticks, and a snapshot every five. */
export const recorded = Effect.gen(function* () {
  const store = yield* shared
  yield* as(process(store, { world: new World(), snapshotEvery: 5 }))(
    Effect.gen(function* () {
      const handle = yield* open()
      for (let index = 0; index < 5; index++) {
        yield* handle.propose(note(`n${index}`))
        yield* handle.propose(book(`LX${index}`, 20))
      }
    })
  )
  return store
})
