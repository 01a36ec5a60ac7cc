import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import * as Places from "./places.ts"
import { type Served, serve } from "./served.ts"

const told = ({ ask }: Served, path: string) =>
  Effect.promise(async () => {
    const response = await ask(path)
    return [response.status, await response.text()] as const
  })

/** Keeps everybody from a database, or lets them in again. */
const permit = (server: string, store: string, isPermitted: boolean) =>
  Effect.promise(async () => {
    const name = new URL(store).pathname.slice(1)
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(`alter database ${name} with allow_connections ${isPermitted}`)
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name])
    await client.end()
  })

describe("health", () => {
  it.live("is ready until it begins to stop, and lives until it has", () =>
    Effect.gen(function* () {
      const served = yield* serve()
      assert.deepStrictEqual(yield* told(served, "/health/ready"), [200, '{"status":"ready"}'])
      yield* served.drain
      const [status, text] = yield* told(served, "/health/ready")
      assert.strictEqual(status, 503)
      assert.include(text, '"tag":"Draining"')
      assert.deepStrictEqual(yield* told(served, "/health/live"), [200, '{"status":"live"}'])
    })
  )

  it.live("is not ready while the store cannot be reached, and is again once it can", () =>
    Effect.gen(function* () {
      const server = process.env["BACKSTITCH_TEST_POSTGRES"]!
      const [, place] = Places.all(server)
      const store = (yield* place![1])!
      const served = yield* serve(store)
      assert.strictEqual((yield* told(served, "/health/ready"))[0], 200)
      yield* permit(server, store, false)
      const [status, text] = yield* told(served, "/health/ready")
      assert.strictEqual(status, 503, text)
      assert.include(text, '"tag":"AnswerLate"')
      assert.strictEqual((yield* told(served, "/health/live"))[0], 200)
      yield* permit(server, store, true)
      let again = yield* told(served, "/health/ready")
      for (let turn = 0; turn < 200 && again[0] !== 200; turn++) {
        yield* Effect.sleep(20)
        again = yield* told(served, "/health/ready")
      }
      assert.strictEqual(again[0], 200)
    })
  )
})
