import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as SqlTraceStore from "../src/SqlTraceStore.ts"
import * as Sqlite from "../src/sqlite/Sqlite.ts"
import * as SqliteStatements from "../src/sqlite/SqliteStatements.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"
import { startProcess, temporaryFile } from "./temporary.ts"

const run = Run.make("main")

describe("Sqlite", () => {
  it.effect("flushes every commit, and never waits inside the driver (decision 0044)", () =>
    Effect.gen(function* () {
      const connection = Sqlite.open(yield* temporaryFile)
      yield* Effect.addFinalizer(() => Effect.sync(connection.close))
      const pragma = (name: string) => Object.values(connection.get({ name, sql: `pragma ${name}` }, [])!)[0]
      assert.strictEqual(pragma("synchronous"), 2)
      assert.strictEqual(pragma("journal_mode"), "wal")
      assert.strictEqual(pragma("busy_timeout"), 0)
      connection.reopen()
      assert.strictEqual(pragma("synchronous"), 2)
      assert.strictEqual(pragma("busy_timeout"), 0)
    })
  )

  it.effect("makes a file and logs that its owner alone can read, and does not change an existing file", () =>
    Effect.gen(function* () {
      const modes = (filename: string) =>
        ["", "-wal", "-shm"].map((end) => (Fs.statSync(`${filename}${end}`).mode & 0o777).toString(8))
      const filename = yield* temporaryFile
      const connection = Sqlite.openMigrated(filename)
      yield* Effect.addFinalizer(() => Effect.sync(connection.close))
      assert.deepStrictEqual(modes(filename), ["600", "600", "600"])
      const shared = yield* temporaryFile
      Fs.writeFileSync(shared, "")
      Fs.chmodSync(shared, 0o660)
      const other = Sqlite.openMigrated(shared)
      yield* Effect.addFinalizer(() => Effect.sync(other.close))
      assert.strictEqual(modes(shared)[0], "660")
    })
  )

  it.effect("does not change a database of another program, and names the owner of its tables", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const theirs = new DatabaseSync(filename)
      theirs.exec("create table customers (id integer primary key); pragma user_version = 2")
      theirs.close()
      const before = Fs.readFileSync(filename)
      const error = yield* Effect.flip(SqliteTraceStore.make({ filename }))
      assert.include(error.message, "it is a database of something else, with the tables customers")
      assert.deepStrictEqual(Fs.readFileSync(filename), before)
    })
  )

  it.effect("writes in pages that kilobytes fit, over a log that stays short", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const store = yield* SqliteTraceStore.make({ filename })
      const text = "x".repeat(1000)
      let head = yield* SampleCommits.write(store, run, SampleCommits.began)
      for (let commit = 0; commit < 50; commit++) {
        const drafts = Array.from({ length: 64 }, (_, index) => SampleCommits.noted(`${commit}/${index} ${text}`))
        head = yield* store.append(SampleCommits.commit({ run, head, drafts }))
      }
      // Three megabytes of rows went through it.
      assert.isBelow(Fs.statSync(`${filename}-wal`).size, 3 << 20)
      const database = new DatabaseSync(filename)
      assert.deepEqual({ ...database.prepare("pragma page_size").get() }, { page_size: 8192 })
      database.close()
    })
  )

  it.live("waits for another process without stopping the event loop, and then commits", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const store = yield* SqliteTraceStore.make({ filename })
      const other = yield* startProcess("holdLock.ts", filename)
      yield* other.until((output) => output.includes("held"))
      let turns = 0
      const beat = setInterval(() => void turns++, 5)
      const append = yield* Effect.forkChild(SampleCommits.write(store, run, SampleCommits.began))
      yield* Effect.sleep("300 millis")
      clearInterval(beat)
      assert.isAbove(turns, 10)
      assert.isUndefined(append.pollUnsafe())
      // Readers are not held up by a writer.
      assert.isUndefined(yield* store.info(run))
      other.child.stdin.write("x")
      assert.strictEqual((yield* Fiber.join(append)).tick, 1)
    })
  )

  it.live("answers `locked` when another process holds on for too long, and loses nothing", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const store = yield* SqliteTraceStore.make({ filename, lockTimeoutMillis: 150 })
      yield* SampleCommits.write(store, run, SampleCommits.began)
      const other = yield* startProcess("holdLock.ts", filename)
      yield* other.until((output) => output.includes("held"))
      const write = SampleCommits.write(store, run, SampleCommits.noted("late"))
      const refused = yield* Effect.flip(write)
      assert.include(refused, { _tag: "TraceStoreError", operation: "append", reason: "locked", isRetryable: true })
      assert.match(refused.message, /another process has held its lock/)
      assert.strictEqual((yield* store.read(run)).length, 1)
      other.child.stdin.write("x")
      yield* other.ended
      assert.strictEqual((yield* write).tick, 2)
    })
  )

  it.effect("answers `full` when the disk is full, keeps what was acknowledged, and goes on when there is room", () =>
    Effect.gen(function* () {
      const connection = Sqlite.open(yield* temporaryFile)
      yield* Effect.addFinalizer(() => Effect.sync(connection.close))
      Sqlite.migrate(connection)
      const store = yield* SqliteTraceStore.fromConnection(connection, { lockTimeoutMillis: 100 })
      yield* SampleCommits.write(store, run, SampleCommits.began)
      const pragma = (name: string) => connection.get<Record<string, number>>({ name, sql: `pragma ${name}` }, [])!
      const pages = pragma("page_count")["page_count"]!
      pragma(`max_page_count = ${pages + 20}`)
      let kept = yield* store.read(run)
      const fill = Effect.gen(function* () {
        while (true) {
          kept = yield* store.read(run)
          yield* SampleCommits.write(store, run, SampleCommits.noted("x".repeat(5000)), SampleCommits.noted("and more"))
        }
      })
      const refused = yield* Effect.flip(fill)
      assert.include(refused, { _tag: "TraceStoreError", reason: "full", isRetryable: false })
      assert.isAbove(kept.length, 3)
      assert.deepStrictEqual(yield* store.read(run), kept)
      // The limit went with the old connection, as if space had been freed.
      const head = yield* SampleCommits.write(store, run, SampleCommits.noted("x".repeat(50_000)))
      assert.deepStrictEqual(HashChain.verify(HashChain.genesis(run), yield* store.read(run)), Result.succeed(head))
    })
  )

  for (const [what, put] of [
    ["removed", () => {}],
    ["replaced by a copy of it", (copy: string, filename: string) => Fs.copyFileSync(copy, filename)]
  ] as const) {
    it.effect(`acknowledges nothing once the file was ${what}, and goes on when it is back`, () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        const store = yield* SqliteTraceStore.make({ filename })
        const notes = yield* SqliteStatements.make({ filename }, "notes")
        yield* SampleCommits.write(store, run, SampleCommits.began)
        Fs.copyFileSync(filename, `${filename}.copy`)
        const aside = (from: string, to: string) => {
          for (const part of ["", "-wal", "-shm"]) if (Fs.existsSync(from + part)) Fs.renameSync(from + part, to + part)
        }
        aside(filename, `${filename}.aside`)
        put(`${filename}.copy`, filename)
        for (let tries = 0; tries < 2; tries++) {
          const refused = yield* Effect.flip(SampleCommits.write(store, run, SampleCommits.noted("late")))
          assert.include(refused, { _tag: "TraceStoreError", reason: "replaced", isRetryable: false, isOutage: true })
          assert.match(refused.message, /it was moved, removed or replaced/)
        }
        // A statement of another port is refused as well, so a server is not ready.
        const look = { name: "look", sql: "select 1" }
        assert.include(yield* Effect.flip(notes.all(look, [])), { reason: "replaced" })
        assert.strictEqual(Fs.existsSync(filename), what !== "removed")
        aside(`${filename}.aside`, filename)
        assert.lengthOf(yield* notes.all(look, []), 1)
        const head = yield* SampleCommits.write(store, run, SampleCommits.noted("again"))
        assert.deepStrictEqual(HashChain.verify(HashChain.genesis(run), yield* store.read(run)), Result.succeed(head))
      })
    )
  }

  it.effect("refuses a whole group that fills the disk, keeps nothing of it, and makes each when it is repeated", () =>
    Effect.gen(function* () {
      const connection = Sqlite.open(yield* temporaryFile)
      yield* Effect.addFinalizer(() => Effect.sync(connection.close))
      Sqlite.migrate(connection)
      const store = yield* SqliteTraceStore.fromConnection(connection, { lockTimeoutMillis: 100 })
      const pragma = (name: string) => connection.get<Record<string, number>>({ name, sql: `pragma ${name}` }, [])!
      pragma(`max_page_count = ${pragma("page_count")["page_count"]! + 10}`)
      const group = Effect.forEach(
        [10, 100_000, 20],
        (size) =>
          Effect.result(SampleCommits.write(store, Run.make(`run-${size}`), SampleCommits.noted("x".repeat(size)))),
        { concurrency: "unbounded" }
      )
      for (const answer of yield* group) assert.include(Result.isFailure(answer) && answer.failure, { reason: "full" })
      assert.deepStrictEqual(yield* store.runs(run.tenant), [])
      assert.isTrue((yield* group).every(Result.isSuccess))
      assert.strictEqual((yield* store.runs(run.tenant)).length, 3)
    })
  )

  it.effect("answers `corrupt` for a file that is no database, and leaves it alone", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      Fs.writeFileSync(filename, "this is a letter, and quite a long one ".repeat(100))
      const refused = yield* Effect.flip(SqliteTraceStore.make({ filename }))
      assert.include(refused, { operation: "open", reason: "corrupt", store: filename })
      assert.match(Fs.readFileSync(filename, "utf8"), /^this is a letter/)
    })
  )

  it.effect("reads a file if nothing can be written, and says so of a commit", () =>
    Effect.gen(function* () {
      const filename = `${yield* temporaryFile}?#%.db`
      const written = yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteTraceStore.make({ filename })
          yield* SampleCommits.write(store, run, SampleCommits.began)
          return yield* store.read(run)
        })
      )
      // In the place of the index of its log, which cannot be made then, as on a disk that can only be read.
      Fs.mkdirSync(`${filename}-shm`)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SqliteTraceStore.make({ filename })
          assert.deepStrictEqual(yield* store.read(run), written)
          const refused = yield* Effect.flip(SampleCommits.write(store, run, SampleCommits.noted("late")))
          assert.deepInclude(refused, { _tag: "TraceStoreError", operation: "append", reason: "readonly" })
          assert.include(refused.message, "can only be read. Permit writing, or copy it")
        })
      )
    })
  )

  it.effect("creates the folder of its file", () =>
    Effect.gen(function* () {
      const filename = `${yield* temporaryFile}/deep/down/traces.db`
      yield* SqliteTraceStore.make({ filename })
      assert.isTrue(Fs.existsSync(filename))
    })
  )

  it.effect("keeps its file when the process changes its working directory", () =>
    Effect.gen(function* () {
      const [folder, other] = [Path.dirname(yield* temporaryFile), Path.dirname(yield* temporaryFile)]
      const mover = yield* startProcess("moveAway.ts", folder, other)
      yield* mover.ended
      assert.deepInclude(mover.written, { output: "2 ticks\n" })
      assert.isTrue(Fs.existsSync(Path.join(folder, "traces.db")))
      assert.deepStrictEqual(Fs.readdirSync(other), [])
    })
  )

  it.effect("sees the commits of another connection to the same file, and refuses stale ones", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const [left, right] = [yield* SqliteTraceStore.make({ filename }), yield* SqliteTraceStore.make({ filename })]
      const head = yield* SampleCommits.write(left, run, SampleCommits.began, SampleCommits.started("a", "seat"))
      assert.deepStrictEqual((yield* right.info(run))?.head, head)
      yield* SampleCommits.write(right, run, SampleCommits.noted("theirs"))
      const stale = SampleCommits.commit({ run, head, drafts: [SampleCommits.noted("mine")] })
      assert.include(yield* Effect.flip(left.append(stale)), { _tag: "TickConflict", actual: 3 })
      const refused = yield* Effect.flip(
        SampleCommits.write(right, Run.make("other"), SampleCommits.started("b", "seat"))
      )
      assert.strictEqual(refused._tag, "ClaimRefused")
    })
  )

  it.effect("refuses ticks beyond the limit of a run, and ticks that do not follow", () =>
    Effect.gen(function* () {
      const store = yield* TraceStore
      const head = { ...HashChain.genesis(run), tick: 2 ** 24 - 1 }
      const beyond = yield* Effect.flip(
        store.append(SampleCommits.commit({ run, head, drafts: [SampleCommits.began] }))
      )
      assert.match(beyond.message, /16777215 transitions at most/)
      const { transitions, ...rest } = SampleCommits.commit({
        run,
        head: HashChain.genesis(run),
        drafts: [SampleCommits.began]
      })
      const gap = { ...rest, transitions: [{ ...transitions[0]!, tick: 2 }] }
      assert.match((yield* Effect.flip(store.append(gap))).message, /tick 2 stands where tick 1 has to follow/)
      assert.isUndefined(yield* store.info(run))
    }).pipe(Effect.provide(SqlTraceStore.layerSqlite({ filename: ":memory:" })))
  )

  it.effect("stores one transition in little more than its own bytes", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const drafts = Array.from({ length: 2000 }, (_, index) => SampleCommits.noted(`${index} ${"x".repeat(800)}`))
      const commit = SampleCommits.commit({ run, head: HashChain.genesis(run), drafts })
      yield* Effect.scoped(Effect.flatMap(SqliteTraceStore.make({ filename }), (store) => store.append(commit)))
      const text = commit.transitions.reduce(
        (sum, { body, envelope, stamp }) => sum + body.length + envelope.length + stamp.length,
        0
      )
      assert.isBelow(Fs.statSync(filename).size / text, 1.25)
      const plain = new DatabaseSync(filename, { readOnly: true })
      assert.deepEqual(
        plain.prepare("pragma integrity_check").get(),
        Object.assign(Object.create(null), { integrity_check: "ok" })
      )
      plain.close()
    })
  )
})
