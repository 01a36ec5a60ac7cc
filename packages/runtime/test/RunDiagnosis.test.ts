import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as History from "../src/history/History.ts"
import * as PackLibrary from "../src/history/PackLibrary.ts"
import * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as Report from "../src/reporting/Report.ts"
import * as RunDiagnosis from "../src/reporting/RunDiagnosis.ts"
import * as Coordinator from "../src/run/Coordinator.ts"
import type * as RunHandle from "../src/run/RunHandle.ts"
import * as Bisecting from "../src/versioning/Bisecting.ts"

const packOf = (more: object) =>
  Result.getOrThrow(
    TaskPack.make({
      pack: "acme.desk",
      version: "1.0.0",
      state: { working: { notes: { list: "string" } } },
      tools: {
        search: { class: "read_only", input: { q: "string" } },
        pay: { class: "high_risk_external", input: { to: "string" }, identity: "none", undo: "X" }
      },
      reducers: { on: { "observation.add": [{ append: { list: "working.notes", item: "args.text" } }] } },
      ...more
    })
  )

/** A bank that never answers. */
const silent = { execute: () => Promise.reject(new Error("the line was cut")) }

const layers = Coordinator.layer({ secret: "s" }).pipe(
  Layer.provideMerge(ToolExecutor.layerFrom({ search: { execute: () => [] }, pay: silent })),
  Layer.provideMerge(History.layer(Kernel.standard)),
  Layer.provideMerge(PackLibrary.layer),
  Layer.provideMerge(TraceStore.layerMemory)
)

/** Does some work in a run, on record. */
const worked = Effect.fnUntraced(function* (
  run: Run.Run,
  more: object,
  work: (handle: RunHandle.RunHandle) => Effect.Effect<unknown, RunHandle.RunError>
) {
  const coordinator = yield* Coordinator.Coordinator
  const handle = yield* coordinator.open(run, { pack: packOf(more), goal: "find" })
  yield* work(handle)
  yield* handle.flush
}, Effect.scoped)

/** Searches for the same a number of times, on record. */
const searched = Effect.fnUntraced(function* (times: number, topology?: object) {
  const run = Run.make("desk-1")
  const search = { tool: "search", params: { q: "lugano" } }
  yield* worked(run, topology === undefined ? {} : { topology }, (handle) =>
    Effect.forEach(Array.from({ length: times }), () => handle.propose(search))
  )
  return yield* RunDiagnosis.of(run)
})

describe("RunDiagnosis", () => {
  it.effect("names the runaway of a loop, its evidence and the first response", () =>
    Effect.gen(function* () {
      const found = yield* searched(24)
      assert.deepInclude(found, { run: "desk-1", looksLike: "react", by: "calls", isHealthy: false })
      const [crack] = found.cracks
      const answer = yield* Bisecting.bisect(Run.make("desk-1"), { predicate: crack?.predicate ?? "" })
      assert.strictEqual(answer.onset, crack?.tick)
      const none = yield* Bisecting.bisect(Run.make("desk-1"), { predicate: "topology.deadlock" })
      assert.isNull(none.onset)
      const misspelt = yield* Effect.flip(Bisecting.bisect(Run.make("desk-1"), { predicate: "topology.runway" }))
      assert.match(misspelt.message, /topology\.runaway/)
      assert.deepInclude(crack, { crack: "runaway", topology: "react", subject: "search" })
      assert.match(crack?.response ?? "", /the rule by which the loop gives up/)
    }).pipe(Effect.provide(layers))
  )

  it.effect("takes the limits that the pack of the run declares", () =>
    Effect.gen(function* () {
      const found = yield* searched(5, { kind: "react", steps: 6 })
      assert.deepInclude(found, { looksLike: "react", by: "declared" })
      assert.deepInclude(found.cracks[0], { crack: "runaway", signal: "steps_near_cap" })
    }).pipe(Effect.provide(layers))
  )

  it.effect("names the predicates that a run has violated, and those that nobody could evaluate", () =>
    Effect.gen(function* () {
      const run = Run.make("desk-2")
      const violations = [
        { id: "searched", when: "size(working.notes) > 0" },
        { id: "odd", when: "working.notes[size(working.notes)] == ''" }
      ]
      yield* worked(run, { violations }, (handle) =>
        handle.propose({ type: "observation.add", data: { text: "nothing" } })
      )
      const found = yield* RunDiagnosis.of(run)
      const since = found.violations.find(({ predicate }) => predicate === "searched")?.tick
      assert.strictEqual((yield* Bisecting.bisect(run, { predicate: "searched" })).onset, since)
      assert.deepStrictEqual(
        found.violations.map(({ isAnswered, next, say }) => [isAnswered, next, say]),
        [
          [false, { run: "desk-2", verb: "explain", tick: 1 }, "odd could not be evaluated at tick 1"],
          [true, { run: "desk-2", verb: "bisect", predicate: "searched" }, `it holds since tick ${since}`]
        ]
      )
      assert.deepInclude(found, { isHealthy: false, cracks: [], held: [] })
      assert.strictEqual(found.suspect?.name, "odd")
    }).pipe(Effect.provide(layers))
  )

  it.effect("names the actions that wait for a person, and no action that goes on by itself", () =>
    Effect.gen(function* () {
      const run = Run.make("desk-3")
      yield* worked(run, {}, (handle) => handle.propose({ tool: "pay", params: { to: "ada" } }))
      const found = yield* RunDiagnosis.of(run)
      const { action, next, tick, tool } = found.held[0] ?? assert.fail("nothing waits for a person")
      assert.strictEqual(tool, "pay")
      assert.deepInclude(next, { verb: "resolve", action: action ?? "" })
      assert.deepInclude(found, { isHealthy: false, cracks: [], violations: [] })
      assert.deepInclude(found.suspect, { name: "an action that waits for a person", since: tick })
    }).pipe(Effect.provide(layers))
  )

  it.effect("names a call that waits for an approval, although nothing of it has begun", () =>
    Effect.gen(function* () {
      const run = Run.make("desk-4")
      const approvals = { pay: { by: ["lead"] } }
      yield* worked(run, { approvals }, (handle) => handle.propose({ tool: "pay", params: { to: "ada" } }))
      const found = yield* RunDiagnosis.of(run)
      const [waits] = (yield* Report.of(run)).waits
      const { action, next, tick, why } = found.held[0] ?? assert.fail("nothing waits for a person")
      assert.deepStrictEqual([action, next, tick], [null, waits?.next, waits?.tick])
      assert.strictEqual(why, `pay waits for the approval of lead since tick ${tick}`)
      assert.deepInclude(found, { isHealthy: false, cracks: [], violations: [] })
      assert.deepInclude(found.suspect, { name: "an action that waits for a person", since: tick })
    }).pipe(Effect.provide(layers))
  )

  it.effect("says that a short run is healthy", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* searched(2), { isHealthy: true, cracks: [], repeats: [], violations: [], held: [] })
    }).pipe(Effect.provide(layers))
  )
})
