import * as SampleCommits from "@backstitch/conformance/SampleCommits"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import { TraceStore } from "@backstitch/trace/TraceStore"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlTraceStore from "../src/SqlTraceStore.ts"
import * as SqliteTraceStore from "../src/sqlite/SqliteTraceStore.ts"
import { freshSchema, postgresUrl, startProcess, temporaryFile } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
const acknowledged = (output: string): ReadonlyArray<{ readonly tick: number; readonly link: string }> =>
  output
    .split("\n")
    .slice(0, -1)
    .map((line) => ({ tick: Number(line.split(" ")[0]), link: line.split(" ")[1]! }))

describe("SqlTraceStore", () => {
  it.live("holds every acknowledged commit, whole, when its process is killed (L14)", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const run = Run.make("victim")
      for (const enough of [5, 40, 150]) {
        const victim = yield* startProcess("appendLoop.ts", filename, run.id)
        yield* victim.until((output) => acknowledged(output).length >= enough)
        victim.child.kill("SIGKILL")
        yield* victim.ended
        const trace = yield* Effect.scoped(
          Effect.flatMap(SqliteTraceStore.make({ filename }), (store) => store.read(run))
        )
        assert.strictEqual(trace.length % 2, 0, "half a commit")
        assert.isTrue(Result.isSuccess(HashChain.verify(HashChain.genesis(run), trace)))
        const promised = acknowledged(victim.written.output)
        assert.isAtLeast(promised.length, enough)
        for (const { link, tick } of promised) assert.strictEqual(trace[tick - 1]?.link, link)
      }
    })
  )

  it.live("lets several processes append to one file, and loses nothing (L1)", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const names = ["p1", "p2", "p3"]
      const processes = yield* Effect.forEach(names, (name) => startProcess("appendLoop.ts", filename, name, "60"))
      for (const { ended } of processes) yield* ended
      const store = yield* SqliteTraceStore.make({ filename })
      for (const [index, name] of names.entries()) {
        const { errors, output } = processes[index]!.written
        assert.strictEqual(errors, "")
        const run = Run.make(name)
        const trace = yield* store.read(run)
        assert.strictEqual(trace.length, 120)
        const { link, tick } = Result.getOrThrow(HashChain.verify(HashChain.genesis(run), trace))
        assert.deepEqual({ link, tick }, acknowledged(output).at(-1))
      }
    })
  )

  it.effect("chooses the store by its address", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const run = Run.make("main")
      const write = Effect.flatMap(TraceStore, (store) => SampleCommits.write(store, run, SampleCommits.noted("x")))
      const at = (address: string) =>
        Effect.map(Effect.provide(write, SqlTraceStore.layerFromAddress(address), { local: true }), ({ tick }) => tick)
      const ticks = yield* Effect.forEach(
        [filename, `sqlite:${filename}`, `file:${filename}`, `file://${filename}`, "memory:", "memory:"],
        at
      )
      assert.deepStrictEqual(ticks, [1, 2, 3, 4, 1, 1])
    })
  )

  it.effect("keeps nothing in a store on Postgres that another schema would see", () =>
    Effect.gen(function* () {
      const run = Run.make("main")
      const url = postgresUrl()
      const write = Effect.flatMap(TraceStore, (store) => SampleCommits.write(store, run, SampleCommits.began))
      for (const schema of [yield* freshSchema, yield* freshSchema]) {
        const layer = SqlTraceStore.layerPostgres({ url, schema })
        assert.strictEqual((yield* Effect.provide(write, layer, { local: true })).tick, 1)
      }
    })
  )
})
