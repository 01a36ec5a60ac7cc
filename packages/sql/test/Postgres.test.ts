import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Limits from "../src/Limits.ts"
import * as Postgres from "../src/postgres/Postgres.ts"
import * as PostgresTraceStore from "../src/postgres/PostgresTraceStore.ts"
import { freshSchema, postgresUrl, startProcess } from "./temporary.ts"

const run = Run.make("main")

/** A store on one connection, and another connection beside it. The server's address is in BACKSTITCH_TEST_POSTGRES. */
const observed = Effect.gen(function* () {
  const schema = yield* freshSchema
  // The server is shared with other test files: its name tells this store's connection from all others.
  const options = { url: `${postgresUrl()}?application_name=${schema}`, schema, connectionsMax: 1 }
  const store = yield* PostgresTraceStore.make(options)
  const beside = yield* Postgres.open({ url: postgresUrl(), schema, connectionsMax: 2 })
  const ask = <Row>(sql: string, values: ReadonlyArray<unknown> = []) =>
    Effect.promise(async () => (await beside.execute<Row>({ name: "", sql }, values)).rows)
  return { ask, beside, options, store }
})

describe("Postgres", () => {
  it.live("gives a commit up, and keeps nothing of it, if others are faster with its name each time", () =>
    Effect.gen(function* () {
      const { beside, store } = yield* observed
      let tries = 0
      // A name that is held whenever it is to be taken, and free whenever its holder is looked for.
      const execute =
        (sent: Postgres.Execute): Postgres.Execute =>
        async (query, values) => {
          if (query.name === "take") tries++
          return query.name === "take" || query.name === "claim" ? { rows: [], changed: 0 } : sent(query, values)
        }
      const overtaken = yield* PostgresTraceStore.fromConnections({
        ...beside,
        transaction: (body, commits) => beside.transaction((sent) => body(execute(sent)), commits)
      })
      const refused = yield* Effect.flip(SampleCommits.write(overtaken, run, SampleCommits.began))
      assert.include(refused.message, "were faster each time")
      assert.strictEqual(tries, Limits.pacing.appendAttemptsMax)
      assert.isUndefined(yield* store.info(run))
    })
  )

  it.live("answers `lost` when the connection ends in the middle of a commit, and makes it once when repeated", () =>
    Effect.gen(function* () {
      const { ask, beside, options, store } = yield* observed
      yield* SampleCommits.write(store, run, SampleCommits.began)
      const head = yield* SampleCommits.headOf(store, run)
      const commit = SampleCommits.commit({
        run,
        head,
        drafts: [SampleCommits.noted("paid"), SampleCommits.started("a", "seat")]
      })

      // Nobody may write transitions, so the append waits inside the server, where its connection is ended.
      const refused = yield* Effect.promise(() =>
        beside.transaction(async (execute) => {
          await execute({ name: "", sql: "lock table transition in share mode" }, [])
          const append = Effect.runFork(Effect.result(store.append(commit)))
          await Effect.runPromise(waitUntilBlocked(ask, options.schema))
          await Effect.runPromise(
            ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [options.schema])
          )
          return Effect.runPromise(Fiber.join(append))
        })
      )
      assert.include(Result.isFailure(refused) && refused.failure, {
        reason: "lost",
        operation: "append",
        isRetryable: true
      })
      assert.strictEqual((yield* store.read(run)).length, 1)
      const done = yield* store.append(commit)
      assert.strictEqual(done.tick, 3)
      assert.deepStrictEqual(yield* store.append(commit), done)
      assert.deepStrictEqual(HashChain.verify(HashChain.genesis(run), yield* store.read(run)), Result.succeed(done))
    })
  )

  it.live("survives an idle connection that the server ends", () =>
    Effect.gen(function* () {
      const { ask, options, store } = yield* observed
      yield* SampleCommits.write(store, run, SampleCommits.began)
      const ended = yield* ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
        options.schema
      ])
      assert.strictEqual(ended.length, 1)
      const again = Effect.retry(SampleCommits.write(store, run, SampleCommits.noted("still here")), { times: 2 })
      assert.strictEqual((yield* again).tick, 2)
    })
  )

  it.live("answers `lost` when there is no server", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(PostgresTraceStore.make({ url: "postgres://nobody:secret@127.0.0.1:1/none" }))
      assert.include(refused, { operation: "open", reason: "lost" })
      assert.notInclude(refused.message, "secret")
    })
  )

  it.live("commits synchronously, whatever the default of the server", () =>
    Effect.gen(function* () {
      const { ask } = yield* observed
      assert.deepEqual(yield* ask("show synchronous_commit"), [{ synchronous_commit: "on" }])
    })
  )

  it.live("waits for no flush where nothing is lost by it", () =>
    Effect.gen(function* () {
      const { execute } = yield* Postgres.open({ url: postgresUrl(), schema: yield* freshSchema, isFlushed: false })
      const { rows } = yield* Effect.promise(() => execute({ name: "", sql: "show synchronous_commit" }, []))
      assert.deepEqual(rows, [{ synchronous_commit: "off" }])
    })
  )

  it.live("appends with one statement, names included, once a run has begun (decision 0044)", () =>
    Effect.gen(function* () {
      const { beside } = yield* observed
      const statements: Array<string> = []
      const counting: Postgres.Postgres = {
        ...beside,
        execute: (query, values) => {
          statements.push(query.name)
          return beside.execute(query, values)
        },
        change: (query, values, done) => {
          statements.push(query.name)
          beside.change(query, values, done)
        }
      }
      const store = yield* PostgresTraceStore.fromConnections(counting)
      let head = yield* SampleCommits.write(store, run, SampleCommits.began)
      statements.length = 0
      for (const drafts of [
        [SampleCommits.noted("1"), SampleCommits.noted("2")],
        [SampleCommits.started("a", "seat", "key")],
        [SampleCommits.settled("a", "seat"), SampleCommits.started("b", "seat", "next")],
        [SampleCommits.settled("b", "seat")]
      ]) {
        head = yield* store.append(SampleCommits.commit({ run, head, drafts }))
      }
      const [first, ...others] = statements.filter((name) => name !== "find-run")
      assert.deepStrictEqual(
        [first, ...others],
        ["append-2-0-0", "append-1-2-0", "append-2-1-0-handed", "append-1-0-1"]
      )
      assert.deepStrictEqual(
        (yield* store.claims(run.tenant)).map(({ name }) => name),
        ["key", "next", "main"]
      )
    })
  )

  it.live("takes a name that a commit hands over if the index has lost it (decision 0051)", () =>
    Effect.gen(function* () {
      const { ask, store } = yield* observed
      let head = yield* SampleCommits.write(store, run, SampleCommits.began)
      head = yield* store.append(
        SampleCommits.commit({ run, head, drafts: [SampleCommits.started("a", "seat", "key")] })
      )
      yield* ask("delete from claim where namespace = 'target'")
      const drafts = [SampleCommits.settled("a", "seat"), SampleCommits.started("b", "seat", "next")]
      yield* store.append(SampleCommits.commit({ run, head, drafts }))
      const [held] = yield* store.claims(run.tenant, { namespace: "target" })
      assert.deepInclude(held, { name: "seat", owner: "b" })
    })
  )

  it.live("lets stores in two processes race for runs and names without a deadlock that is not resolved (L7)", () =>
    Effect.gen(function* () {
      const { options } = yield* observed
      const stores = yield* Effect.all([
        PostgresTraceStore.make({ ...options, connectionsMax: 8 }),
        PostgresTraceStore.make({ ...options, connectionsMax: 8 })
      ])
      const names = ["seat/1", "seat/2", "seat/3"]
      const attempt = (index: number) => {
        const store = stores[index % 2]!
        const rival = Run.make(`rival-${index}`)
        // Half of them ask for the same names in the opposite order, in a first commit and in later ones.
        const wanted = index % 4 < 2 ? names : names.toReversed()
        const drafts = wanted.map((name) => SampleCommits.started(`${rival.id} ${name}`, name))
        const settle = names.map((name) => SampleCommits.settled(`${rival.id} ${name}`, name))
        return Effect.gen(function* () {
          if (index % 3 === 0) yield* SampleCommits.write(store, rival, SampleCommits.began)
          const answer = yield* Effect.result(SampleCommits.write(store, rival, ...drafts))
          if (Result.isSuccess(answer)) yield* SampleCommits.write(store, rival, ...settle)
          return Result.isSuccess(answer) ? "won" : answer.failure._tag
        })
      }
      const answers = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, index) => index),
        attempt,
        {
          concurrency: "unbounded"
        }
      )
      assert.includeMembers(answers, ["won"])
      assert.deepStrictEqual(
        [...new Set(answers)].filter((answer) => answer === "TraceStoreError"),
        []
      )
      assert.deepStrictEqual(yield* stores[0]!.claims(run.tenant, { namespace: "target" }), [])
    })
  )

  it.live("goes on with the connection on which the server has refused a statement", () =>
    Effect.gen(function* () {
      const { ask, options, store } = yield* observed
      const connection = () =>
        ask("select pid from pg_stat_activity where application_name = $1 order by pid", [options.schema])
      yield* SampleCommits.write(store, run, SampleCommits.began, SampleCommits.started("a", "seat"))
      yield* SampleCommits.write(store, Run.make("rival"), SampleCommits.began)
      const before = yield* connection()
      const refused = yield* Effect.flip(
        SampleCommits.write(store, Run.make("rival"), SampleCommits.started("b", "seat"))
      )
      assert.strictEqual(refused._tag, "ClaimRefused")
      assert.strictEqual((yield* SampleCommits.write(store, run, SampleCommits.noted("on"))).tick, 3)
      assert.deepStrictEqual(yield* connection(), before)
    })
  )

  it.live("refuses a commit that would leave a gap, and one that follows another link than the stored one (L1)", () =>
    Effect.gen(function* () {
      const { ask, store } = yield* observed
      const first = yield* SampleCommits.write(store, run, SampleCommits.began)
      const second = yield* SampleCommits.write(store, run, SampleCommits.noted("two"))
      // A server that was restored from a copy has lost what a process still believes in.
      yield* ask("delete from transition where id % 16777216 = 2")
      for (const drafts of [
        [SampleCommits.noted("three")],
        [SampleCommits.noted("three"), SampleCommits.started("a", "seat")],
        Array.from({ length: 9 }, (_, index) => SampleCommits.noted(`${index}`))
      ]) {
        const refused = yield* Effect.flip(store.append(SampleCommits.commit({ run, head: second, drafts })))
        assert.include(refused, { _tag: "TickConflict", expected: 2, actual: 1 })
      }
      const other = { ...first, link: second.link }
      const refused = yield* Effect.flip(
        store.append(SampleCommits.commit({ run, head: other, drafts: [SampleCommits.noted("x")] }))
      )
      assert.include(refused, { _tag: "TickConflict", expected: 1, actual: 1 })
      assert.strictEqual((yield* store.read(run)).length, 1)
      assert.deepStrictEqual(yield* store.claims(run.tenant, { namespace: "target" }), [])
      assert.strictEqual(
        (yield* store.append(SampleCommits.commit({ run, head: first, drafts: [SampleCommits.noted("two")] }))).tick,
        2
      )
    })
  )

  it.live("lets a process end that has not closed its store", () =>
    Effect.gen(function* () {
      const child = yield* startProcess("commitOnce.ts", postgresUrl(), yield* freshSchema)
      yield* child.ended
      assert.deepStrictEqual(child.written, { output: "1\n", errors: "" })
    })
  )

  it("refuses a schema name that would need quotes", () => {
    const open = Effect.scoped(Postgres.open({ url: postgresUrl(), schema: 'a"; drop' }))
    assert.throws(() => Effect.runSync(open), /cannot name a schema/)
  })
})

type Ask = <Row>(sql: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>>

const waitUntilBlocked = (ask: Ask, schema: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const waiting = yield* ask(
      "select from pg_stat_activity where wait_event_type = 'Lock' and application_name = $1",
      [schema]
    )
    if (waiting.length > 0) return
    yield* Effect.sleep("5 millis")
    yield* waitUntilBlocked(ask, schema)
  })
