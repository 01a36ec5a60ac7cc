/** Publishes events to a real queue in Postgres, whose relay and consumer are a process of their own. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import Pg from "pg"
import * as Queue from "../tools/Queue.ts"
import * as Broker from "../world/Broker.ts"
import * as WorldProcess from "../world/WorldProcess.ts"
import * as lab from "./lab.ts"

const schema = `queue_${process.pid}_${Date.now()}`
let pool: Pg.Pool
let consumer: WorldProcess.WorldProcess

beforeAll(async () => {
  // Needs the server at BACKSTITCH_TEST_POSTGRES.
  const url = process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
  pool = new Pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 5 })
  await pool.query(`create schema ${schema}`)
  await pool.query(Broker.tables)
  consumer = await WorldProcess.start("consumer.ts", [url, schema])
})
afterAll(async () => {
  await consumer.stop()
  await pool.query(`drop schema ${schema} cascade`)
  await pool.end()
})

/** Publishes that a seat is Ada's, on a topic and for a seat of its own. */
const publishes = (name: string, more: Partial<Queue.Event> = {}) =>
  lab.act(Queue.publish(pool), { destination: name, seat: name, holder: "Ada", ...more })

describe.concurrent("an event", () => {
  it("is confirmed when its consumer has caused the announced state", async () => {
    const trial = await publishes("plain")
    lab.isReconciled(trial)
    lab.wasAccepted(trial)
  })

  it("waits in a topic that is paused: stuck", async () => {
    await pool.query("insert into topics (name, paused) values ('paused', true)")
    assert.deepStrictEqual(lab.isHeldFor(await publishes("paused"), "stuck", "propagation_delay"), { status: "queued" })
  })

  it("is published again by a relay that died before it had noted that: duplicate", async () => {
    await pool.query("insert into topics (name, relay_dies) values ('dies', 1)")
    lab.isHeldFor(await publishes("dies"), "duplicate", "duplicate_side_effect")
  })

  it("is not understood, three times: dead_letter", async () => {
    const trial = await publishes("garbled", { holder: null })
    assert.deepStrictEqual(lab.isHeldFor(trial, "dead_letter", "partial_application"), { status: "dead_letter" })
  })

  it("asks for a forbidden change: consumer_failed", async () => {
    await pool.query("insert into seats (id, blocked) values ('blocked', true)")
    lab.isHeldFor(await publishes("blocked"), "consumer_failed", "partial_application")
  })

  it("overtakes one of the same seat that comes again later: out_of_order", async () => {
    await pool.query(`insert into messages (topic, key, line, body)
      values ('line', 'earlier', 'line', '{ "seat": "line", "holder": "Bob", "slow": true }')`)
    assert.deepStrictEqual(lab.isHeldFor(await publishes("line"), "out_of_order", "value_mismatch"), {
      overtaken: ["earlier"]
    })
  })

  it("is dealt with and changes nothing, since the flight is closed: no_downstream_state", async () => {
    await pool.query("insert into seats (id, closed) values ('closed', true)")
    assert.deepStrictEqual(lab.isHeldFor(await publishes("closed"), "no_downstream_state", "partial_application"), {
      downstream: null,
      status: "done"
    })
  })
})
