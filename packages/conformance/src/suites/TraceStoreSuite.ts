/**
 * The requirements for every `TraceStore` layer, as tests.
 *
 * A package with a store calls {@link suite} with its layer in a test file of its own. Each test builds the layer
 * anew, and uses runs and tenants of its own, so that a layer which keeps its data does not mix tests.
 */
import * as Digest from "@backstitch/trace/Digest"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Faults from "../store/Faults.ts"
import * as SampleCommits from "../store/SampleCommits.ts"
import { claims } from "./claimCases.ts"
import { forks } from "./forkCases.ts"
import { model } from "./modelCases.ts"
import { wholes } from "./storeCases.ts"

/**
 * Registers the suite for a layer.
 *
 * **Example** (Proving a store)
 *
 * ```ts
 * import { TraceStoreSuite } from "@backstitch/conformance"
 * import { TraceStore } from "@backstitch/trace"
 *
 * TraceStoreSuite.suite("memory", TraceStore.layerMemory)
 * ```
 */
export const suite = <E>(name: string, layer: Layer.Layer<TraceStore, E>): void => {
  describe(`TraceStore (${name})`, () => {
    commits(layer)
    acknowledgements(layer)
    reading(layer)
    keeping(layer)
    forks(layer)
    claims(layer)
    wholes(layer)
    model(layer)
  })
}

const main = Run.make("main", "commits")

const commits = <E>(layer: Layer.Layer<TraceStore, E>) => {
  const isolated = Effect.provide(layer, { local: true })

  it.effect("knows nothing of a run that was never written", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      assert.isUndefined(yield* store.info(main))
      assert.deepStrictEqual(yield* store.read(main), [])
      assert.isUndefined(yield* store.nearestSnapshot(main, 10))
      assert.deepStrictEqual(yield* store.snapshotTicks(main), [])
      const nothing = { run: main, expected: HashChain.genesis(main), transitions: [], claims: [] }
      assert.deepStrictEqual(yield* store.append(nothing), HashChain.genesis(main))
      assert.isUndefined(yield* store.info(main))
    }).pipe(isolated)
  )

  it.effect("answers the committed bytes, with any characters (L2)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const notes = [
        "",
        "\u0000\u001f\u007f",
        "é and e\u0301",
        "שלום עולם",
        "😀 \u{10ffff}",
        "\u2028 \\ \" '",
        "$1 ? ; --"
      ]
      const commit = SampleCommits.commit({
        run: main,
        head: HashChain.genesis(main),
        drafts: [SampleCommits.began, ...notes.map(SampleCommits.noted)]
      })
      const head = yield* store.append(commit)
      assert.deepStrictEqual(head, HashChain.headOf(commit.transitions.at(-1)!))
      assert.deepStrictEqual(yield* store.read(main), commit.transitions)
      assert.deepStrictEqual(yield* store.info(main), { run: main, head, parent: undefined })
      assert.deepStrictEqual(HashChain.verify(HashChain.genesis(main), yield* store.read(main)), Result.succeed(head))
    }).pipe(isolated)
  )

  it.effect("lets exactly one of many racing writers through, and tells the others (L1)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      let head = HashChain.genesis(main)
      for (const round of [1, 2, 3]) {
        const rivals = Array.from({ length: 20 }, (_, writer) =>
          SampleCommits.commit({ run: main, head, drafts: [SampleCommits.noted(`${round}.${writer}`)] })
        )
        const answers = yield* Effect.forEach(rivals, (commit) => Effect.result(store.append(commit)), {
          concurrency: "unbounded"
        })
        const won = answers.filter(Result.isSuccess)
        const lost = answers.filter(Result.isFailure)
        assert.strictEqual(won.length, 1)
        for (const { failure } of lost) {
          assert.strictEqual(failure._tag, "TickConflict")
          assert.include(failure, { expected: round - 1, actual: round })
        }
        head = won[0]!.success
        assert.deepStrictEqual((yield* store.info(main))?.head, head)
      }
      assert.deepStrictEqual(HashChain.verify(HashChain.genesis(main), yield* store.read(main)), Result.succeed(head))
      assert.strictEqual((yield* store.read(main)).length, 3)
    }).pipe(isolated)
  )

  it.effect("refuses a commit that follows another history of the same length (L1)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const genesis = HashChain.genesis(main)
      yield* SampleCommits.write(store, main, SampleCommits.noted("sun"))
      const other = HashChain.headOf(HashChain.seal(genesis, SampleCommits.noted("rain")))
      const stray = SampleCommits.commit({ run: main, head: other, drafts: [SampleCommits.noted("more")] })
      assert.include(yield* Effect.flip(store.append(stray)), { _tag: "TickConflict", actual: 1 })
      assert.strictEqual((yield* store.read(main)).length, 1)
    }).pipe(isolated)
  )

  it.effect("makes commits of many runs at once, each as if it were alone", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const runs = Array.from({ length: 40 }, (_, index) => Run.make(`run-${index}`, "many"))
      const work = Effect.fnUntraced(function* (run: Run.Run) {
        yield* SampleCommits.write(store, run, SampleCommits.began)
        for (const tick of [2, 3, 4]) yield* SampleCommits.write(store, run, SampleCommits.noted(`${run.id} ${tick}`))
      })
      yield* Effect.forEach(runs, work, { concurrency: "unbounded" })
      for (const run of runs) {
        const trace = yield* store.read(run)
        assert.strictEqual(trace.length, 4)
        assert.isTrue(Result.isSuccess(HashChain.verify(HashChain.genesis(run), trace)))
      }
    }).pipe(isolated)
  )
}

const acknowledgements = <E>(layer: Layer.Layer<TraceStore, E>) => {
  it.effect("makes a commit once when its acknowledgement is lost and it is sent again", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const genesis = HashChain.genesis(main)
      const pay = SampleCommits.commit({
        run: main,
        head: genesis,
        drafts: [SampleCommits.began, SampleCommits.noted("paid")]
      })
      const other = SampleCommits.commit({
        run: main,
        head: genesis,
        drafts: [SampleCommits.began, SampleCommits.noted("other")]
      })

      assert.strictEqual((yield* Effect.flip(store.append(pay)))._tag, "TraceStoreError")
      assert.include(yield* Effect.flip(store.append(other)), { _tag: "TickConflict", expected: 0, actual: 2 })
      const head = yield* store.append(pay)
      assert.deepStrictEqual(head, HashChain.headOf(pay.transitions[1]!))
      assert.deepStrictEqual(yield* store.read(main), pay.transitions)

      // The append has succeeded, even if another commit followed before it was sent again.
      yield* SampleCommits.write(store, main, SampleCommits.noted("next"))
      assert.deepStrictEqual(yield* store.append(pay), head)
      assert.strictEqual((yield* store.read(main)).length, 3)
    }).pipe(Effect.provide(Faults.losingAcknowledgement(layer), { local: true }))
  )

  // A scenario that repeats a call after a lost answer has the same end, wherever the answer is lost.
  const scenario = Effect.gen(function* () {
    const store = yield* TraceStore
    const again = <A, F extends { readonly _tag: string }, R>(effect: Effect.Effect<A, F, R>) =>
      Effect.retry(effect, { times: 1, while: (error) => error._tag === "TraceStoreError" })
    const genesis = HashChain.genesis(main)
    const first = SampleCommits.commit({
      run: main,
      head: genesis,
      drafts: [SampleCommits.began, SampleCommits.started("a", "seat")]
    })
    const head = yield* again(store.append(first))
    yield* again(store.append(SampleCommits.commit({ run: main, head, drafts: [SampleCommits.settled("a", "seat")] })))
    yield* again(store.putSnapshot(main, { tick: 2, text: "{}" }))
    yield* again(store.putBlobs(new Map([[Digest.ofBytes("text"), "text"]])))
    const parent = { id: main.id, tick: 2 }
    yield* again(
      store.append(
        SampleCommits.commit({ run: Run.make("fork", "commits"), head, drafts: [SampleCommits.forked], parent })
      )
    )
    return {
      main: yield* again(store.read(main)),
      infos: yield* again(store.runs(main.tenant)),
      held: yield* again(store.claims(main.tenant)),
      ticks: yield* again(store.snapshotTicks(Run.make("fork", "commits")))
    }
  })

  for (const when of ["before", "after"] as const) {
    it.effect(`ends the same when the n-th call fails ${when} it took effect, for every n`, () =>
      Effect.gen(function* () {
        const expected = yield* scenario.pipe(Effect.provide(layer, { local: true }))
        assert.deepStrictEqual(expected.ticks, [2])
        for (const operation of Array.from({ length: 10 }, (_, index) => index + 1)) {
          const faulty = Faults.failing(layer, { operation, when })
          assert.deepStrictEqual(yield* scenario.pipe(Effect.provide(faulty, { local: true })), expected)
        }
      })
    )
  }
}

const reading = <E>(layer: Layer.Layer<TraceStore, E>) => {
  const isolated = Effect.provide(layer, { local: true })

  it.effect("reads long traces in any range, and commits of thousands", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const drafts = Array.from({ length: 3000 }, (_, index) => SampleCommits.noted(`note ${index}`))
      const commit = SampleCommits.commit({ run: main, head: HashChain.genesis(main), drafts })
      const head = yield* store.append(commit)
      const all = yield* store.read(main)
      assert.strictEqual(all.length, 3000)
      assert.deepStrictEqual(HashChain.verify(HashChain.genesis(main), all), Result.succeed(head))
      const ticks = (range: Parameters<typeof store.read>[1]) =>
        Effect.map(store.read(main, range), (found) => found.map(({ tick }) => tick))
      assert.deepStrictEqual(yield* ticks({ from: 2999 }), [2999, 3000])
      assert.deepStrictEqual(yield* ticks({ from: 2999, to: 5000 }), [2999, 3000])
      assert.deepStrictEqual(yield* ticks({ to: 2 }), [1, 2])
      assert.deepStrictEqual(yield* ticks({ from: 700, limit: 2 }), [700, 701])
      assert.deepStrictEqual(yield* ticks({ from: 0, limit: 2 }), [1, 2])
      assert.deepStrictEqual(yield* ticks({ from: 5, to: 4 }), [])
      assert.deepStrictEqual(yield* ticks({ limit: 0 }), [])
      assert.strictEqual((yield* ticks({ from: 100, limit: 1500 })).length, 1500)
    }).pipe(isolated)
  )

  it.effect("pages the runs of a tenant in order of id, and shows no tenant another's (L15)", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const ids = ["b", "a", "C", "a.1", "a-1", "Z_9", "a10", "a2"]
      for (const id of ids) yield* SampleCommits.write(store, Run.make(id, "paging"), SampleCommits.began)
      yield* SampleCommits.write(store, Run.make("hidden", "paging-other"), SampleCommits.began)
      const { tenant } = Run.make("any", "paging")
      const page = (after: string | undefined, limit?: number) =>
        Effect.map(
          store.runs(tenant, { after: after === undefined ? undefined : Run.make(after).id, limit }),
          (infos) => infos.map(({ run }) => `${run.tenant}/${run.id}`)
        )
      const sorted = [...ids].sort().map((id) => `paging/${id}`)
      assert.deepStrictEqual(yield* page(undefined), sorted)
      assert.deepStrictEqual(yield* page(undefined, 3), sorted.slice(0, 3))
      assert.deepStrictEqual(yield* page("a", 2), ["paging/a-1", "paging/a.1"])
      assert.deepStrictEqual(yield* page("zzz"), [])
      assert.isUndefined(yield* store.info(Run.make("hidden", "paging")))
      assert.deepStrictEqual(yield* store.read(Run.make("hidden", "paging")), [])
    }).pipe(isolated)
  )
}

const keeping = <E>(layer: Layer.Layer<TraceStore, E>) => {
  const isolated = Effect.provide(layer, { local: true })

  it.effect("keeps texts by digest, once", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const texts = ["", "one", "éé 😀", "x".repeat(100_000), ...Array.from({ length: 200 }, (_, index) => `n${index}`)]
      const blobs = new Map(texts.map((text) => [Digest.ofBytes(text), text] as const))
      const missing = Digest.ofBytes("never kept")
      assert.strictEqual((yield* store.getBlobs([missing])).size, 0)
      yield* store.putBlobs(new Map())
      yield* store.putBlobs(blobs)
      yield* Effect.all([store.putBlobs(blobs), store.putBlobs(blobs)], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* store.getBlobs([...blobs.keys(), missing]), blobs)
      assert.deepStrictEqual(yield* store.getBlobs([]), new Map())
      if (store.blob !== undefined) {
        for (const [digest, text] of blobs) assert.strictEqual(store.blob(digest), text)
        assert.isUndefined(store.blob(missing))
      }
    }).pipe(isolated)
  )

  it.effect("keeps the texts that a commit names with it, and none of a refused one", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const named = (text: string) => new Map([[Digest.ofBytes(text), text]])
      const isKept = (text: string) => Effect.map(store.getBlobs([...named(text).keys()]), ({ size }) => size === 1)
      const genesis = HashChain.genesis(main)
      const first = SampleCommits.commit({
        run: main,
        head: genesis,
        drafts: [SampleCommits.began, SampleCommits.started("a", "seat")]
      })
      const head = yield* store.append({ ...first, blobs: named("of the first") })
      const second = SampleCommits.commit({ run: main, head, drafts: [SampleCommits.settled("a", "seat")] })
      yield* store.append({ ...second, blobs: new Map([...named("of the first"), ...named("of the second")]) })
      const texts = ["of the first", "of the second"]
      assert.deepStrictEqual(yield* Effect.forEach(texts, isKept), [true, true])

      const late = SampleCommits.commit({ run: main, head, drafts: [SampleCommits.noted("late")] })
      assert.strictEqual(
        (yield* Effect.flip(store.append({ ...late, blobs: named("of a late one") })))._tag,
        "TickConflict"
      )
      const other = Run.make("other", "commits")
      yield* SampleCommits.write(store, other, SampleCommits.began, SampleCommits.started("b", "table"))
      const taking = SampleCommits.commit({
        run: main,
        head: (yield* store.info(main))!.head,
        drafts: [SampleCommits.started("c", "table")]
      })
      const refused = yield* Effect.flip(store.append({ ...taking, blobs: named("of a refused one") }))
      assert.strictEqual(refused._tag, "ClaimRefused")
      assert.deepStrictEqual(yield* Effect.forEach(["of a late one", "of a refused one"], isKept), [false, false])

      const many = Array.from({ length: 300 }, (_, index) => SampleCommits.noted(`${index}`))
      const long = SampleCommits.commit({ run: main, head: (yield* store.info(main))!.head, drafts: many })
      yield* store.append({ ...long, blobs: named("of many") })
      assert.isTrue(yield* isKept("of many"))
      assert.deepStrictEqual(yield* store.faults, [])
    }).pipe(isolated)
  )

  it.effect("keeps snapshots of ticks that were committed, and finds the nearest", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const notes = Array.from({ length: 9 }, (_, index) => SampleCommits.noted(`${index}`))
      yield* store.putSnapshot(main, { tick: 1, text: "too early" })
      yield* SampleCommits.write(store, main, ...notes)
      for (const tick of [6, 3, 9, 0, 10]) yield* store.putSnapshot(main, { tick, text: `é ${tick}` })
      yield* store.putSnapshot(main, { tick: 6, text: "not a second time" })
      const [late, known] = ["late", "known"].map((text) => [Digest.ofBytes(text), text] as const)
      yield* store.putSnapshot(main, { tick: 11, text: "too late" }, new Map([late!]))
      yield* store.putSnapshot(main, { tick: 6, text: "nor a third" }, new Map([late!, known!]))
      assert.deepStrictEqual(yield* store.getBlobs([late![0], known![0]]), new Map([late!, known!]))
      assert.deepStrictEqual(yield* store.snapshotTicks(main), [3, 6, 9])
      const nearest = (tick: number) => store.nearestSnapshot(main, tick)
      assert.isUndefined(yield* nearest(2))
      assert.deepStrictEqual(yield* nearest(3), { tick: 3, text: "é 3" })
      assert.deepStrictEqual(yield* nearest(8), { tick: 6, text: "é 6" })
      assert.deepStrictEqual(yield* nearest(10_000), { tick: 9, text: "é 9" })
    }).pipe(isolated)
  )
}
