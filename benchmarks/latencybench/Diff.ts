/** The diff of two runs of 100,000 ticks that share the first 99,000: independent runs, and a fork. */
import * as Path from "node:path"
import * as Commit from "@backstitch/kernel/Commit"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as State from "@backstitch/reducer/State"
import * as Diffing from "@backstitch/runtime/Diffing"
import * as History from "@backstitch/runtime/History"
import * as PackLibrary from "@backstitch/runtime/PackLibrary"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Figure from "../src/Figure.ts"
import * as Workload from "../throughputbench/Workload.ts"
import * as SqliteHistory from "./SqliteHistory.ts"

const figureOf = (name: string, title: string): Figure.Figure => ({
  name,
  title: `diff of two runs of 100,000 ticks, 99 % in common: ${title}`,
  better: "less",
  unit: "ms",
  within: 200,
  aim: 100,
  durability: "reads"
})

const figures = {
  independent: figureOf("diff-independent", "independent runs, every later tick differs"),
  fork: figureOf("diff-fork", "a fork, one step more and then the same")
}

const ticks = 100_000
const shared = 99_000
const every = 500

const [left, right, fork] = [Run.make("left"), Run.make("right"), Run.make("fork")]

/** Diff of long runs. */
export const benchmark: Figure.Benchmark = {
  name: "diff",
  run: async ({ folder, runs, say }) => {
    const filename = Path.join(folder, "diff.db")
    await fill(filename, say)
    say("comparing")
    const independent: Array<number> = []
    const forked: Array<number> = []
    for (let turn = 0; turn < runs; turn++) {
      independent.push(await measure(filename, right, (found) => found.counts.semantic === ticks - shared))
      forked.push(await measure(filename, fork, (found) => found.counts.structural === 2 && found.shared === shared))
    }
    return [Figure.measured(figures.independent, independent), Figure.measured(figures.fork, forked)]
  }
}

/** A new layer each time, so that nothing is remembered. */
const measure = (
  filename: string,
  other: Run.Run,
  isExpected: (found: Effect.Success<ReturnType<typeof Diffing.diff>>) => boolean
): Promise<number> =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    yield* store.info(left)
    const began = performance.now()
    const found = yield* Diffing.diff(left, other)
    const millis = performance.now() - began
    if (!isExpected(found)) {
      const { counts, same } = found
      return yield* Effect.die(new Error(`the runs differ otherwise: ${JSON.stringify({ counts, same })}`))
    }
    return millis
  }).pipe(Effect.provide(SqliteHistory.layer(filename), { local: true }), Effect.runPromise)

const fill = (filename: string, say: (line: string) => void): Promise<void> =>
  Effect.gen(function* () {
    const store = yield* TraceStore.TraceStore
    const history = yield* History.History
    const library = yield* PackLibrary.PackLibrary
    yield* library.keepPack(Workload.pack)
    const write = Effect.fnUntraced(function* (
      run: Run.Run,
      from: Commit.Position,
      options: { readonly parent?: TraceStore.Parent; readonly draft: (tick: number) => Transition.Draft }
    ) {
      let at = from
      let parent = options.parent
      let left: Commit.Position | undefined
      while (at.head.tick < ticks) {
        const count = Math.min(every, ticks - at.head.tick)
        const drafts = Array.from({ length: count }, (_, index) => options.draft(at.head.tick + index + 1))
        const commit = Commit.assemble(history.fold, { run, at, drafts })
        const claims = parent === undefined ? commit.claims : []
        yield* store.append({ run, expected: at.head, transitions: commit.sealed, claims, parent })
        parent = undefined
        at = commit.position
        yield* history.snapshot(run, at)
        if (at.head.tick === shared) left = at
        if (at.head.tick % 50_000 === 0) say(`${run.id}: written ${at.head.tick}`)
      }
      return left ?? from
    })
    const genesis = (run: Run.Run): Commit.Position => ({ head: HashChain.genesis(run), state: State.empty, asOf: 0 })
    const parted = yield* write(left, genesis(left), { draft: (tick) => draft(tick, tick) })
    yield* write(right, genesis(right), { draft: (tick) => draft(tick, tick > shared ? tick + 1_000_000 : tick) })
    // The fork begins with its own transition, notes one thing, and then continues as its parent did.
    yield* write(fork, parted, {
      parent: { id: left.id, tick: shared },
      draft: (tick) => (tick === shared + 1 ? forked : draft(tick, tick - 1))
    })
  }).pipe(Effect.provide(SqliteHistory.layer(filename), { local: true }), Effect.runPromise)

const forked: Transition.Draft = {
  body: {
    author: "kernel",
    data: { at: shared, child: fork.id, link: "", parent: left.id, reason: "to compare" },
    type: "run.fork"
  },
  stamp: { asOf: 1_800_000_000_000 },
  envelope: { ts: 1_800_000_000_000 }
}

const draft = (tick: number, note: number): Transition.Draft => {
  if (tick === 1) return Workload.start(Fold.initialDigest(PackRules.of(Workload.pack).initial))
  const { body } = Workload.draft(note)
  return { body, stamp: { asOf: 1_800_000_000_000 }, envelope: { ts: 1_800_000_000_000 } }
}
