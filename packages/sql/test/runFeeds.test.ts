import { suite } from "@backstitch/conformance/RunFeedSuite"
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type * as RunFeed from "@backstitch/trace/RunFeed"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import * as Sqlite from "../src/sqlite/Sqlite.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"
import { freshSchema, postgresUrl, startProcess, temporaryFile } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
const sqlitePair = Effect.gen(function* () {
  const filename = yield* temporaryFile
  return { writer: yield* SqliteTraceStore.make({ filename }), reader: yield* SqliteTraceStore.make({ filename }) }
})

const postgresPair = Effect.gen(function* () {
  const options = { url: postgresUrl(), schema: yield* freshSchema }
  return { writer: yield* PostgresTraceStore.make(options), reader: yield* PostgresTraceStore.make(options) }
})

suite("SQLite", sqlitePair)
suite("Postgres", postgresPair)

const main = Run.make("main")

const follow = (store: SampleCommits.Store, selection: RunFeed.Selection, seen: Array<RunFeed.FeedTransition>) =>
  Effect.forkChild(Stream.runForEach(store.changes(selection), (change) => Effect.sync(() => void seen.push(change))))

const ticksOf = (changes: ReadonlyArray<RunFeed.FeedTransition>): ReadonlyArray<number> =>
  changes.map(({ sealed }) => sealed.tick)

const upTo = (tick: number): ReadonlyArray<number> => Array.from({ length: tick }, (_, index) => index + 1)

/** Looks again and again; the test runner ends a test in which it never comes true. */
const until = (isSo: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!(yield* isSo)) yield* Effect.sleep(5)
  })

describe("RunFeed on SQLite", () => {
  it.live("follows a process that is killed in the middle of its commits, to the last that it made (L14)", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const store = yield* SqliteTraceStore.make({ filename })
      const seen: Array<RunFeed.FeedTransition> = []
      yield* follow(store, { tenant: main.tenant }, seen)
      const victim = yield* startProcess("appendLoop.ts", filename, main.id)
      yield* victim.until((output) => output.split("\n").length > 60)
      victim.child.kill("SIGKILL")
      yield* victim.ended
      const trace = yield* store.read(main)
      yield* until(Effect.sync(() => seen.length >= trace.length))
      assert.deepStrictEqual(
        seen.map(({ sealed }) => sealed),
        trace
      )
      const { tick } = Result.getOrThrow(HashChain.verify(HashChain.genesis(main), trace))
      assert.isAtLeast(tick, Number(victim.written.output.split("\n").at(-2)?.split(" ")[0]))
    })
  )

  it.live("leaves the log free to be copied into the file while a reader pauses", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const [writer, reader] = [yield* SqliteTraceStore.make({ filename }), yield* SqliteTraceStore.make({ filename })]
      yield* SampleCommits.write(writer, main, SampleCommits.began)
      const pull = yield* Stream.toPull(reader.changes({ run: main }))
      assert.strictEqual((yield* pull).length, 1)
      for (const tick of upTo(20)) yield* SampleCommits.write(writer, main, SampleCommits.noted(`${tick}`))
      const connection = yield* Effect.acquireRelease(
        Effect.sync(() => Sqlite.openMigrated(filename)),
        (connection) => Effect.sync(connection.close)
      )
      const query = { name: "checkpoint", sql: "pragma wal_checkpoint(truncate)" }
      assert.deepEqual(connection.all(query, []), [{ busy: 0, log: 0, checkpointed: 0 }])
      assert.strictEqual((yield* pull).length, 20)
    })
  )

  it.effect("asks the file for others' commits while a reader follows, and not otherwise", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const connection = yield* Effect.acquireRelease(
        Effect.sync(() => Sqlite.openMigrated(filename)),
        (connection) => Effect.sync(connection.close)
      )
      let asked = 0
      const version = () => {
        asked++
        return connection.version()
      }
      const store = yield* SqliteTraceStore.fromConnection({ ...connection, version }, { lockTimeoutMillis: 0 })
      const during = Effect.gen(function* () {
        const before = asked
        yield* TestClock.adjust("1 second")
        return asked - before
      })
      yield* SampleCommits.write(store, main, SampleCommits.began)
      assert.strictEqual(yield* during, 0)
      const seen: Array<RunFeed.FeedTransition> = []
      const readers = [yield* follow(store, { run: main }, seen), yield* follow(store, { tenant: main.tenant }, seen)]
      yield* TestClock.adjust("1 millis")
      assert.isAbove(asked, 0)
      const alone = yield* during
      assert.isAbove(alone, 1)
      yield* Fiber.interrupt(readers[0]!)
      assert.strictEqual(yield* during, alone, "two readers ask as often as one")
      yield* Fiber.interrupt(readers[1]!)
      assert.strictEqual(yield* during, 0)
    })
  )
})

/** Two stores on a schema, the reader's sessions by name, and the means to end them. */
const observed = Effect.gen(function* () {
  const schema = yield* freshSchema
  const options = { url: `${postgresUrl()}?application_name=${schema}`, schema }
  const writer = yield* PostgresTraceStore.make({ url: postgresUrl(), schema })
  const reader = yield* PostgresTraceStore.make(options)
  const beside = yield* Postgres.open({ ...options, connectionsMax: 2 })
  const ask = <Row>(sql: string) =>
    Effect.promise(async () => (await beside.execute<Row>({ name: "", sql }, [schema])).rows)
  const sessions = "from pg_stat_activity where application_name = $1"
  return {
    beside,
    reader,
    schema,
    writer,
    listeners: Effect.map(
      ask<{ readonly pid: number }>(`select pid ${sessions} and query = 'listen "' || $1 || '"'`),
      (rows) => rows.length
    ),
    endListeners: ask(`select pg_terminate_backend(pid) ${sessions} and query like 'listen%'`),
    endAll: ask(`select pg_terminate_backend(pid) ${sessions} and pid <> pg_backend_pid()`)
  }
})

describe("RunFeed on Postgres", () => {
  it.live("goes on if the server ends the connection that listens", () =>
    Effect.gen(function* () {
      const { endListeners, listeners, reader, writer } = yield* observed
      const seen: Array<RunFeed.FeedTransition> = []
      yield* follow(reader, { tenant: main.tenant }, seen)
      for (const round of upTo(3)) {
        yield* until(Effect.map(listeners, (count) => count === 1))
        yield* endListeners
        yield* SampleCommits.write(writer, main, SampleCommits.noted(`${round}`))
      }
      yield* until(Effect.sync(() => seen.length >= 3))
      assert.deepStrictEqual(ticksOf(seen), [1, 2, 3])
    })
  )

  it.live("fails as a read does where every connection is ended, and is resumed from where it was", () =>
    Effect.gen(function* () {
      const { endAll, reader, writer } = yield* observed
      const seen: Array<RunFeed.FeedTransition> = []
      const following = Effect.gen(function* () {
        while (true) {
          const from = new Map(seen.map(({ run, sealed }) => [run.id, sealed.tick + 1]))
          const feed = Stream.runForEach(reader.changes({ tenant: main.tenant, from }), (change) =>
            Effect.sync(() => void seen.push(change))
          )
          assert.include(yield* Effect.flip(feed), { reason: "lost", isRetryable: true })
        }
      })
      yield* Effect.forkChild(following)
      for (const round of upTo(60)) {
        yield* SampleCommits.write(writer, main, SampleCommits.noted(`${round}`))
        if (round % 10 === 0) yield* endAll
      }
      yield* until(Effect.sync(() => seen.length >= 60))
      assert.deepStrictEqual(ticksOf(seen), upTo(60))
    })
  )

  it.live("finds the commits of a process that is killed before it can announce them", () =>
    Effect.gen(function* () {
      const { reader, schema } = yield* observed
      const seen: Array<RunFeed.FeedTransition> = []
      yield* follow(reader, { tenant: main.tenant }, seen)
      const victim = yield* startProcess("commitUntold.ts", postgresUrl(), schema, main.id)
      yield* victim.until((output) => output.includes("2\n"))
      victim.child.kill("SIGKILL")
      yield* victim.ended
      yield* until(Effect.sync(() => seen.length >= 2))
      assert.deepStrictEqual(ticksOf(seen), [1, 2])
    })
  )

  it.live("announces commits if somebody listens, and sends nothing if nobody does", () =>
    Effect.gen(function* () {
      const { beside, listeners, reader } = yield* observed
      const heard: Array<boolean> = []
      const notify = async (payload: string) => {
        const isHeard = await beside.notify(payload)
        heard.push(isHeard)
        return isHeard
      }
      const said = (store: SampleCommits.Store, note: string) =>
        Effect.andThen(
          SampleCommits.write(store, main, SampleCommits.noted(note)),
          until(Effect.sync(() => heard.length > 0))
        )
      yield* said(yield* PostgresTraceStore.fromConnections({ ...beside, notify }), "one")
      assert.deepStrictEqual(heard.splice(0), [false])
      const seen: Array<RunFeed.FeedTransition> = []
      yield* follow(reader, { run: main }, seen)
      yield* until(Effect.map(listeners, (count) => count === 1))
      yield* said(yield* PostgresTraceStore.fromConnections({ ...beside, notify }), "two")
      assert.deepStrictEqual(heard, [true])
    })
  )

  it.live("wakes a reader by an announcement alone", () =>
    Effect.gen(function* () {
      const { beside, listeners, writer } = yield* observed
      const never = new Promise<never>(() => undefined)
      const deaf: Postgres.Postgres = {
        ...beside,
        execute: (query, values) => (query.name === "current-snapshot" ? never : beside.execute(query, values))
      }
      const seen: Array<RunFeed.FeedTransition> = []
      yield* follow(yield* PostgresTraceStore.fromConnections(deaf), { tenant: main.tenant }, seen)
      yield* until(Effect.map(listeners, (count) => count === 1))
      for (const tick of upTo(3)) {
        yield* SampleCommits.write(writer, main, SampleCommits.noted(`${tick}`))
        yield* until(Effect.sync(() => seen.length >= tick))
      }
      assert.deepStrictEqual(ticksOf(seen), [1, 2, 3])
    })
  )

  it.live("tells a commit that was begun before another and made after it", () =>
    Effect.gen(function* () {
      const { beside, reader, writer } = yield* observed
      const seen: Array<RunFeed.FeedTransition> = []
      yield* follow(reader, { tenant: main.tenant }, seen)
      const [begunFirst, madeFirst] = [Run.make("begun-first"), Run.make("made-first")]
      let release: () => void = () => undefined
      const isReleased = new Promise<void>((resolve) => {
        release = resolve
      })
      let reached: () => void = () => undefined
      const isReached = new Promise<void>((resolve) => {
        reached = resolve
      })
      // Its rows have their keys, and nobody sees them yet.
      const late = yield* PostgresTraceStore.fromConnections({
        ...beside,
        transaction: (body, commits) =>
          beside.transaction(async (execute) => {
            const answer = await body(execute)
            reached()
            await isReleased
            return answer
          }, commits)
      })
      const writing = yield* Effect.forkChild(
        SampleCommits.write(late, begunFirst, SampleCommits.began, SampleCommits.noted("1"))
      )
      yield* Effect.promise(() => isReached)
      yield* SampleCommits.write(writer, madeFirst, SampleCommits.began)
      yield* until(Effect.sync(() => seen.length > 0))
      assert.deepStrictEqual(
        seen.map(({ run }) => run.id),
        [madeFirst.id]
      )
      release()
      yield* Fiber.join(writing)
      yield* until(Effect.sync(() => seen.length >= 3))
      assert.deepStrictEqual(
        seen.slice(1).map(({ run, sealed }) => `${run.id}@${sealed.tick}`),
        ["begun-first@1", "begun-first@2"]
      )
    })
  )

  it.live("listens on one connection while somebody follows, and on none a while after", () =>
    Effect.gen(function* () {
      const { listeners, reader } = yield* observed
      assert.strictEqual(yield* listeners, 0)
      const seen: Array<RunFeed.FeedTransition> = []
      const readers = yield* Effect.forEach(upTo(5), () => follow(reader, { run: main }, seen))
      yield* until(Effect.map(listeners, (count) => count === 1))
      for (const fiber of readers.slice(1)) yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* listeners, 1)
      yield* Fiber.interrupt(readers[0]!)
      yield* until(Effect.map(listeners, (count) => count === 0))
    })
  )
})
