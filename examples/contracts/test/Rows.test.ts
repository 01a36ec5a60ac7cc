/** The contract of rows in Postgres, against a real server. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import Pg from "pg"
import { postgresRows } from "../../../packages/patterns/contracts/postgres-rows/tools.ts"
import * as lab from "./lab.ts"

// Needs the server at BACKSTITCH_TEST_POSTGRES.
const schema = `rows_${process.pid}_${Date.now()}`
const order = { id: "o-1", item: "umbrella", quantity: 2 }
let pool: Pg.Pool

beforeAll(async () => {
  const connectionString = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
  pool = new Pg.Pool({ connectionString, options: `-c search_path=${schema}` })
  await pool.query(`create schema ${schema}`)
  await pool.query(
    "create table orders (id text primary key, item text not null, quantity integer not null, action_key text not null unique)"
  )
})
afterAll(async () => {
  await pool.query(`drop schema ${schema} cascade`)
  await pool.end()
})

const rows = async () => (await pool.query("select id, quantity from orders order by id")).rows

describe("postgres-rows", () => {
  it("enters a row once, and takes it out again", async () => {
    await lab.work("postgres-rows", postgresRows({ pool }), async ({ call, divergences, latest, undo }) => {
      const done = await call("insert_order", order)
      assert.deepInclude(done, { _tag: "Done", basis: "readback" }, JSON.stringify(done))
      assert.deepInclude(await call("insert_order", order), { _tag: "Done", basis: "recorded" })
      assert.strictEqual((await call("insert_order", { ...order, quantity: 3 }))._tag, "Refused")
      assert.deepStrictEqual(await rows(), [{ id: "o-1", quantity: 2 }])
      assert.strictEqual((await undo(await latest()))._tag, "Done")
      assert.strictEqual(await divergences(), 0)
    })
    assert.deepStrictEqual(await rows(), [])
  })

  it("rolls back a row that the database has changed, so that nobody sees it", async () => {
    await pool.query(`
      create function halve() returns trigger language plpgsql as
        $$ begin new.quantity = new.quantity / 2; return new; end $$;
      create trigger halves before insert on orders for each row execute function halve()`)
    await lab.work("postgres-rows", postgresRows({ pool }), async ({ call }) => {
      const failed = await call("insert_order", { ...order, id: "o-2" })
      assert.notStrictEqual(failed._tag, "Done", JSON.stringify(failed))
    })
    assert.deepStrictEqual(await rows(), [])
  })
})
