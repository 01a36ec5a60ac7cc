import type { JsonObject } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Transition from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as DecisionReplay from "../src/replay/DecisionReplay.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import * as Forking from "../src/versioning/Forking.ts"
import * as lab from "./lab.ts"
import { packOf } from "./twins.ts"

const pack = packOf({ budgets: { steps: 60, calls: { look: 4 } } })
const child = Run.make("child")

/** A run that goes on after a tick, and a fork from there with some of its steps. */
const forked = (budget: ReadonlyArray<string>, at = 2) =>
  Effect.gen(function* () {
    const store = yield* TraceStore.makeMemory
    const within = lab.as(lab.process(Layer.succeed(TraceStore.TraceStore, store)))
    yield* within(
      Effect.gen(function* () {
        const coordinator = yield* Coordinator.Coordinator
        const handle = yield* coordinator.open(lab.trip, { pack, goal: "goal" })
        for (const q of ["boats", "trains"]) yield* handle.propose(lab.look(q))
        yield* Forking.fork({ at, budget, child, parent: lab.trip })
      })
    )
    return store
  })

type Change = (transition: Transition.Transition) => Transition.Draft | undefined

/** The store as somebody left it who changed a run and sealed it again. */
const changed = (store: TraceStore.TraceStore["Service"], run: Run.Run, change: Change) =>
  Layer.succeed(TraceStore.TraceStore, {
    ...store,
    read: (asked: Run.Run, range: Parameters<typeof store.read>[1] = {}) =>
      Run.same(asked, run) ? Effect.map(resealed(store, run, change), within(range)) : store.read(asked, range),
    info: (asked: Run.Run) =>
      Effect.flatMap(store.info(asked), (known) =>
        known === undefined || !Run.same(asked, run)
          ? Effect.succeed(known)
          : Effect.map(resealed(store, run, change), (all) => ({ ...known, head: HashChain.headOf(all.at(-1)!) }))
      )
  })

const within =
  ({ from = 1, limit = 1000, to = 1000 }: NonNullable<Parameters<TraceStore.TraceStore["Service"]["read"]>[1]>) =>
  (all: ReadonlyArray<Transition.Sealed>) =>
    all.filter(({ tick }) => tick >= from && tick <= to).slice(0, limit)

const resealed = (store: TraceStore.TraceStore["Service"], run: Run.Run, change: Change) =>
  Effect.map(store.read(run), (rows) => {
    const own = rows.map(Transition.open)
    let head = HashChain.genesis(lab.trip)
    return own.flatMap((transition) => {
      const draft = change(transition)
      if (draft === undefined) return []
      const sealed = HashChain.seal(head, draft)
      head = HashChain.headOf(sealed)
      return [sealed]
    })
  })

const data =
  (type: string, change: (data: JsonObject) => JsonObject): Change =>
  ({ body, envelope, stamp }) => ({
    body: body.type === type ? { ...body, data: change(body.data ?? {}) } : body,
    envelope,
    stamp
  })

const redecided = (store: Layer.Layer<TraceStore.TraceStore>, run: Run.Run) =>
  lab.as(lab.process(store, { lawless: true }))(DecisionReplay.redecide(run, { secret: "secret" }))

const typesOf = ({ differs }: DecisionReplay.Redecided) =>
  differs.map(({ committed }) => (JSON.parse(committed) as { readonly type: string }).type)

describe("ForkOrigin: the first state of a fork", () => {
  it.effect("is decided again from the trace of its parent, and so is the share that the parent gave (L13)", () =>
    Effect.gen(function* () {
      for (const budget of [[], ["steps=5"], ["50%"], ["steps=5", "calls.look=0"]]) {
        for (const at of [2, 3]) {
          const layer = Layer.succeed(TraceStore.TraceStore, yield* forked(budget, at))
          const own = yield* redecided(layer, child)
          const parent = yield* redecided(layer, lab.trip)
          assert.deepStrictEqual([own.differs, parent.differs, own.unrecorded, parent.unrecorded], [[], [], 0, 0])
        }
      }
    })
  )

  it.effect.each<[string, (data: JsonObject) => JsonObject]>([
    ["more steps than it was given", (own) => ({ ...own, budget: { ...(own["budget"] as object), steps: 100_000 } })],
    ["fewer steps than it was given", (own) => ({ ...own, budget: { ...(own["budget"] as object), steps: 1 } })],
    ["more calls than were left", (own) => ({ ...own, budget: { ...(own["budget"] as object), "calls.look": 3 } })],
    ["no budget", ({ budget: _, ...own }) => own],
    ["an older head of its parent", (own) => ({ ...own, seen: 3 })],
    ["less to enforce", (own) => ({ ...own, enforcement: { stage: 0, types: {} } })],
    ["an act that is undone", (own) => ({ ...own, undone: { a2: { by: "a3", undo: "undone" } } })]
  ])("is found to differ with %s, whoever sealed it (L13)", ([, change]) =>
    Effect.gen(function* () {
      const store = yield* forked(["steps=5"])
      const layer = changed(store, child, data("run.fork", change))
      assert.deepStrictEqual(typesOf(yield* redecided(layer, child)), ["run.fork"])
    })
  )

  it.effect("is found to differ if its parent gave more than it had, or says that it gave nothing (L13)", () =>
    Effect.gen(function* () {
      const store = yield* forked(["steps=5"])
      const more = changed(
        store,
        lab.trip,
        data("budget.sliced", (own) => ({ ...own, budget: { steps: 100_000 } }))
      )
      assert.deepStrictEqual(typesOf(yield* redecided(more, lab.trip)), ["budget.sliced"])
      assert.deepStrictEqual(typesOf(yield* redecided(more, child)), ["run.fork"])
    })
  )

  it.effect("is told to be unrecorded if the trace of its parent is not at hand as far as it was seen", () =>
    Effect.gen(function* () {
      const store = yield* forked(["steps=5"])
      const cut = changed(store, lab.trip, (each) => (each.body.type === "budget.sliced" ? undefined : each))
      const own = yield* redecided(cut, child)
      assert.deepStrictEqual([own.differs, own.unrecorded], [[], 1])
    })
  )
})
