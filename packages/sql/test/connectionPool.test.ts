import { assert, describe, it } from "@effect/vitest"
import { Pool } from "pg"
import * as ConnectionPool from "../src/postgres/connectionPool.ts"
import { postgresUrl } from "./temporary.ts"

// The server's address is in BACKSTITCH_TEST_POSTGRES.
describe("connectionPool", () => {
  it("go on when the server ends a connection in the moment in which it is handed over", async () => {
    const pool = new Pool({ connectionString: postgresUrl(), max: 1 })
    const clients = ConnectionPool.make(pool)
    // As the pool hands it over: who takes it has not seen it yet.
    const client = await pool.connect()
    const ended = new Error("terminating connection due to unexpected postmaster exit")
    assert.isTrue(client.emit("error", ended))
    client.release(ended)
    const next = await clients.take()
    const { rows } = await next.query("select 1 as one")
    assert.deepStrictEqual(rows, [{ one: 1 }])
    clients.give(next)
    await clients.close()
  })
})
