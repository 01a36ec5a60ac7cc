/** The onset of a violation in a trace of a million ticks, found from snapshots in a separate process. */
import * as Path from "node:path"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Commit from "@backstitch/kernel/Commit"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as Bisecting from "@backstitch/runtime/Bisecting"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Figure from "../src/Figure.ts"
import * as Child from "./Child.ts"
import * as SqliteHistory from "./SqliteHistory.ts"

const figures = {
  time: {
    name: "bisect-million",
    title: "bisect a trace of 1,000,000 ticks with snapshots every 500, fresh process",
    better: "less",
    unit: "ms",
    within: 100,
    aim: 30,
    durability: "reads"
  },
  memory: {
    name: "bisect-million-memory",
    title: "the same: memory above idle, at its peak",
    better: "less",
    unit: "MB",
    within: 50,
    durability: "reads"
  }
} satisfies Record<string, Figure.Figure>

const ticks = 1_000_000
const onset = 723_456
const every = 500

const run = Run.make("million")

const pack: TaskPack.TaskPack = Result.getOrThrow(
  TaskPack.make({
    pack: "bench.bisect",
    version: "1.0.0",
    state: { working: { seen: "int" } },
    reducers: { on: { "observation.add": [{ add: { field: "working.seen", value: 1 } }] } },
    // The first transition begins the run, and is not counted.
    violations: [{ id: "too_many", when: `working.seen >= ${onset - 1}` }]
  })
)

/** Bisect of a million ticks. */
export const benchmark: Figure.Benchmark = {
  name: "bisect",
  run: async ({ folder, runs, say }) => {
    const filename = Path.join(folder, "million.db")
    await fill(filename, say)
    say("bisecting")
    const answers = Array.from({ length: runs }, () => Child.run("bisect", filename))
    return [
      Figure.measured(
        figures.time,
        answers.map(({ millis }) => millis),
        answers[0]?.detail
      ),
      Figure.measured(
        figures.memory,
        answers.map(({ megabytes }) => megabytes ?? Number.NaN)
      )
    ]
  }
}

/** Writes the trace, with small bodies in large commits, and with the snapshots that a coordinator would have kept. */
const fill = (filename: string, say: (line: string) => void): Promise<void> =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const history = yield* History.History
    const library = yield* PackLibrary.PackLibrary
    yield* library.keepPack(pack)
    let at: Commit.Position = { head: HashChain.genesis(run), state: State.empty, asOf: 0 }
    while (at.head.tick < ticks) {
      const count = Math.min(every, ticks - at.head.tick)
      const drafts = Array.from({ length: count }, (_, index) => draft(at.head.tick + index + 1, history.fold.version))
      // A violation is reported in a transition of its own, so a commit may be longer than its drafts.
      const commit = Commit.assemble(history.fold, { run, at, drafts: drafts.slice(0, count) })
      yield* store.append({ run, expected: at.head, transitions: commit.sealed, claims: commit.claims })
      at = commit.position
      yield* history.snapshot(run, at)
      if (at.head.tick % 100_000 < every) say(`written ${at.head.tick}`)
    }
  }).pipe(Effect.provide(SqliteHistory.layer(filename)), Effect.runPromise)

const draft = (tick: number, fold: string): Transition.Draft => {
  const stamp = { asOf: 1_700_000_000_000 + tick }
  const envelope = { ts: 1_700_000_000_000 + tick }
  if (tick > 1)
    return { body: { author: "agent", data: { note: `n${tick}` }, type: "observation.add" }, stamp, envelope }
  const initial = Fold.initialDigest(PackRules.of(pack).initial)
  const data = { clauses: {}, fold, format: 1, goal: "bench", initial, pack: pack.digest }
  return { body: { author: "kernel", data, goal: "bench", type: "run.started" }, stamp, envelope }
}

/** Bisects in this process: answers the milliseconds from an open store to the answer, and the memory above idle. */
export const measure = (filename: string) =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    yield* store.info(run)
    globalThis.gc?.()
    const idle = process.memoryUsage.rss()
    const before = process.resourceUsage().maxRSS
    let peak = idle
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 1)
    const began = performance.now()
    const answer = yield* Bisecting.bisect(run, { predicate: "too_many" })
    const millis = performance.now() - began
    clearInterval(watch)
    // The peak of the process counts only if it was reached meanwhile: loading modules has a peak, too.
    const { maxRSS } = process.resourceUsage()
    peak = Math.max(peak, process.memoryUsage.rss(), maxRSS > before ? maxRSS * 1024 : 0)
    if (answer.onset !== onset) return yield* Effect.die(new Error(`the onset is ${answer.onset} and not ${onset}`))
    return { millis, megabytes: (peak - idle) / 2 ** 20, detail: `onset ${onset}, ${answer.evaluations} evaluations` }
  }).pipe(Effect.provide(SqliteHistory.layer(filename)), Effect.runPromise)
