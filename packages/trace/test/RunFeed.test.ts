import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SampleCommits from "../../conformance/src/store/SampleCommits.ts"
import { suite } from "../../conformance/src/suites/RunFeedSuite.ts"
import * as HashChain from "../src/chain/HashChain.ts"
import * as Run from "../src/chain/Run.ts"
import * as CommitSignal from "../src/port/CommitSignal.ts"
import * as RunFeed from "../src/port/RunFeed.ts"
import { makeMemory } from "../src/port/TraceStore.ts"

suite(
  "memory",
  Effect.map(makeMemory, (store) => ({ writer: store, reader: store }))
)

const main = Run.make("main")

describe("RunFeed", () => {
  it.effect("reads a store without further requests only as far as it was requested", () =>
    Effect.gen(function* () {
      const store = yield* makeMemory
      yield* SampleCommits.write(
        store,
        main,
        ...Array.from({ length: 2000 }, (_, index) => SampleCommits.noted(`${index}`))
      )
      let read = 0
      const counting = Effect.fnUntraced(function* (...[run, range]: Parameters<typeof store.read>) {
        const found = yield* store.read(run, range)
        read += found.length
        return found
      })
      const changes = RunFeed.make({ ...store, read: counting, signal: CommitSignal.make() })
      for (const selection of [{ run: main }, { tenant: main.tenant }]) {
        read = 0
        const [change] = yield* Stream.runCollect(Stream.take(changes(selection), 1))
        assert.strictEqual(change?.sealed.tick, 1)
        assert.isAtMost(read, 256)
      }
    })
  )

  it.effect("is read again if a signal names no run, and if one is told without need", () =>
    Effect.gen(function* () {
      const store = yield* makeMemory
      const signal = CommitSignal.make()
      const pull = yield* Stream.toPull(RunFeed.make({ ...store, signal })({ tenant: main.tenant }))
      const write = (note: string) => SampleCommits.write(store, main, SampleCommits.noted(note))
      const told = Effect.map(pull, (page) => page.map(({ sealed }) => sealed.tick))
      yield* write("one")
      assert.deepStrictEqual(yield* told, [1])
      yield* write("two")
      signal.missed()
      assert.deepStrictEqual(yield* told, [2])
      signal.moved(Run.make("nobody"))
      signal.moved(main)
      yield* write("three")
      assert.deepStrictEqual(yield* told, [3])
      for (let index = 0; index < 1000; index++) signal.moved(Run.make(`run-${index}`))
      yield* write("four")
      assert.deepStrictEqual(yield* told, [4])
    })
  )
})

describe("RunFeed of a run, by what a signal hands over", () => {
  /** A feed of a run over a store whose signals the test gives, and the number of its reads. */
  const followed = Effect.gen(function* () {
    const store = yield* makeMemory
    const signal = CommitSignal.make()
    let reads = 0
    const counting = (...args: Parameters<typeof store.read>) =>
      Effect.suspend(() => {
        reads++
        return store.read(...args)
      })
    const pull = yield* Stream.toPull(RunFeed.make({ ...store, read: counting, signal })({ run: main }))
    /** Commits notes, and answers with their transitions. */
    const commit = Effect.fnUntraced(function* (...notes: ReadonlyArray<string>) {
      const before = (yield* store.info(main))?.head.tick ?? 0
      yield* SampleCommits.write(store, main, ...notes.map(SampleCommits.noted))
      return yield* store.read(main, { from: before + 1 })
    })
    const told = Effect.map(pull, (page) => page.map(({ sealed }) => sealed.tick))
    yield* commit("one")
    assert.deepStrictEqual(yield* told, [1])
    return { commit, signal, told, reads: () => reads }
  })

  it.effect("reads no transition from the store that was handed over, however many commits they were", () =>
    Effect.gen(function* () {
      const { commit, reads, signal, told } = yield* followed
      const before = reads()
      for (const note of ["two", "three", "four"]) {
        signal.moved(main, yield* commit(note))
      }
      assert.deepStrictEqual(yield* told, [2, 3, 4])
      assert.strictEqual(reads(), before)
    })
  )

  it.effect("passes on nothing twice, and leaves nothing out, whatever the signals lack, repeat or mix up", () =>
    Effect.gen(function* () {
      const { commit, signal, told } = yield* followed
      const two = yield* commit("two")
      const three = yield* commit("three")
      signal.moved(main, three)
      assert.deepStrictEqual(yield* told, [2, 3], "a commit before was not signalled")
      signal.moved(main, two)
      const four = yield* commit("four")
      signal.moved(main, four)
      assert.deepStrictEqual(yield* told, [4], "a signal came late")
      signal.moved(main, four)
      signal.moved(main, yield* commit("five"))
      assert.deepStrictEqual(yield* told, [5], "a signal came twice")
      signal.moved(main, yield* commit("six"))
      yield* commit("seven")
      signal.moved(main)
      assert.deepStrictEqual(yield* told, [6, 7], "a signal had no transitions")
      yield* commit("eight")
      signal.missed()
      assert.deepStrictEqual(yield* told, [8], "a signal named no run")
    })
  )
})

describe("CommitSignal", () => {
  it.effect("reports the runs that have moved since it was taken, and wakes no reader for other runs", () =>
    Effect.gen(function* () {
      const signal = CommitSignal.make()
      const follower = yield* signal.follow((run) => run.tenant === main.tenant)
      const isMoving = Effect.map(Effect.timeoutOption(follower.moving, 0), Option.isSome)
      signal.moved(Run.make("main", "elsewhere"))
      assert.deepStrictEqual(follower.take(), [])
      signal.moved(main)
      signal.moved(main)
      assert.isTrue(yield* isMoving)
      assert.isTrue(yield* isMoving, "nothing is lost by waiting without taking")
      assert.deepStrictEqual(follower.take(), [{ run: main, committed: undefined }])
      signal.missed()
      signal.moved(main)
      assert.strictEqual(follower.take(), "any")
    }).pipe(Effect.scoped)
  )

  it.effect("hands over few transitions, and none of a run that another one follows by name alone", () =>
    Effect.gen(function* () {
      const signal = CommitSignal.make()
      const keeping = yield* signal.follow(() => true, { keeps: true })
      const other = yield* signal.follow(() => true)
      const { transitions } = SampleCommits.commit({
        run: main,
        head: HashChain.genesis(main),
        drafts: Array.from({ length: 200 }, (_, at) => SampleCommits.noted(`${at}`))
      })
      for (const each of transitions.slice(0, 3)) signal.moved(main, [each])
      assert.deepStrictEqual(keeping.take(), [{ run: main, committed: transitions.slice(0, 3) }])
      assert.deepStrictEqual(other.take(), [{ run: main, committed: undefined }])
      for (const each of transitions) signal.moved(main, [each])
      assert.deepStrictEqual(keeping.take(), [{ run: main, committed: undefined }])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the names of so many runs alone for one that sleeps", () =>
    Effect.gen(function* () {
      const signal = CommitSignal.make()
      const follower = yield* signal.follow(() => true)
      for (let index = 0; index < 100_000; index++) signal.moved(Run.make(`run-${index}`))
      assert.strictEqual(follower.take(), "any")
    }).pipe(Effect.scoped)
  )
})
