/** Forks: the shared part, the own part, and the chain between them. */
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SampleCommits from "../store/SampleCommits.ts"

const root = Run.make("root", "forks")
const child = Run.make("child", "forks")
const grandchild = Run.make("grandchild", "forks")

/** Tests that a fork reads the history of its parent up to its tick, and no further. */
export const forks = <E>(layer: Layer.Layer<TraceStore, E>) => {
  const isolated = Effect.provide(layer, { local: true })
  const five = ["one", "two", "three", "four", "five"].map(SampleCommits.noted)

  it.effect("shares a parent's history with its fork, and nothing that came after", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, root, ...five)
      const shared = (yield* store.read(root)).slice(0, 3)
      const head = yield* SampleCommits.fork(store, child, { from: root, at: 3 })
      yield* SampleCommits.write(store, root, SampleCommits.noted("six"))

      const trace = yield* store.read(child)
      assert.strictEqual(trace.length, 4)
      assert.deepStrictEqual(trace.slice(0, 3), shared)
      assert.deepStrictEqual(HashChain.verify(HashChain.genesis(root), trace), Result.succeed(head))
      assert.deepStrictEqual(yield* store.info(child), { run: child, head, parent: { id: root.id, tick: 3 } })
      assert.strictEqual((yield* store.read(root)).length, 6)
      yield* SampleCommits.write(store, child, SampleCommits.noted("own"))
      assert.strictEqual((yield* store.read(root)).length, 6)
    }).pipe(isolated)
  )

  it.effect("reads any range of a fork of a fork, wherever it left", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      for (const [index, [first, second]] of [
        [3, 4],
        [3, 2],
        [3, 3],
        [5, 6],
        [1, 1],
        [0, 1],
        [2, 0]
      ].entries()) {
        const [a, b, c] = ["a", "b", "c"].map((name) => Run.make(`${name}-${index}`, "forks")) as [
          Run.Run,
          Run.Run,
          Run.Run
        ]
        yield* SampleCommits.write(store, a, ...five)
        yield* SampleCommits.fork(store, b, { from: a, at: first! })
        yield* SampleCommits.write(store, b, ...five)
        const head = yield* SampleCommits.fork(store, c, { from: b, at: second! })
        const expected = [...(yield* store.read(b)).slice(0, second!), ...(yield* store.read(c, { from: second! + 1 }))]
        const trace = yield* store.read(c)
        assert.deepStrictEqual(trace, expected)
        assert.strictEqual(trace.length, second! + 1)
        const genesis = HashChain.genesis(second === 0 ? c : first === 0 ? b : a)
        assert.deepStrictEqual(HashChain.verify(genesis, trace), Result.succeed(head))
        for (const { tick } of trace) {
          assert.deepStrictEqual(yield* store.read(c, { from: tick, to: tick }), [trace[tick - 1]!])
          assert.deepStrictEqual(yield* store.read(c, { from: tick, limit: 2 }), trace.slice(tick - 1, tick + 1))
        }
      }
    }).pipe(isolated)
  )

  it.effect("refuses a fork of a head that its parent does not have (L1)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, root, ...five)
      const other = HashChain.headOf(HashChain.seal(HashChain.genesis(root), SampleCommits.noted("another story")))
      const fork = (head: HashChain.Head, tick: number, id = root.id) =>
        SampleCommits.commit({ run: child, head, drafts: [SampleCommits.forked], parent: { id, tick } })
      const third = HashChain.headOf((yield* store.read(root, { from: 3, to: 3 }))[0]!)
      const refuse = (commit: ReturnType<typeof fork>) => Effect.flip(store.append(commit))

      assert.include(yield* refuse(fork(other, 1)), { _tag: "TickConflict", actual: 1 })
      assert.include(yield* refuse(fork(third, 2)), { _tag: "TickConflict", expected: 3, actual: 2 })
      assert.include(yield* refuse(fork(HashChain.genesis(child), 3)), { _tag: "TickConflict", actual: 3 })
      assert.include(yield* refuse(fork(third, 9)), { _tag: "TickConflict", actual: 5 })
      assert.include(yield* refuse(fork(third, 3, Run.make("nobody").id)), { _tag: "TickConflict", actual: 0 })
      assert.isUndefined(yield* store.info(child))
      assert.deepStrictEqual(yield* store.claims(child.tenant), [])
      yield* store.append(fork(third, 3))
    }).pipe(isolated)
  )

  it.effect("finds inherited snapshots up to where a fork left, and no later one", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      yield* SampleCommits.write(store, root, ...five)
      for (const tick of [1, 3, 5]) yield* store.putSnapshot(root, { tick, text: `root ${tick}` })
      yield* SampleCommits.fork(store, child, { from: root, at: 4 })
      yield* SampleCommits.write(store, child, ...five)
      for (const tick of [4, 5, 7]) yield* store.putSnapshot(child, { tick, text: `child ${tick}` })
      yield* SampleCommits.fork(store, grandchild, { from: child, at: 6 })

      assert.deepStrictEqual(yield* store.snapshotTicks(child), [1, 3, 5, 7])
      assert.deepStrictEqual(yield* store.snapshotTicks(grandchild), [1, 3, 5])
      const texts = yield* Effect.forEach([0, 2, 4, 5, 6, 7, 99], (tick) =>
        Effect.map(store.nearestSnapshot(grandchild, tick), (snapshot) => snapshot?.text)
      )
      assert.deepStrictEqual(texts, [undefined, "root 1", "root 3", "child 5", "child 5", "child 5", "child 5"])
    }).pipe(isolated)
  )
}
