/**
 * Seats in a real Postgres and in SQLite, and reports in a real folder: a change that is rolled back was never
 * visible.
 */

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Proposal } from "@backstitch/kernel/Proposal"
import * as ActionPage from "@backstitch/runtime/ActionPage"
import * as DecisionReplay from "@backstitch/runtime/DecisionReplay"
import * as History from "@backstitch/runtime/History"
import * as StrictReplay from "@backstitch/runtime/StrictReplay"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import Pg from "pg"
import * as Desk from "../Desk.ts"
import * as Reports from "../Reports.ts"
import * as Seats from "../Seats.ts"

const folder = mkdtempSync(join(tmpdir(), "backstitch-desk-"))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
let stores = 0

/** Makes one call and reads the page of its action, after the record was decided again and folded again. */
const does = (tools: ToolExecutor.Tools, proposal: Proposal) =>
  Effect.gen(function* () {
    yield* Desk.work(Desk.pack({ sendWithin: "4s", settleAfter: "200ms" }))
    const history = yield* History.History
    const all = yield* history.transitions(Desk.run)
    assert.deepInclude(yield* StrictReplay.of(Desk.run), { divergences: [], misfit: undefined })
    assert.deepStrictEqual((yield* DecisionReplay.redecide(Desk.run, { secret: "the desk" })).differs, [])
    const id = all.find(({ body }) => body.action !== undefined)?.body.action?.id ?? ""
    return yield* ActionPage.of(id, { run: Desk.run, tenant: Desk.run.tenant })
  }).pipe(
    Effect.scoped,
    Effect.provide(Desk.layer(join(folder, `store-${++stores}.db`), { tools, does: proposal }), { local: true }),
    Effect.runPromise
  )

const change: Seats.Change = { seat: "4A", holder: "Ada", version: 7 }
const assigning: Proposal = { tool: "assign_seat", params: { ...change } }

/** The tool, and the view of another connection while its transaction is open. */
const seen = (tool: ToolExecutor.Tool, outside: () => unknown) => {
  const views: Array<unknown> = []
  const { open } = tool
  const spying: ToolExecutor.Tool = {
    ...tool,
    open: async (params, context) => {
      const transaction = await open!(params, context)
      return {
        ...transaction,
        read: async () => {
          views.push(await outside())
          return transaction.read()
        }
      }
    }
  }
  return { tools: { assign_seat: spying }, views }
}

const statesOf = ({ states }: ActionPage.ActionPage): ReadonlyArray<string> => states.slice(2).map(({ state }) => state)

const isRolledBack = (page: ActionPage.ActionPage): void => {
  assert.deepStrictEqual(statesOf(page), ["executing", "reconciliation_failed", "rolled_back"])
  assert.strictEqual(page.standing, "rolled_back")
  assert.deepStrictEqual(page.anomalies, [])
  assert.deepInclude(page.entry.reconciliation, { status: "ROLLED_BACK" })
  assert.isNotNull(page.entry.recovery.rollback_action_id)
  assert.strictEqual(page.lines.find(({ type }) => type === "recovery.decided")?.data["decision"], "roll_back")
}

const free = { holder: "", seat: "4A", version: 7 }
const taken = { holder: "Ada", seat: "4A", version: 8 }

interface Store {
  readonly tool: ToolExecutor.Tool
  /** Another connection's view of the seat. */
  readonly outside: () => unknown
  /** From now on a rule writes something else than is asked for. */
  readonly spoil: () => unknown
}

const suite = (name: string, make: () => Promise<Store>) =>
  describe(name, () => {
    it("is committed after it was read inside, and invisible to others before", async () => {
      const { outside, tool } = await make()
      const { tools, views } = seen(tool, outside)
      const page = await does(tools, assigning)
      assert.deepStrictEqual(statesOf(page), ["executing", "committed", "reconciled_success"])
      assert.strictEqual(page.standing, "success")
      assert.deepStrictEqual([views, await outside()], [[free], taken])
    })

    it("is rolled back if a rule of its store changes it, and never existed for others", async () => {
      const { outside, spoil, tool } = await make()
      await spoil()
      const { tools, views } = seen(tool, outside)
      const page = await does(tools, assigning)
      isRolledBack(page)
      assert.deepStrictEqual([views, await outside()], [[free], free])
      assert.strictEqual(page.entry.reconciliation.status, "ROLLED_BACK")
    })

    it("is rolled back if another change was faster than the plan", async () => {
      const { outside, tool } = await make()
      const params = { ...change, version: 6 }
      const page = await does({ assign_seat: tool }, { tool: "assign_seat", params })
      isRolledBack(page)
      assert.strictEqual(page.lines.find(({ type }) => type === "recovery.decided")?.data["discrepancy"], "stale_state")
      assert.deepStrictEqual(await outside(), free)
    })

    it("is rolled back if its connection is cut before the commit", async () => {
      const { outside, tool } = await make()
      const cut: ToolExecutor.Tool = {
        ...tool,
        open: async (params, context) => {
          const { rollback } = await tool.open!(params, context)
          await rollback()
          throw new Error("the connection was cut")
        }
      }
      const page = await does({ assign_seat: cut }, assigning)
      assert.deepStrictEqual(statesOf(page), ["executing", "rolled_back"])
      assert.deepStrictEqual(await outside(), free)
    })
  })

suite("a seat in SQLite", async () => {
  const file = join(folder, `seats-${++stores}.db`)
  const database = new DatabaseSync(file)
  database.exec(`pragma journal_mode = wal; ${Seats.schema}`)
  return {
    tool: Seats.sqlite(file),
    outside: () => ({ ...database.prepare("select holder, seat, version from seats").get() }),
    spoil: () =>
      database.exec(`create trigger shout after update of holder on seats when new.holder <> upper(new.holder)
        begin update seats set holder = upper(holder) where seat = new.seat; end`)
  }
})

describe("in Postgres", () => {
  const pools: Array<Pg.Pool> = []
  const names: Array<string> = []
  // Needs the server at BACKSTITCH_TEST_POSTGRES.
  const url = () => process.env["BACKSTITCH_TEST_POSTGRES"] ?? ""
  const poolOf = (schema: string) => {
    const pool = new Pg.Pool({ connectionString: url(), options: `-c search_path=${schema}`, max: 2 })
    pools.push(pool)
    return pool
  }
  let admin: Pg.Pool
  beforeAll(() => {
    admin = poolOf("public")
  })
  afterAll(async () => {
    for (const name of names) await admin.query(`drop schema ${name} cascade`)
    for (const pool of pools) await pool.end()
  })

  suite("a seat in Postgres", async () => {
    const schema = `desk_${process.pid}_${Date.now()}_${++stores}`
    names.push(schema)
    await admin.query(`create schema ${schema}`)
    const [pool, other] = [poolOf(schema), poolOf(schema)]
    await pool.query(Seats.schema)
    return {
      tool: Seats.postgres(pool),
      outside: async () => (await other.query("select holder, seat, version from seats")).rows[0],
      spoil: () =>
        pool.query(`create function rule() returns trigger language plpgsql as
          $$ begin new.holder = upper(new.holder); return new; end $$;
          create trigger rule before update on seats for each row execute function rule()`)
    }
  })
})

describe("a report in a folder", () => {
  const root = () => mkdtempSync(join(folder, "reports-"))
  const writing = (template: string, name = "week.md"): Proposal => ({
    tool: "write_report",
    params: { name, template, lines: 2 }
  })

  it("is moved to its place once it was read beside it", async () => {
    const shared = root()
    const page = await does({ write_report: Reports.folder(shared) }, writing("# Week\nAll is well."))
    assert.strictEqual(page.standing, "success")
    assert.deepStrictEqual(readdirSync(shared), ["week.md"])
  })

  it("is removed if it would carry a key out of the house: nothing of it is ever in its place", async () => {
    const shared = root()
    const tool = Reports.folder(shared, { key: "-----BEGIN PRIVATE KEY-----" })
    const { tools, views } = seen(tool, () => existsSync(join(shared, "week.md")))
    const page = await does({ write_report: tools.assign_seat }, writing("# Week\n{{key}}"))
    isRolledBack(page)
    assert.deepStrictEqual([views, readdirSync(shared)], [[false], []])
  })

  it("is refused a name that leads elsewhere, and nothing is written", async () => {
    const shared = root()
    const page = await does({ write_report: Reports.folder(shared) }, writing("# Week\n", "../week.md"))
    assert.strictEqual(page.states.at(-1)?.state, "failed")
    assert.deepStrictEqual([readdirSync(shared), existsSync(join(folder, "week.md"))], [[], false])
  })
})
