import { suite } from "@backstitch/conformance/LeasesSuite"
import * as Leases from "@backstitch/trace/Leases"
import * as Run from "@backstitch/trace/Run"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlLeases from "../src/SqlLeases.ts"
import { freshSchema, postgresUrl, temporaryFile } from "./temporary.ts"

/** A new file for every test. */
suite("SQLite", Layer.unwrap(Effect.map(temporaryFile, (filename) => SqlLeases.layerSqlite({ filename }))))

// The server's address is in BACKSTITCH_TEST_POSTGRES.
/** A new schema for every test. */
suite(
  "Postgres",
  Layer.unwrap(Effect.map(freshSchema, (schema) => SqlLeases.layerPostgres({ url: postgresUrl(), schema })))
)

const trip = Run.make("trip")

/** Leases over connections of their own, as another process would have them. */
const opened = (layer: ReturnType<typeof SqlLeases.layerFromAddress>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (built) => Context.get(built, Leases.Leases))

describe("SqlLeases", () => {
  it.live("are seen by every process on the file", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const layer = SqlLeases.layerSqlite({ filename })
      const [one, two] = [yield* opened(layer), yield* opened(layer)]
      yield* one.acquire(trip, { holder: "one", ttlMillis: 600_000 })
      assert.strictEqual((yield* two.acquire(trip, { holder: "two", ttlMillis: 1 }))._tag, "Taken")
    })
  )

  it.live("are seen by every process on the schema", () =>
    Effect.gen(function* () {
      const layer = SqlLeases.layerPostgres({ url: postgresUrl(), schema: yield* freshSchema })
      const [one, two] = [yield* opened(layer), yield* opened(layer)]
      yield* one.acquire(trip, { holder: "one", ttlMillis: 600_000 })
      assert.strictEqual((yield* two.find(trip))?.holder, "one")
    })
  )

  it.live("ask again when the holder goes away between two statements", () =>
    Effect.gen(function* () {
      const layer = SqlLeases.layerPostgres({ url: postgresUrl(), schema: yield* freshSchema })
      const turns = Effect.fnUntraced(function* (holder: string) {
        const leases = yield* opened(layer)
        for (let turn = 0; turn < 50; turn++) {
          const { _tag, lease } = yield* leases.acquire(trip, { holder, ttlMillis: 600_000 })
          assert.strictEqual(_tag === "Acquired", lease.holder === holder)
          yield* leases.release(trip, holder)
        }
      })
      yield* Effect.all([turns("one"), turns("two")], { concurrency: 2 })
    })
  )

  it.live("are chosen by address", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      for (const address of ["memory:", `sqlite:${filename}`]) {
        const leases = yield* Layer.build(SqlLeases.layerFromAddress(address))
        const find = Effect.provide(
          Effect.flatMap(Leases.Leases, (each) => each.find(trip)),
          leases
        )
        assert.isUndefined(yield* find)
      }
    })
  )
})
