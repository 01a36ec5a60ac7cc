/**
 * The requirements for the feed of every `TraceStore`, as tests.
 *
 * A package with a store calls {@link suite} with two stores on the same data: one commits and one follows, as in two
 * processes. If a second store cannot be opened, the same one is given twice.
 */
import * as Run from "@backstitch/trace/Run"
import * as RunFeed from "@backstitch/trace/RunFeed"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SampleCommits from "../store/SampleCommits.ts"

/** Two stores on the same data. */
export interface Pair {
  readonly writer: SampleCommits.Store
  readonly reader: SampleCommits.Store
}

/** Registers the suite for a store. Each test asks for a pair on new data. */
export const suite = <E>(name: string, pair: Effect.Effect<Pair, E, Scope.Scope>): void => {
  describe(`RunFeed (${name})`, () => {
    ofRun(pair)
    ofTenant(pair)
    atAnyPace(pair)
  })
}

const main = Run.make("main", "feeds")
const { tenant } = main

const notes = (count: number, word = "note") =>
  Array.from({ length: count }, (_, index) => SampleCommits.noted(`${word} ${index}`))

/** Names a change, in a form that can be compared and printed. */
const nameOf = ({ run, sealed }: RunFeed.FeedTransition): string =>
  `${run.tenant}/${run.id}@${sealed.tick} ${sealed.link}`

/** The first n changes of a selection. */
const first = (store: SampleCommits.Store, selection: RunFeed.Selection, count: number) =>
  Effect.map(Stream.runCollect(Stream.take(store.changes(selection), count)), (changes) => changes.map(nameOf))

const ticksOf = (changes: ReadonlyArray<RunFeed.FeedTransition>, run: Run.Run): ReadonlyArray<number> =>
  changes.filter((change) => Run.same(change.run, run)).map(({ sealed }) => sealed.tick)

const upTo = (tick: number, from = 1): ReadonlyArray<number> =>
  Array.from({ length: tick - from + 1 }, (_, index) => from + index)

/** Answers the positions after the given changes, from which a reader can continue. */
const positionsAfter = (changes: ReadonlyArray<RunFeed.FeedTransition>): RunFeed.Positions =>
  new Map(changes.map(({ run, sealed }) => [run.id, sealed.tick + 1]))

const ofRun = <E>(pair: Effect.Effect<Pair, E, Scope.Scope>) => {
  it.live("reports a run's transitions in order, each once, from any tick on, whoever commits them and whenever", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      yield* SampleCommits.write(writer, main, ...notes(4))
      const feeds = yield* Effect.forEach([1, 2, 4, 5, 7], (from) =>
        Effect.map(Effect.forkChild(first(reader, { run: main, from }, 9 - from)), (fiber) => ({ fiber, from }))
      )
      for (const note of notes(2)) yield* SampleCommits.write(writer, main, note)
      yield* SampleCommits.write(reader, main, ...notes(2))
      const all = (yield* writer.read(main)).map((sealed) => nameOf({ run: main, sealed }))
      for (const { fiber, from } of feeds) {
        assert.deepStrictEqual(yield* Fiber.join(fiber), all.slice(from - 1))
      }
    })
  )

  it.live("waits for a run that is still to begin, and tells nothing of one of the same name elsewhere (L15)", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      const following = yield* Effect.forkChild(first(reader, { run: main }, 2))
      yield* SampleCommits.write(writer, Run.make(main.id, "feeds-other"), ...notes(5))
      yield* SampleCommits.write(writer, Run.make("main.1", main.tenant), ...notes(5))
      yield* SampleCommits.write(writer, main, ...notes(2))
      const all = (yield* writer.read(main)).map((sealed) => nameOf({ run: main, sealed }))
      assert.deepStrictEqual(yield* Fiber.join(following), all)
    })
  )

  it.live("tells the history that a fork shares, and nothing that its parent commits later", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      const child = Run.make("child", main.tenant)
      yield* SampleCommits.write(writer, main, ...notes(5))
      yield* SampleCommits.fork(writer, child, { from: main, at: 3 })
      const following = yield* Effect.forkChild(first(reader, { run: child }, 5))
      yield* SampleCommits.write(writer, main, ...notes(3))
      yield* SampleCommits.write(writer, child, SampleCommits.noted("own"))
      const all = (yield* writer.read(child)).map((sealed) => nameOf({ run: child, sealed }))
      assert.deepStrictEqual(yield* Fiber.join(following), all)
    })
  )
}

const ofTenant = <E>(pair: Effect.Effect<Pair, E, Scope.Scope>) => {
  it.live("tells each transition of a tenant once, in the order of its run, and no other tenant's (L15)", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      const runs = Array.from({ length: 8 }, (_, index) => Run.make(`run-${index}`, main.tenant))
      const others = runs.map(({ id }) => Run.make(id, "feeds-other"))
      const commits = 12
      const work = (run: Run.Run, index: number) =>
        Effect.forEach(upTo(commits), (tick) =>
          SampleCommits.write(index % 2 === 0 ? writer : reader, run, SampleCommits.noted(`${run.id} ${tick}`))
        )
      for (const run of runs.slice(0, 3)) yield* SampleCommits.write(writer, run, SampleCommits.began)
      const total = runs.length * commits + 3
      const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(reader.changes({ tenant }), total)))
      yield* Effect.forEach([...runs, ...others], work, { concurrency: "unbounded" })
      const changes = yield* Fiber.join(following)
      for (const [index, run] of runs.entries()) {
        const trace = yield* writer.read(run)
        assert.deepStrictEqual(ticksOf(changes, run), upTo(commits + (index < 3 ? 1 : 0)))
        assert.deepStrictEqual(
          changes.filter((change) => Run.same(change.run, run)).map(nameOf),
          trace.map((sealed) => nameOf({ run, sealed }))
        )
      }
      assert.isTrue(changes.every(({ run }) => run.tenant === tenant))

      // A reader that stopped after any change continues with exactly the unseen ones.
      for (const seen of [0, 1, 7, 50, total - 1]) {
        const rest = yield* first(reader, { tenant, from: positionsAfter(changes.slice(0, seen)) }, total - seen)
        assert.sameMembers(rest, changes.slice(seen).map(nameOf))
      }
    })
  )

  it.live("reports shared transitions under the run that committed them, and each fork after them", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      // By name, a fork comes before its parent here.
      const [root, child, grandchild] = ["c", "b", "a"].map((id) => Run.make(id, main.tenant)) as [
        Run.Run,
        Run.Run,
        Run.Run
      ]
      const script = Effect.gen(function* () {
        yield* SampleCommits.write(writer, root, ...notes(4))
        yield* SampleCommits.fork(writer, child, { from: root, at: 4 })
        yield* SampleCommits.write(writer, child, ...notes(2))
        yield* SampleCommits.fork(writer, grandchild, { from: child, at: 6 })
        yield* SampleCommits.write(writer, root, ...notes(1))
      })
      const live = yield* Effect.forkChild(Stream.runCollect(Stream.take(reader.changes({ tenant }), 9)))
      yield* script
      const afterwards = yield* Stream.runCollect(Stream.take(reader.changes({ tenant }), 9))
      for (const changes of [yield* Fiber.join(live), afterwards]) {
        assert.deepStrictEqual(ticksOf(changes, root), upTo(5))
        assert.deepStrictEqual(ticksOf(changes, child), [5, 6, 7])
        assert.deepStrictEqual(ticksOf(changes, grandchild), [7])
        const places = changes.map(({ run, sealed }) => `${run.id}${sealed.tick}`)
        assert.isBelow(places.indexOf("c4"), places.indexOf("b5"))
        assert.isBelow(places.indexOf("b6"), places.indexOf("a7"))
      }
      const resumed = yield* first(reader, { tenant, from: new Map([[root.id, 5]]) }, 5)
      assert.strictEqual(new Set(resumed).size, 5)
    })
  )

  it.live("begins after all existing transitions, if it is asked to", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      yield* SampleCommits.write(writer, main, ...notes(3))
      const from = RunFeed.after(yield* reader.runs(tenant))
      const following = yield* Effect.forkChild(Stream.runCollect(Stream.take(reader.changes({ tenant, from }), 3)))
      const late = Run.make("late", main.tenant)
      yield* SampleCommits.write(writer, late, ...notes(2))
      yield* SampleCommits.write(writer, main, ...notes(1))
      const changes = yield* Fiber.join(following)
      assert.deepStrictEqual(ticksOf(changes, main), [4])
      assert.deepStrictEqual(ticksOf(changes, late), [1, 2])
    })
  )
}

const atAnyPace = <E>(pair: Effect.Effect<Pair, E, Scope.Scope>) => {
  it.live("lets writers go on while a reader pauses, which then reads everything", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      const gate = yield* Deferred.make<void>()
      yield* SampleCommits.write(writer, main, SampleCommits.began)
      for (const selection of [{ run: main }, { tenant }]) {
        const isHeld = yield* Deferred.make<void>()
        const slow = Stream.tap(Stream.take(reader.changes(selection), 700), () =>
          Effect.andThen(Deferred.succeed(isHeld, undefined), Deferred.await(gate))
        )
        const following = yield* Effect.forkChild(Stream.runCollect(slow))
        yield* Deferred.await(isHeld)
        const { tick } = yield* SampleCommits.headOf(writer, main)
        for (const _ of upTo(50)) yield* SampleCommits.write(writer, main, ...notes(7))
        // Every commit was acknowledged while the reader held its first transition.
        assert.strictEqual((yield* SampleCommits.headOf(writer, main)).tick, tick + 350)
        if (tick === 1) {
          yield* Fiber.interrupt(following)
          continue
        }
        yield* Deferred.succeed(gate, undefined)
        assert.deepStrictEqual(ticksOf(yield* Fiber.join(following), main), upTo(700))
      }
    })
  )

  it.live("tells a reader everything that asks, gives up, and asks again", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      for (const selection of [{ run: main }, { tenant }]) {
        const { tick } = yield* SampleCommits.headOf(writer, main)
        const seen: Array<number> = []
        const writing = yield* Effect.forkChild(
          Effect.forEach(upTo(30), () =>
            Effect.andThen(SampleCommits.write(writer, main, ...notes(2)), Effect.sleep(2))
          )
        )
        const pull = yield* Stream.toPull(reader.changes(selection))
        // A pull that is interrupted while there is nothing to read loses no later change.
        const asking = Effect.gen(function* () {
          while (seen.length < tick + 60) {
            const page = yield* Effect.raceFirst(pull, Effect.as(Effect.sleep(1), []))
            for (const { sealed } of page) seen.push(sealed.tick)
          }
        })
        yield* asking
        yield* Fiber.join(writing)
        assert.strictEqual(new Set(seen).size, seen.length, "told twice")
        assert.deepStrictEqual(
          seen,
          [...seen].sort((left, right) => left - right)
        )
        assert.include(seen, tick + 60)
      }
    })
  )

  it.live("serves many readers at once, and the remaining ones when others leave", () =>
    Effect.gen(function* () {
      const { reader, writer } = yield* pair
      yield* SampleCommits.write(writer, main, SampleCommits.began)
      const readers = yield* Effect.forEach(upTo(20), (index) =>
        Effect.forkChild(first(reader, index % 2 === 0 ? { run: main } : { tenant }, 6))
      )
      for (const [index, fiber] of readers.entries()) if (index % 3 === 0) yield* Fiber.interrupt(fiber)
      yield* SampleCommits.write(writer, main, ...notes(5))
      const all = (yield* writer.read(main)).map((sealed) => nameOf({ run: main, sealed }))
      for (const [index, fiber] of readers.entries()) {
        if (index % 3 !== 0) assert.deepStrictEqual(yield* Fiber.join(fiber), all)
      }
    })
  )
}
