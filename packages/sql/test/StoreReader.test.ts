import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Queries from "../src/queries/Queries.ts"
import * as StoreReader from "../src/queries/StoreReader.ts"
import * as Sqlite from "../src/sqlite/Sqlite.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"

const [root, child, grandchild] = ["root", "child", "grandchild"].map((id) => Run.make(id)) as [
  Run.Run,
  Run.Run,
  Run.Run
]

/** A store, and a reader beside it that counts the statements it sends and the rows it is answered. */
const observedWith = Effect.fnUntraced(function* (runsMax?: number) {
  const connection = Sqlite.open(":memory:")
  yield* Effect.addFinalizer(() => Effect.sync(connection.close))
  Sqlite.migrate(connection)
  const store = yield* SqliteTraceStore.fromConnection(connection, { lockTimeoutMillis: 0 })
  const sent: Array<{ readonly name: string; readonly rows: number }> = []
  const select: StoreReader.Select = (_operation, query, values) =>
    Effect.sync(() => {
      const rows = connection.all(query, values)
      sent.push({ name: query.name, rows: rows.length })
      return rows
    })
  const reader = StoreReader.make(Queries.make("sqlite"), ":memory:", select, runsMax)
  return { connection, reader, sent, store }
})

const observed = observedWith()

describe("StoreReader", () => {
  it.effect("reads long traces in pages of 512", () =>
    Effect.gen(function* () {
      const { reader, sent, store } = yield* observed
      const drafts = Array.from({ length: 1300 }, (_, index) => SampleCommits.noted(`${index}`))
      yield* store.append(SampleCommits.commit({ run: root, head: HashChain.genesis(root), drafts }))
      assert.strictEqual((yield* reader.read(root)).length, 1300)
      const pages = sent.filter(({ name }) => name === "transitions").map(({ rows }) => rows)
      assert.deepStrictEqual(pages, [512, 512, 276])
    })
  )

  it.effect("asks about a run again, once it has read as many others as it remembers", () =>
    Effect.gen(function* () {
      const { reader, sent, store } = yield* observedWith(2)
      const others = [Run.make("root", "other"), Run.make("third")]
      for (const run of [root, ...others]) yield* SampleCommits.write(store, run, SampleCommits.noted(run.tenant))
      for (const run of [root, root, ...others]) yield* reader.read(run)
      assert.isUndefined(reader.remembered(root))
      assert.strictEqual((yield* reader.read(root)).length, 1)
      assert.isDefined(reader.remembered(root))
      assert.strictEqual(sent.filter(({ name }) => name === "find-run").length, 4)
    })
  )

  it.effect("asks where a run came from once, and only for ancestors that a range needs to know", () =>
    Effect.gen(function* () {
      const { reader, sent, store } = yield* observed
      yield* SampleCommits.write(store, root, ...["1", "2", "3", "4"].map(SampleCommits.noted))
      yield* SampleCommits.fork(store, child, { from: root, at: 3 })
      yield* SampleCommits.fork(store, grandchild, { from: child, at: 2 })
      assert.strictEqual((yield* reader.read(grandchild)).length, 3)
      sent.length = 0
      assert.strictEqual((yield* reader.read(grandchild, { from: 3 })).length, 1)
      assert.deepStrictEqual(
        sent.map(({ name }) => name),
        ["transitions"]
      )
    })
  )

  it.effect("cuts a history into the ticks that each run committed itself", () =>
    Effect.gen(function* () {
      const { reader, store } = yield* observed
      yield* SampleCommits.write(store, root, ...["1", "2", "3", "4"].map(SampleCommits.noted))
      yield* SampleCommits.fork(store, child, { from: root, at: 3 })
      yield* SampleCommits.fork(store, grandchild, { from: child, at: 2 })
      const segments = Effect.fnUntraced(function* (run: Run.Run) {
        const found = yield* reader.segments("read", (yield* reader.origin("read", run))!)
        return found.map(({ first, id, last }) => [id, first, Math.min(last, 99)])
      })
      assert.deepStrictEqual(yield* segments(child), [
        [1, 1, 3],
        [2, 4, 99]
      ])
      assert.deepStrictEqual(yield* segments(grandchild), [
        [1, 1, 2],
        [3, 3, 99]
      ])
      assert.isUndefined(yield* reader.origin("read", Run.make("nobody")))
    })
  )

  it.effect("refuses a row whose parent cannot be its parent instead of reading in circles (L3)", () =>
    Effect.gen(function* () {
      for (const parent of [2, 3, 9]) {
        const { connection, store } = yield* observed
        yield* SampleCommits.write(store, root, ...["1", "2"].map(SampleCommits.noted))
        yield* SampleCommits.fork(store, child, { from: root, at: 1 })
        yield* SampleCommits.fork(store, grandchild, { from: child, at: 2 })
        connection.run({ name: "damage", sql: "update run set parent = ? where name = 'child'" }, [parent])
        const fresh = yield* SqliteTraceStore.fromConnection(connection, { lockTimeoutMillis: 0 })
        for (const error of [
          yield* Effect.flip(fresh.info(child)),
          yield* Effect.flip(fresh.read(grandchild)),
          yield* Effect.flip(fresh.runs(child.tenant))
        ]) {
          assert.strictEqual(error.reason, "corrupt")
          assert.include(error.message, ":memory:")
        }
        assert.strictEqual((yield* fresh.read(root)).length, 2)
      }
    })
  )
})
