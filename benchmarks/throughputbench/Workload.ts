/**
 * The workload: transitions of about a kilobyte, under a small pack whose operations run at each of them.
 */

import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Expression from "@backstitch/expressions/Expression"
import * as Commit from "@backstitch/kernel/Commit"
import * as Kernel from "@backstitch/kernel/Kernel"
import * as StandardFold from "@backstitch/kernel/StandardFold"
import * as Fold from "@backstitch/reducer/Fold"
import * as PackRules from "@backstitch/reducer/PackRules"
import * as Part from "@backstitch/reducer/Part"
import * as Rules from "@backstitch/reducer/Rules"
import * as State from "@backstitch/reducer/State"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Ontology from "@backstitch/trace/Ontology"
import * as Run from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import type * as Transition from "@backstitch/trace/Transition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The pack: an observation counts, adds an amount and remembers the last value. */
export const pack: TaskPack.TaskPack = Result.getOrThrow(
  TaskPack.make({
    pack: "bench.stream",
    version: "1.0.0",
    state: { working: { seen: "int", total: "int", last: "string" } },
    reducers: {
      on: {
        "observation.add": [
          { add: { field: "working.seen", value: 1 } },
          { add: { field: "working.total", value: "args.amount" } },
          { set: { field: "working.last", value: "args.id" } }
        ]
      }
    },
    violations: [{ id: "overspent", when: "working.total > 1000000000" }]
  })
)

/** The standard fold under the pack. */
export const fold: Fold.Fold = Fold.make({
  parts: StandardFold.parts,
  sources: { rules: (digest) => (digest === pack.digest ? PackRules.of(pack) : undefined) }
})

const text = "the quick brown fox jumps over the lazy dog, and a trace remembers that it did so; ".repeat(9)

/** A draft of about 1 KB, a new object each time, like a planner's proposal. */
export const draft = (index: number): Transition.Draft => ({
  body: {
    agent: "agent-1",
    author: "agent",
    confidence: 0.9,
    data: { amount: index % 17, id: `item-${index}`, source: "bench", tags: ["a", "b"], text },
    goal: "bench",
    type: "observation.add"
  },
  stamp: { asOf: 1_700_000_000_000 + index },
  envelope: { latencyMillis: 12.5, tokens: 100, ts: 1_700_000_000_000 + index }
})

/** The draft that begins a run: in an initial state under the pack, or without both. */
export const start = (initial?: string): Transition.Draft => ({
  body: {
    author: "kernel",
    data: {
      clauses: {},
      engine: Expression.engine,
      fold: fold.version,
      format: Kernel.format,
      goal: "bench",
      initial: initial ?? Fold.initialDigest(Rules.none.initial),
      ontology: Ontology.version,
      ...(initial === undefined ? {} : { pack: pack.digest }),
      tenant: "default"
    },
    goal: "bench",
    type: "run.started"
  },
  stamp: { asOf: 1_700_000_000_000 },
  envelope: { ts: 1_700_000_000_000 }
})

const started = start(Fold.initialDigest(PackRules.of(pack).initial))

/** The fold of a run, and its first transition. */
export interface Setting {
  readonly fold: Fold.Fold
  readonly start: Transition.Draft
}

/** Under the pack. */
export const governed: Setting = { fold, start: started }

/** The kernel with one more part, which counts in TypeScript as the pack counts in expressions. */
export const counting: Kernel.Kernel = Kernel.withParts(
  Kernel.standard,
  Part.make("bench", {
    version: 1,
    init: { seen: 0, total: 0, last: "" },
    on: {
      "observation.add": ({ seen, total }, { body }) => ({
        seen: seen + 1,
        total: total + Number(body.data?.["amount"]),
        last: String(body.data?.["id"])
      })
    }
  })
)

/** Without a pack, counted in TypeScript. */
export const counted: Setting = {
  fold: Fold.make({ parts: counting.parts, sources: { rules: () => undefined } }),
  start: start()
}

/** The state of a run after its beginning. */
export const begun = (): State.State => fold.evolve(State.empty, { tick: 1, ...started })

/** Commits of a run, one after another. */
export class Writer {
  readonly run: Run.Run
  readonly setting: Setting
  #at: Commit.Position
  #written = 0

  constructor(name: string, setting = governed) {
    this.run = Run.make(name)
    this.setting = setting
    this.#at = { head: HashChain.genesis(this.run), state: State.empty, asOf: 0 }
  }

  /** The commit that begins the run. */
  begin(): TraceStore.Append {
    return this.#commit([this.setting.start])
  }

  /** A commit of n transitions: folded, latched, digested, canonical and sealed. */
  next(count: number): TraceStore.Append {
    const drafts: Array<Transition.Draft> = []
    for (let index = 0; index < count; index++) drafts.push(draft(this.#written++))
    return this.#commit(drafts)
  }

  #commit(drafts: ReadonlyArray<Transition.Draft>): TraceStore.Append {
    const expected = this.#at.head
    const { claims, position, sealed } = Commit.assemble(this.setting.fold, { run: this.run, at: this.#at, drafts })
    this.#at = position
    return { run: this.run, expected, transitions: sealed, claims }
  }
}

/** Commits per second of a store: m commits of n transitions, one after another. */
export const rate = Effect.fnUntraced(function* (
  name: string,
  { commits, size }: { readonly commits: number; readonly size: number }
) {
  const store = yield* TraceStore.TraceStore
  const writer = new Writer(name)
  yield* store.append(writer.begin())
  const began = performance.now()
  for (let index = 0; index < commits; index++) yield* store.append(writer.next(size))
  return (commits / (performance.now() - began)) * 1000
})
