/**
 * The time to resume a long run ÷ that of a short one. With snapshots it should be about 1.
 *
 * Each sample is a fresh process on a copy of a file, from the moment when its modules are loaded until its next step
 * is durable. The long run is measured twice: after it was closed, and after a crash at the worst moment, with the
 * largest possible number of ticks after the last snapshot.
 */
import * as Path from "node:path"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Steps from "../throughputbench/Steps.ts"
import * as Child from "./Child.ts"
import * as Copy from "./Copy.ts"

const durability = "FULL ÷ FULL"

const figures = {
  closed: {
    name: "resume-10000",
    title: "resume a run of 10,000 transitions ÷ one of 100, both closed",
    better: "less",
    unit: "x",
    within: 1.5,
    durability
  },
  crashed: {
    name: "resume-10000-crashed",
    title: "the same after a crash at the worst moment, just before a snapshot is due ÷ 100 transitions",
    better: "less",
    unit: "x",
    within: 1.5,
    durability
  }
} satisfies Record<string, Figure.Figure>

/** Resuming a long run ÷ a short one. */
export const benchmark: Figure.Benchmark = {
  name: "resume-length",
  run: async ({ folder, runs, say }) => {
    const [short, closed, crashed] = ["short", "closed", "crashed"].map((name) => Path.join(folder, `${name}.db`))
    say("writing 100 and 10,000 transitions")
    await write(short!, 100, true)
    await write(closed!, 10_000, true)
    await write(crashed!, 10_000, false)
    const time = (filename: string) => () => Copy.of(filename, (copy) => Child.run("resume", copy).millis)
    say("resuming")
    const afterClosing = await Statistics.interleave(runs, { ours: time(closed!), theirs: time(short!) })
    const afterCrash = await Statistics.interleave(runs, { ours: time(crashed!), theirs: time(short!) })
    return [Figure.ratio(figures.closed, afterClosing, "ms"), Figure.ratio(figures.crashed, afterCrash, "ms")]
  }
}

/**
 * Writes steps until the run has the given number of ticks; without closing, until the largest number of ticks
 * follows the last snapshot.
 */
const write = (filename: string, ticks: number, isClosed: boolean): Promise<void> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const coordinator = yield* Coordinator.Coordinator
    const opened = coordinator.open(Run.make("thread"), { pack: Steps.pack, goal: "bench" })
    const handle = yield* Scope.provide(opened, scope)
    const store = yield* TraceStore.TraceStore
    let step = 0
    let tick = 1
    let folded = 1
    let most = 1
    while (tick < ticks || (!isClosed && folded < most)) {
      yield* Steps.take(handle, "write", { count: 1, from: step++ })
      tick = (yield* handle.position).head.tick
      folded = tick - ((yield* store.nearestSnapshot(handle.run, tick))?.tick ?? 0)
      // Only the second half counts: the first snapshot of a run may be due later than any other.
      if (tick > ticks / 2 && tick < ticks) most = Math.max(most, folded)
    }
    if (isClosed) yield* Scope.close(scope, Exit.void)
  }).pipe(Effect.provide(Steps.layer(SqlTraceStore.layerSqlite({ filename }))), Effect.runPromise)
