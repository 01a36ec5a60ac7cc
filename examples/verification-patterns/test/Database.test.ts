/** Changing rows in a real Postgres and in SQLite, with triggers, locks, snapshots and copies that lag. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import Pg from "pg"
import * as Database from "../tools/Database.ts"
import type { Proven } from "../tools/Proven.ts"
import * as Standby from "../world/Standby.ts"
import * as lab from "./lab.ts"

const change: Database.Change = { seat: "4A", version: 7, holder: "Ada" }

/** The tool, and the events between its write and the first read. */
const then = ({ code, contract }: Proven, happens: () => unknown): Proven => ({
  contract,
  code: {
    ...code,
    execute: async (params, context) => {
      const answer = await code.execute(params, context)
      await happens()
      return answer
    }
  }
})

describe("a row in Postgres", () => {
  const clients: Array<Pg.Client> = []
  // Needs the server at BACKSTITCH_TEST_POSTGRES.
  const database = `patterns_${process.pid}_${Date.now()}`
  const url = () => new URL(process.env["BACKSTITCH_TEST_POSTGRES"] ?? "")
  let admin: Pg.Client

  beforeAll(async () => {
    admin = new Pg.Client({ connectionString: url().href })
    await admin.connect()
    await admin.query(`create database ${database}`)
  })
  afterAll(async () => {
    for (const client of clients) await client.end()
    await admin.query(`drop database ${database} with (force)`)
    await admin.end()
  })

  /** A connection of a customer. */
  const connect = async (schema: string, port?: number) => {
    const address = url()
    if (port !== undefined) address.port = String(port)
    address.pathname = `/${database}`
    const client = new Pg.Client({ connectionString: address.href, options: `-c search_path=${schema}` })
    // A standby that is stopped ends its connections.
    client.on("error", () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }
  /** A schema with one seat. */
  const customer = async (schema = "acme") => {
    // Locks of earlier tests are released.
    for (const earlier of clients.splice(0)) await earlier.end()
    const client = await connect(schema)
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.query(`create schema ${schema}`)
    await client.query("create table seats (id text primary key, version int, holder text, actor text)")
    await client.query("create table audit (trace text, seat text)")
    await client.query("insert into seats values ('4A', 7, null, null)")
    return client
  }
  const trigger = (client: Pg.Client, when: string, body: string) =>
    client.query(`create function rule() returns trigger language plpgsql as $$ begin ${body} end $$;
      create trigger rule ${when} update on seats for each row execute function rule()`)

  it("is confirmed when the writer shows it", async () => {
    lab.isReconciled(await lab.act(Database.assign(Database.postgres(await customer())), change))
  })

  it("is moved to an archive by a trigger: missing_row", async () => {
    const client = await customer()
    await client.query("create table archive (like seats)")
    const body = "insert into archive values (new.*); delete from seats where id = new.id; return null;"
    await trigger(client, "after", body)
    lab.isHeldFor(await lab.act(Database.assign(Database.postgres(client)), change), "missing_row", "no_op_failure")
  })

  it("is read by a session whose snapshot is older than the write: stale_version", async () => {
    const [writer, reader] = [await customer(), await connect("acme")]
    await writer.query("create view seen as select *, (pg_current_wal_lsn() - '0/0')::float8 as position from seats")
    await reader.query("begin isolation level repeatable read read only; select 1 from seats")
    const trial = await lab.act(Database.assign(Database.postgres(writer, { reader, from: "seen" })), change)
    assert.deepStrictEqual(lab.isHeldFor(trial, "stale_version", "stale_state"), { version: 7 })
  })

  it("is that of another customer, whose session the pool gave out: wrong_tenant", async () => {
    await customer()
    const trial = await lab.act(Database.assign(Database.postgres(await customer("umbrella"))), change)
    assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_tenant", "wrong_target_modified"), { tenant: "umbrella" })
  })

  it("is written otherwise by a trigger: values_differ", async () => {
    const client = await customer()
    await trigger(client, "before", "new.holder = upper(new.holder); return new;")
    const trial = await lab.act(Database.assign(Database.postgres(client)), change)
    assert.deepStrictEqual(lab.isHeldFor(trial, "values_differ", "value_mismatch"), { values: { holder: "ADA" } })
  })

  it("is locked by somebody's transaction: lock_timeout", async () => {
    const [client, other] = [await customer(), await connect("acme")]
    await client.query("set lock_timeout = 20")
    const tool = then(Database.assign(Database.postgres(client)), () =>
      other.query("begin; select 1 from seats for update")
    )
    assert.deepStrictEqual(lab.isHeldFor(await lab.act(tool, change), "lock_timeout", "unknown_state"), {
      locked: true
    })
    await other.query("rollback")
  })

  it("is read from a standby that lags: freshness_not_guaranteed", { timeout: 240_000 }, async ({ skip }) => {
    const client = await customer()
    const standby = await Standby.start(admin, url().href)
    if (standby === undefined) return skip("the files of the server are out of reach")
    try {
      const reader = await connect("acme", standby.port)
      const tool = Database.assign(Database.postgres(client, { reader, isStandby: true }))
      const trial = await lab.act(tool, change)
      lab.isHeldFor(trial, "freshness_not_guaranteed", "propagation_delay")
      assert.isDefined(trial.evidence.find(({ indicator }) => indicator === "stale_version"))
      // A replica that declares itself a replica confirms nothing, whatever it shows.
      const { code, contract } = tool
      const said = { ...code, readback: async () => new ToolExecutor.Reading({}, "replica") }
      assert.strictEqual((await lab.act({ contract, code: said }, change)).class, "unverifiable_state")
    } finally {
      await standby.stop()
    }
  })

  it("is read from a view that was refreshed before the write: freshness_not_guaranteed", async () => {
    const client = await customer()
    await client.query(`create materialized view seats_seen as
      select *, (pg_current_wal_lsn() - '0/0')::float8 as position from seats`)
    const trial = await lab.act(Database.assign(Database.postgres(client, { from: "seats_seen" })), change)
    lab.isHeldFor(trial, "freshness_not_guaranteed", "propagation_delay")
  })
})

describe.concurrent("a row in SQLite", () => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "backstitch-rows-"))
  afterAll(() => Fs.rmSync(folder, { recursive: true, force: true }))

  /** A file with one seat. */
  const customer = (name: string, more = "", tenant = "acme") => {
    const file = Path.join(folder, `${name}.db`)
    const database = new DatabaseSync(file)
    database.exec(`create table seats (id text primary key, version integer, holder text, actor text);
      create table audit (seq integer primary key, trace text, seat text);
      create table owner (tenant text);
      insert into owner values ('${tenant}');
      insert into seats values ('4A', 7, null, null); ${more}`)
    return { file, database }
  }
  const assigns = (file: string, from?: string) => lab.act(Database.assign(Database.sqlite(file, from)), change)

  it("is confirmed when the file shows it", async () => {
    lab.isReconciled(await assigns(customer("plain").file))
  })

  it("is swept away by a trigger: missing_row", async () => {
    const rule = "create trigger rule after update on seats begin delete from seats where id = new.id; end"
    lab.isHeldFor(await assigns(customer("swept", rule).file), "missing_row", "no_op_failure")
  })

  it("stays as it was, since the period is closed: stale_version", async () => {
    const rule = "create trigger rule before update on seats begin select raise(ignore); end"
    const trial = await assigns(customer("closed", rule).file)
    assert.deepStrictEqual(lab.isHeldFor(trial, "stale_version", "stale_state"), { version: 7 })
  })

  it("is in the file of another customer: wrong_tenant", async () => {
    const trial = await assigns(customer("other", "", "umbrella").file)
    assert.deepStrictEqual(lab.isHeldFor(trial, "wrong_tenant", "wrong_target_modified"), { tenant: "umbrella" })
  })

  it("is written otherwise by a trigger: values_differ", async () => {
    const rule = `create trigger rule after update of holder on seats begin
      update seats set holder = upper(new.holder) where id = new.id; end`
    const trial = await assigns(customer("upper", rule).file)
    assert.deepStrictEqual(lab.isHeldFor(trial, "values_differ", "value_mismatch"), { values: { holder: "ADA" } })
  })

  it("is locked by somebody's transaction: lock_timeout", async () => {
    const { database, file } = customer("locked")
    const tool = then(Database.assign(Database.sqlite(file)), () => database.exec("begin exclusive"))
    lab.isHeldFor(await lab.act(tool, change), "lock_timeout", "unknown_state")
    database.exec("rollback")
  })

  it("is read from a copy that was made before the write: freshness_not_guaranteed", async () => {
    const { database, file } = customer("copied")
    const copy = Path.join(folder, "copy.db")
    database.exec(`vacuum into '${copy}'`)
    const trial = await assigns(file, copy)
    assert.deepStrictEqual(lab.isHeldFor(trial, "freshness_not_guaranteed", "propagation_delay"), { position: 0 })
  })
})
