/**
 * Verified replay: every byte hashed, every link checked, every transition folded.
 *
 * It is compared with rows that the bare driver reads in a loop and, in memory, with the same reducer in a plain
 * loop.
 */

import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as Fold from "@backstitch/reducer/Fold"
import * as Part from "@backstitch/reducer/Part"
import * as State from "@backstitch/reducer/State"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Workload from "./Workload.ts"

const figures = {
  sqlite: {
    name: "replay-sqlite",
    title: "verified replay from SQLite ÷ raw row iteration, 10,000, CEL reducers",
    better: "more",
    unit: "x",
    within: 0.22,
    aim: 0.33,
    durability: "reads"
  },
  fold: {
    name: "fold-typescript",
    title: "fold in memory, five-branch TypeScript reducer ÷ the same in a plain loop",
    better: "more",
    unit: "x",
    within: 0.35,
    aim: 0.55,
    durability: "in memory"
  },
  cel: {
    name: "fold-cel",
    title: "fold in memory, CEL reducers (three operations a transition)",
    better: "more",
    unit: "/s",
    within: 150_000,
    aim: 500_000,
    durability: "in memory"
  }
} satisfies Record<string, Figure.Figure>

/** Verified replay and folds. */
export const benchmark: Figure.Benchmark = {
  name: "replay",
  run: async ({ folder, runs, say }) => {
    say("writing 10,000 transitions")
    const filename = Path.join(folder, "replay.db")
    await fill(filename, 10_000)
    const replay = await open(filename)
    say("replay")
    const replayed = await Statistics.interleave(runs, { ours: replay.run, theirs: () => iterate(filename) })
    await replay.close()
    say("fold")
    const transitions = events(200_000)
    const folded = await Statistics.interleave(runs, {
      ours: () => foldRate(transitions),
      theirs: () => loopRate(transitions)
    })
    const cel = Array.from({ length: runs + 1 }, celRate).slice(1)
    return [
      Figure.ratio(figures.sqlite, replayed, "transitions/s"),
      Figure.ratio(figures.fold, folded, "transitions/s"),
      Figure.measured(figures.cel, cel)
    ]
  }
}

/** Writes a run of n transitions into a file. */
export const fill = (filename: string, count: number, setting = Workload.governed): Promise<void> =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const writer = new Workload.Writer("stream", setting)
    yield* store.append(writer.begin())
    for (let written = 0; written < count; written += 50) yield* store.append(writer.next(50))
  }).pipe(Effect.provide(SqlTraceStore.layerSqlite({ filename })), Effect.runPromise)

/** Opens a file for verified replay; `run` answers transitions per second. */
export const open = async (filename: string, kernel = Kernel.standard) => {
  const runtime = ManagedRuntime.make(
    History.layer(kernel).pipe(
      Layer.provideMerge(PackLibrary.layer),
      Layer.provideMerge(SqlTraceStore.layerSqlite({ filename }))
    )
  )
  await runtime.runPromise(Effect.flatMap(PackLibrary.PackLibrary, (library) => library.keepPack(Workload.pack)))
  return {
    run: () =>
      runtime.runPromise(
        Effect.gen(function* () {
          const began = performance.now()
          const { divergences, head, misfit } = yield* StrictReplay.of(Run.make("stream"))
          if (divergences.length > 0) return yield* Effect.die(new Error("the replay diverges"))
          if (misfit !== undefined) return yield* Effect.die(new Error(`tick ${misfit.tick}: ${misfit.problem}`))
          return (head.tick / (performance.now() - began)) * 1000
        })
      ),
    close: () => runtime.dispose()
  }
}

const iterate = (filename: string): number => {
  const database = new DatabaseSync(filename)
  const rows = database.prepare("select id, link, story, body, stamp, envelope from transition order by id")
  const began = performance.now()
  let count = 0
  for (const row of rows.iterate()) count += row["body"] === "" ? 0 : 1
  const rate = (count / (performance.now() - began)) * 1000
  database.close()
  return rate
}

interface Counts {
  readonly notes: number
  readonly plans: number
  readonly calls: number
  readonly results: number
  readonly last: string
}

type Reduce = (counts: Counts, transition: Transition.Transition) => Counts

const none: Counts = { notes: 0, plans: 0, calls: 0, results: 0, last: "" }

const branches = {
  "observation.add": (counts, { body }) => ({ ...counts, notes: counts.notes + Number(body.data?.["amount"]) }),
  "plan.update": (counts) => ({ ...counts, plans: counts.plans + 1 }),
  "action.request": (counts, { body }) => ({ ...counts, calls: counts.calls + 1, last: body.action?.id ?? "" }),
  "action.result": (counts) => ({ ...counts, results: counts.results + 1 }),
  "goal.complete": (counts, { tick }) => ({ ...counts, last: `completed at ${tick}` })
} satisfies { readonly [Type in Transition.Body["type"]]?: Reduce }

const part = Part.make("bench", { version: 1, init: { ...none }, on: branches })

const events = (count: number): ReadonlyArray<Transition.Transition> => {
  const types = Object.keys(branches) as ReadonlyArray<keyof typeof branches>
  return Array.from({ length: count }, (_, index) => {
    const { body, ...draft } = Workload.draft(index)
    const type = types[(index * 7) % 5]!
    const action = type === "action.request" ? { action: { id: `a${index}` } } : {}
    return { tick: index + 1, ...draft, body: { ...action, ...body, type } }
  })
}

const foldRate = (transitions: ReadonlyArray<Transition.Transition>): number => {
  const fold = Fold.make({ parts: [part], sources: { rules: () => undefined } })
  const began = performance.now()
  const state = Fold.run(fold, State.empty, transitions)
  const millis = performance.now() - began
  if (Part.get(part, state).plans !== transitions.length / 5) throw new Error("the fold lost a transition")
  return (transitions.length / millis) * 1000
}

const loopRate = (transitions: ReadonlyArray<Transition.Transition>): number => {
  const began = performance.now()
  let counts = none
  for (const transition of transitions) {
    const reduce: Reduce | undefined = branches[transition.body.type as keyof typeof branches]
    if (reduce !== undefined) counts = reduce(counts, transition)
  }
  const millis = performance.now() - began
  if (counts.plans !== transitions.length / 5) throw new Error("the loop lost a transition")
  return (transitions.length / millis) * 1000
}

const celRate = (): number => {
  const count = 100_000
  const begun = Workload.begun()
  const transitions = Array.from({ length: count }, (_, index) => ({ tick: index + 2, ...Workload.draft(index) }))
  const began = performance.now()
  const state = Fold.run(Workload.fold, begun, transitions)
  const millis = performance.now() - began
  if (state.working["seen"] !== count) throw new Error("the fold lost a transition")
  return (count / millis) * 1000
}
