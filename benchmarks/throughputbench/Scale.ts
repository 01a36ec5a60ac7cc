/** Figures as work grows: more runs at once, longer runs, larger states. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Commit from "@backstitch/kernel/Commit"
import * as StandardFold from "@backstitch/kernel/StandardFold"
import * as Fold from "@backstitch/reducer/Fold"
import type * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as SqlTraceStore from "@backstitch/sql/SqlTraceStore"
import type { Json } from "@backstitch/trace/Canonical"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as Table from "@backstitch/trace/Table"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Figure from "../src/Figure.ts"
import * as Statistics from "../src/Statistics.ts"
import * as Steps from "./Steps.ts"
import * as Workload from "./Workload.ts"

const figures = {
  group: {
    name: "runs-16",
    title: "steps/s of 16 runs at once in one process ÷ one run",
    better: "more",
    unit: "x",
    within: 1.2,
    aim: 1.7,
    durability: "FULL, commits in groups ÷ FULL"
  },
  flat: {
    name: "flatness",
    title: "steps/s of the last 100 of 1,000 steps ÷ first 100",
    better: "more",
    unit: "x",
    within: 0.85,
    aim: 0.95,
    durability: "FULL ÷ the same run"
  },
  large: {
    name: "state-5mb",
    title: "time of a durable commit: state of 5 MB ÷ state of 5 KB",
    better: "less",
    unit: "x",
    within: 1.2,
    aim: 1.05,
    durability: "FULL ÷ FULL"
  },
  assemble: {
    name: "state-5mb-assemble",
    title: "the same without the store: fold, digest, canonical bytes and chain",
    better: "less",
    unit: "x",
    durability: "in memory"
  }
} satisfies Record<string, Figure.Figure>

/** Many runs, long runs and large states. */
export const benchmark: Figure.Benchmark = {
  name: "scale",
  run: async ({ folder, runs, say }) => {
    let turn = 0
    const file = () => Path.join(folder, `${turn++}.db`)
    say("16 runs")
    const group = await Statistics.interleave(runs, {
      ours: () => within(file(), together(16, 50)),
      theirs: () => within(file(), together(1, 300))
    })
    say("1,000 steps")
    const flat: Array<Statistics.Paired> = []
    // One run is a pair: its end compared with its beginning.
    for (let run = -1; run < runs; run++) {
      const pair = await within(file(), ends)
      if (run >= 0) flat.push(Statistics.paired([pair]))
    }
    say("5 MB")
    const small = assembler("small", 10)
    const big = assembler("big", 10_000)
    const large = await within(file(), stored(runs, { big, small }))
    const assemble = await Statistics.interleave(runs, { ours: () => assembled(big), theirs: () => assembled(small) })
    const sizes = `µs; ${Figure.round(big.bytes / 1e6)} MB ÷ ${Figure.round(small.bytes / 1e3)} KB`
    return [
      Figure.ratio(figures.group, group, "steps/s"),
      Figure.ratio(
        figures.flat,
        {
          ratios: flat.flatMap(({ ratios }) => ratios),
          ours: Statistics.median(flat.map(({ ours }) => ours)),
          theirs: Statistics.median(flat.map(({ theirs }) => theirs))
        },
        "steps/s"
      ),
      Figure.ratio(figures.large, large, sizes),
      Figure.ratio(figures.assemble, assemble, sizes)
    ]
  }
}

const within = <A, E>(filename: string, effect: Effect.Effect<A, E, Steps.Coordinated>): Promise<A> =>
  effect.pipe(
    Effect.provide(Steps.layer(SqlTraceStore.layerSqlite({ filename }))),
    Effect.ensuring(Effect.sync(() => Fs.rmSync(filename, { force: true }))),
    Effect.runPromise
  )

/** Steps per second of n runs, each in a fiber. */
const together = (runs: number, steps: number) =>
  Effect.gen(function* () {
    const handles = yield* Effect.forEach(
      Array.from({ length: runs }, (_, index) => `run-${index}`),
      Steps.open
    )
    yield* Effect.forEach(handles, (handle) => Steps.take(handle, "write", { count: 5 }), { concurrency: "unbounded" })
    const began = performance.now()
    yield* Effect.forEach(handles, (handle) => Steps.take(handle, "write", { count: steps, from: 5 }), {
      concurrency: "unbounded",
      discard: true
    })
    return ((runs * steps) / (performance.now() - began)) * 1000
  }).pipe(Effect.scoped)

const ends = Effect.gen(function* () {
  // Another run warms up first, so that the first hundred steps do not include compilation.
  yield* Steps.time("warm", 150)
  const handle = yield* Steps.open("long")
  const rate = (from: number) =>
    Effect.gen(function* () {
      const began = performance.now()
      yield* Steps.take(handle, "write", { count: 100, from })
      return (100 / (performance.now() - began)) * 1000
    })
  const first = yield* rate(0)
  yield* Steps.take(handle, "write", { count: 800, from: 100 })
  return { ours: yield* rate(900), theirs: first }
}).pipe(Effect.scoped)

interface Assembler {
  readonly bytes: number
  readonly begin: TraceStore.Append
  /** A commit that changes one row. */
  readonly next: () => TraceStore.Append
}

/** Microseconds of an assembled commit. */
const assembled = ({ next }: Assembler): number => {
  const count = 500
  const began = performance.now()
  for (let index = 0; index < count; index++) next()
  return ((performance.now() - began) / count) * 1000
}

/** Microseconds of a durable commit, with either state, in one file. */
const stored = (runs: number, { big, small }: { readonly big: Assembler; readonly small: Assembler }) =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const time = (assembler: Assembler) =>
      Effect.gen(function* () {
        const began = performance.now()
        for (let index = 0; index < 300; index++) yield* store.append(assembler.next())
        return ((performance.now() - began) / 300) * 1000
      }).pipe(Effect.runPromise)
    yield* store.append(big.begin)
    yield* store.append(small.begin)
    return yield* Effect.promise(() =>
      Statistics.interleave(runs, { ours: () => time(big), theirs: () => time(small) })
    )
  })

/** Commits that change one row of a table with n rows. */
const assembler = (name: string, rows: number): Assembler => {
  const row = (index: number): Json => ({ balance: index, id: `row-${index}`, text: "a row of the state ".repeat(25) })
  const key = (index: number) => `row-${index}`
  const table = Table.from(Array.from({ length: rows }, (_, index) => [key(index), row(index)] as const))
  const rules: Rules.Rules = {
    initial: { world: { rows: table }, working: {} },
    apply: (before, { body }) => {
      const now = before.world["rows"] as Table.Table
      const index = Number(body.data?.["amount"]) % rows
      return {
        ...before,
        world: { rows: now.set(key(index), { ...(row(index) as object), balance: body.confidence! }) }
      }
    },
    predicates: []
  }
  const fold = Fold.make({ parts: StandardFold.parts, sources: { rules: () => rules } })
  const run = Run.make(name)
  let at: Commit.Position = { head: HashChain.genesis(run), state: State.empty, asOf: 0 }
  const commit = (draft: Transition.Draft): TraceStore.Append => {
    const expected = at.head
    const { claims, position, sealed } = Commit.assemble(fold, { run, at, drafts: [draft] })
    at = position
    return { run, expected, transitions: sealed, claims }
  }
  const begin = commit(Workload.start(Fold.initialDigest(rules.initial)))
  let written = 0
  return {
    bytes: JSON.stringify(table.toJson()).length,
    begin,
    next: () => {
      const { body, ...draft } = Workload.draft(written)
      const data = { amount: (written * 7919) % rows }
      return commit({ ...draft, body: { ...body, confidence: written++, data } })
    }
  }
}
