/**
 * Measures the time from a revision of a run's goal to the plan of its absorption, on a run of 1,000 steps.
 *
 * Every fifth step books something that a lower budget no longer covers; the others only read. No model is asked. One
 * handle has taken the steps itself, and follows the run as it commits; the other is opened for the revision, and folds
 * the run from its first transition on.
 */
import * as Path from "node:path"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as Revising from "@backstitch/runtime/Revising"
import type * as RunHandle from "@backstitch/runtime/RunHandle"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Figure from "../src/Figure.ts"
import * as Substrate from "../src/Substrate.ts"

const steps = 1000
const durability = "FULL: the revision is durable before it is planned"

const figures = {
  followed: {
    name: "revision",
    title: `from a revision to its plan, on a run of ${steps.toLocaleString("en-GB")} steps that a handle has followed`,
    better: "less",
    unit: "ms",
    within: 20,
    durability
  },
  cold: {
    name: "revision-cold",
    title: "the same by a handle that is opened for it",
    better: "less",
    unit: "ms",
    durability
  }
} satisfies Record<string, Figure.Figure>

const keyed = {
  class: "medium_risk_write",
  idempotency: "idempotent_write",
  input: { id: "string" },
  identity: { scope: "run", fields: [{ id: "exact" }] },
  target: "'seat/' + args.id",
  times: { sendWithin: "5s", settleAfter: "1s", keyRetention: "24h" },
  status: "by_key"
} as const

const pack: TaskPack.TaskPack = Result.getOrThrow(
  TaskPack.make({
    pack: "bench.revision",
    version: "1.0.0",
    state: {
      world: { seats: { table: { key: "id", row: "string" } }, spent: "int" },
      working: { seen: { table: { key: "id", row: "string" } } }
    },
    specification: { budget: { holds: "world.spent <= clause.budget", value: "int", default: 1_000_000 } },
    revisions: { rule: "dependency_closure" },
    tools: {
      look: { class: "read_only", input: { id: "string" }, assumes: [] },
      book: {
        ...keyed,
        readback: { source: "desk", expect: ["actual.status == 'booked'"], within: "2s" },
        undo: { class: "K", by: "cancel", with: { id: "args.id" } },
        reads: ["working.seen[args.id]"],
        assumes: { budget: "world.spent <= clause.budget" },
        on_reconciled: [
          { put: { table: "world.seats", key: "args.id", row: "actual.status" } },
          { add: { field: "world.spent", value: 1 } }
        ]
      },
      cancel: {
        ...keyed,
        readback: { source: "desk", expect: ["actual.status == 'free'"], within: "2s" },
        undo: "X",
        assumes: [],
        on_reconciled: [
          { put: { table: "world.seats", key: "args.id", row: "actual.status" } },
          { add: { field: "world.spent", value: -1 } }
        ]
      }
    },
    reducers: { on: { look: [{ put: { table: "working.seen", key: "args.id", row: "observed.id" } }] } }
  })
)

const does = (status: string): ToolExecutor.Tool => ({
  execute: ({ id }: { readonly id: string }) => ({ id, status }),
  status: async () => undefined,
  readback: async (_, { id }: { readonly id: string }) => ({ id, status })
})

const tools: ToolExecutor.Tools = {
  look: { execute: ({ id }: { readonly id: string }) => ({ id }) },
  book: does("booked"),
  cancel: does("free")
}

const run = Run.make("revised")
const open = Effect.flatMap(Coordinator.Coordinator, (each) => each.open(run, { pack, goal: "seats" }))

const walk = Effect.fnUntraced(function* (handle: RunHandle.RunHandle) {
  for (let index = 0; index < steps; index++) {
    const id = String(Math.floor(index / 5))
    const outcome = yield* handle.propose({ tool: index % 5 === 4 ? "book" : "look", params: { id } })
    if (outcome._tag !== "Done") return yield* Effect.die(new Error(`step ${index} was ${JSON.stringify(outcome)}`))
  }
  yield* handle.flush
})

/** The milliseconds from a revision to its plan, which undoes every booking that the budget does not cover. */
const revise = Effect.fnUntraced(function* (handle: RunHandle.RunHandle, budget: number) {
  const began = performance.now()
  yield* Revising.inject(handle, { changes: [{ change: "set", clause: "budget", value: budget }] })
  const planned = yield* Revising.plan(handle)
  const millis = performance.now() - began
  const undone = planned?.absorption.undo.length
  const booked = steps / 5
  if (undone !== booked - budget) return yield* Effect.die(new Error(`the plan undoes ${undone} of ${booked} bookings`))
  return millis
})

/** The benchmark of planning a revision. */
export const benchmark: Figure.Benchmark = {
  name: "revision",
  run: ({ folder, runs, say }) => {
    const filename = Path.join(folder, "revision.db")
    const process = <A, E>(effect: Effect.Effect<A, E, Substrate.Substrate>) =>
      effect.pipe(Effect.provide(Substrate.layer(SqlTraceStore.layerSqlite({ filename }), tools), { local: true }))
    const budgets = Array.from({ length: runs }, (_, index) => 90 + index)
    const followed = Effect.gen(function* () {
      say(`taking ${steps} steps`)
      const handle = yield* open
      yield* walk(handle)
      say("revising")
      return yield* Effect.forEach(budgets, (budget) => revise(handle, budget))
    }).pipe(Effect.scoped)
    const cold = Effect.flatMap(open, (handle) => revise(handle, 50)).pipe(Effect.scoped)
    return Effect.gen(function* () {
      const warm = yield* process(followed)
      const colds = yield* Effect.forEach(budgets, () => process(cold))
      const first = `${Figure.round(warm[0] ?? 0)} ms for the first revision of that handle`
      return [Figure.measured(figures.followed, warm, first), Figure.measured(figures.cold, colds)]
    }).pipe(Effect.orDie, Effect.runPromise)
  }
}
