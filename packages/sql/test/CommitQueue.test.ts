import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Sqlite from "../src/sqlite/Sqlite.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"
import { temporaryFile } from "./temporary.ts"

const runs = Array.from({ length: 16 }, (_, index) => Run.make(`run-${index}`))

/** A store whose connection counts, and can be made to fail. */
const observed = Effect.gen(function* () {
  const connection = Sqlite.open(yield* temporaryFile)
  yield* Effect.addFinalizer(() => Effect.sync(connection.close))
  Sqlite.migrate(connection)
  const counts = { commits: 0, savepoints: 0, reopened: 0 }
  const fails: { nextCommit?: Error | undefined; nextRollback?: Error | undefined } = {}
  const store = yield* SqliteTraceStore.fromConnection(
    {
      ...connection,
      savepoint: () => {
        counts.savepoints++
        connection.savepoint()
      },
      reopen: () => {
        counts.reopened++
        connection.reopen()
      },
      commit: () => {
        counts.commits++
        const failure = fails.nextCommit
        fails.nextCommit = undefined
        if (failure !== undefined) throw failure
        connection.commit()
      },
      rollback: () => {
        const failure = fails.nextRollback
        fails.nextRollback = undefined
        if (failure !== undefined) throw failure
        connection.rollback()
      }
    },
    { lockTimeoutMillis: 100 }
  )
  return { connection, counts, fails, store }
})

const together = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(effects, Effect.result, { concurrency: "unbounded" })

describe("CommitQueue", () => {
  it.effect("makes the concurrent appends of 16 runs durable with one commit (decision 0044)", () =>
    Effect.gen(function* () {
      const { counts, store } = yield* observed
      const first = runs.map((run) =>
        store.append(SampleCommits.commit({ run, head: HashChain.genesis(run), drafts: [SampleCommits.began] }))
      )
      assert.isTrue((yield* together(first)).every(Result.isSuccess))
      assert.strictEqual(counts.commits, 1)

      const steps = Effect.fnUntraced(function* (run: Run.Run) {
        for (const step of [1, 2, 3, 4]) yield* SampleCommits.write(store, run, SampleCommits.noted(`${step}`))
      })
      yield* Effect.forEach(runs, steps, { concurrency: "unbounded" })
      assert.isAtMost(counts.commits, 1 + 6)
      for (const run of runs) assert.strictEqual((yield* store.read(run)).length, 5)
    })
  )

  it.effect("commits a single append by itself, without a savepoint", () =>
    Effect.gen(function* () {
      const { counts, store } = yield* observed
      for (const run of runs) yield* SampleCommits.write(store, run, SampleCommits.began)
      assert.include(counts, { commits: 16, savepoints: 0 })
    })
  )

  it.live("gathers the appends of runs that have something else to do between two of them", () =>
    Effect.gen(function* () {
      const { counts, store } = yield* observed
      const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      const steps = Effect.fnUntraced(function* (run: Run.Run, at: number) {
        for (let wait = 0; wait < at; wait++) yield* turn
        yield* SampleCommits.write(store, run, SampleCommits.began)
        for (const step of [1, 2, 3, 4]) {
          yield* turn
          yield* SampleCommits.write(store, run, SampleCommits.noted(`${step}`))
        }
      })
      yield* Effect.forEach(runs, steps, { concurrency: "unbounded" })
      // Each by itself, they were 80 commits.
      assert.isAtMost(counts.commits, 40)
      for (const run of runs) assert.strictEqual((yield* store.read(run)).length, 5)
    })
  )

  it.effect("refuses one of a group and keeps the others", () =>
    Effect.gen(function* () {
      const { counts, store } = yield* observed
      const [holder, rival, stale, bystander, ...others] = runs as [
        Run.Run,
        Run.Run,
        Run.Run,
        Run.Run,
        ...Array<Run.Run>
      ]
      yield* SampleCommits.write(store, holder, SampleCommits.started("a", "seat"))
      const at = HashChain.genesis
      const answers = yield* together([
        store.append(
          SampleCommits.commit({ run: bystander, head: at(bystander), drafts: [SampleCommits.started("b", "other")] })
        ),
        store.append(
          SampleCommits.commit({
            run: rival,
            head: at(rival),
            drafts: [SampleCommits.noted("1"), SampleCommits.started("b", "seat")]
          })
        ),
        store.append(SampleCommits.commit({ run: stale, head: at(rival), drafts: [SampleCommits.noted("1")] })),
        ...others.map((run) =>
          store.append(SampleCommits.commit({ run, head: at(run), drafts: [SampleCommits.began] }))
        )
      ])
      assert.strictEqual(counts.commits, 2)
      const tags = answers.map((answer) => (Result.isSuccess(answer) ? "kept" : answer.failure._tag))
      assert.deepStrictEqual(tags, ["kept", "ClaimRefused", "TickConflict", ...others.map(() => "kept")])
      assert.isUndefined(yield* store.info(rival))
      assert.isUndefined(yield* store.info(stale))
      assert.strictEqual((yield* store.runs(holder.tenant)).length, 2 + others.length)
    })
  )

  it.effect("refuses a whole group whose commit and rollback fail, opens the file anew, and goes on", () =>
    Effect.gen(function* () {
      const { counts, fails, store } = yield* observed
      yield* SampleCommits.write(store, runs[0]!, SampleCommits.began)
      fails.nextRollback = new Error("cannot rollback")
      fails.nextCommit = Object.assign(new Error("disk I/O error"), { errcode: 1034 })
      const appends = runs
        .slice(1)
        .map((run) =>
          store.append(SampleCommits.commit({ run, head: HashChain.genesis(run), drafts: [SampleCommits.began] }))
        )
      for (const answer of yield* together(appends)) {
        assert.include(Result.isFailure(answer) && answer.failure, { _tag: "TraceStoreError", reason: "disk" })
      }
      assert.strictEqual(counts.reopened, 1)
      assert.strictEqual((yield* store.runs(runs[0]!.tenant)).length, 1)
      assert.isTrue((yield* together(appends)).every(Result.isSuccess))
      assert.strictEqual((yield* store.runs(runs[0]!.tenant)).length, 16)
    })
  )

  it.effect("forgets a write whose fiber was interrupted before the leader took it", () =>
    Effect.gen(function* () {
      const { counts, store } = yield* observed
      const fiber = yield* Effect.forkChild(SampleCommits.write(store, runs[0]!, SampleCommits.began), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      yield* SampleCommits.write(store, runs[1]!, SampleCommits.began)
      assert.isUndefined(yield* store.info(runs[0]!))
      assert.strictEqual(counts.commits, 1)
    })
  )

  it.effect("lets timers run while it commits without a pause", () =>
    Effect.gen(function* () {
      const { store } = yield* observed
      let turns = 0
      const beat = setInterval(() => void turns++, 1)
      for (let index = 0; index < 300; index++)
        yield* SampleCommits.write(store, runs[0]!, SampleCommits.noted(`${index}`))
      clearInterval(beat)
      assert.isAbove(turns, 2)
    })
  )
})
