/**
 * The dial between the cost of snapshots and the cost of a crash, measured like the table of Crash Recovery.
 *
 * A run of steps is written at each position of the dial, and cut off without closing, as by a crash. Overhead is its
 * time ÷ the time without any snapshot. Recovery is the time in which a new set of services opens the run, folds the
 * ticks after the last snapshot, and is ready for the next step. No position repeats a tool call: every step is on
 * record.
 *
 * @source Crash Recovery, "The performance-vs-recoverability dial"
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as SnapshotDial from "@backstitch/reducer/SnapshotDial"
import * as Coordinator from "@backstitch/runtime/Coordinator"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Steps from "../throughputbench/Steps.ts"

const steps = 150
const thread = "thread"

const positions = [
  { name: "micro", says: "every micro-step" },
  { name: "tool", says: "every tool call" },
  { name: "every:10", says: "every 10 ticks" },
  { name: "every:100", says: "every 100 ticks" },
  { name: "auto", says: "step by step" },
  { name: "never", says: "never" }
].map(({ name, says }) => ({ name, says, dial: Result.getOrThrow(SnapshotDial.parse(name)) }))

const overheadOf = (name: string, says: string): Figure.Figure => ({
  name: `dial-${name.replace(":", "-")}-overhead`,
  title: `snapshot ${says}: time of ${steps} steps without latency ÷ never`,
  better: "less",
  unit: "x",
  durability: "FULL ÷ FULL"
})

const recoveryOf = (name: string, says: string): Figure.Figure => ({
  name: `dial-${name.replace(":", "-")}-recovery`,
  title: `snapshot ${says}: from a crash after ${steps} steps to the next one`,
  better: "less",
  unit: "ms",
  durability: "reads"
})

/** Recovery cost and overhead at each position of the dial. */
export const benchmark: Figure.Benchmark = {
  name: "dial",
  run: async ({ folder, runs, say }) => {
    let turn = 0
    const fresh = (): string => Path.join(folder, `dial-${turn++}.db`)
    const results: Array<Figure.Measured> = []
    for (const { dial, name, says } of positions) {
      say(says)
      if (name !== "never") {
        const paired = await Statistics.interleave(runs, {
          ours: () => discarded(fresh(), dial),
          theirs: () => discarded(fresh(), { _tag: "Never" })
        })
        const perStep = ((paired.ours - paired.theirs) / steps) * 1000
        const measured = Figure.ratio(overheadOf(name, says), paired, "ms")
        results.push({ ...measured, note: `${measured.note}: ${Figure.round(perStep)} µs a step more` })
      }
      const filename = fresh()
      await crashed(filename, dial)
      const samples: Array<{ readonly millis: number; readonly folded: number }> = []
      for (let run = -1; run < runs; run++) {
        const sample = await recovered(filename, dial)
        if (run >= 0) samples.push(sample)
      }
      const millis = samples.map((sample) => sample.millis)
      const note = `${samples[0]?.folded} ticks folded again, no tool called again`
      results.push(Figure.measured(recoveryOf(name, says), millis, note))
      remove(filename)
    }
    return results
  }
}

const layerOf = (filename: string, snapshots: SnapshotDial.SnapshotDial) =>
  Steps.layer(SqlTraceStore.layerSqlite({ filename }), snapshots)

/** Opens the run in a scope that is never closed, because a crash does not do the work of closing. */
const open = Effect.gen(function* () {
  const coordinator = yield* Coordinator.Coordinator
  const opened = coordinator.open(Run.make(thread), { pack: Steps.pack, goal: "bench" })
  return yield* Scope.provide(opened, yield* Scope.make())
})

/** Takes the steps and ends like a crash; answers milliseconds. */
const crashed = (filename: string, dial: SnapshotDial.SnapshotDial): Promise<number> =>
  Effect.gen(function* () {
    const handle = yield* open
    const began = performance.now()
    yield* Steps.take(handle, "write", { count: steps })
    return performance.now() - began
  }).pipe(Effect.provide(layerOf(filename, dial)), Effect.runPromise)

const discarded = async (filename: string, dial: SnapshotDial.SnapshotDial): Promise<number> => {
  try {
    return await crashed(filename, dial)
  } finally {
    remove(filename)
  }
}

/** Opens the run with new services, until it is ready for its next step. */
const recovered = (filename: string, dial: SnapshotDial.SnapshotDial) =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    yield* store.info(Run.make(thread))
    const began = performance.now()
    const handle = yield* open
    yield* handle.resume
    const millis = performance.now() - began
    const { head } = yield* handle.position
    const nearest = yield* store.nearestSnapshot(handle.run, head.tick)
    return { millis, folded: head.tick - (nearest?.tick ?? 0) }
  }).pipe(Effect.provide(layerOf(filename, dial)), Effect.runPromise)

const remove = (filename: string): void => {
  for (const end of ["", "-wal", "-shm"]) Fs.rmSync(`${filename}${end}`, { force: true })
}
